import {
  Account,
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import { addressOf, type Base58, bytesOf } from '../base58.ts';
import { epochOf } from './epoch.ts';
import { transactionError } from './errors.ts';

// The bindings of litesvm are used directly, because its own class converts values with a second copy of @solana/kit.
// Their version is pinned.

/** An account as the runtime stores it. */
export interface AccountState {
  lamports: bigint;
  owner: Base58;
  executable: boolean;
  rentEpoch: bigint;
  data: Uint8Array;
}

/** A call from one program to another. */
export interface InnerInstruction {
  programIdIndex: number;
  accounts: number[];
  data: Uint8Array;
  stackHeight: number;
}

/** Result of an execution or a simulation. */
export interface Execution {
  /** The error in JSON-RPC format. */
  err: unknown;
  /** False if the transaction was refused before a program ran. Then it was charged no fee. */
  executed: boolean;
  logs: string[];
  unitsConsumed: bigint;
  inner: InnerInstruction[][];
  returnData: { programId: Base58; data: Uint8Array } | undefined;
  /** The writable accounts after a successful simulation. */
  accounts: Map<Base58, AccountState>;
}

/** The sysvars of a slot. */
export interface SlotEnvironment {
  slot: number;
  /** Seconds since the epoch. */
  time: number;
  /** Newest first. */
  ancestors: readonly { slot: number; blockhash: Base58 }[];
}

const slotHashesAddress = bytesOf('SysvarS1otHashes111111111111111111111111111');
const sysvarOwner = bytesOf('Sysvar1111111111111111111111111111111111111');
const slotHashes = 512;
const nobody = new Uint8Array(32);
const noSignature = new Uint8Array(64);

/** All accounts as of one block, with the real runtime. */
export class Bank {
  readonly #svm: LiteSvm;

  private constructor(svm: LiteSvm) {
    this.#svm = svm;
    // The chain checks blockhashes, signatures and duplicates.
    svm.setBlockhashCheck(false);
    svm.setSigverify(false);
    svm.setTransactionHistory(0n);
    svm.setLogBytesLimit(10_000n);
  }

  /** Creates a bank with the programs that litesvm includes. */
  static create(): Bank {
    return new Bank(new LiteSvm());
  }

  copy(): Bank {
    return new Bank(LiteSvm.fromBytes(this.#svm.toBytes()));
  }

  /** litesvm's first slot: the one in which mainnet activated the newest enabled feature. */
  firstSlot(): number {
    return Number(this.#svm.getClock().slot);
  }

  get(address: Base58): AccountState | undefined {
    const account = this.#svm.getAccount(bytesOf(address));
    return account === null ? undefined : stateOf(account);
  }

  balance(address: Base58): bigint {
    return this.#svm.getBalance(bytesOf(address)) ?? 0n;
  }

  /** @param account undefined deletes it */
  set(address: Base58, account: AccountState | undefined): void {
    this.#svm.setAccount(
      bytesOf(address),
      account === undefined
        ? new Account(0n, new Uint8Array(), nobody, false, 0n)
        : new Account(
            account.lamports,
            account.data,
            bytesOf(account.owner),
            account.executable,
            account.rentEpoch,
          ),
    );
  }

  /** Sets many accounts, programs last, because a program is loaded from other accounts. */
  setAll(accounts: Iterable<readonly [Base58, AccountState | undefined]>): void {
    const all = [...accounts];
    for (const [address, account] of all) if (account?.executable !== true) this.set(address, account);
    for (const [address, account] of all) if (account?.executable === true) this.set(address, account);
  }

  programAccounts(owner: Base58): [Base58, AccountState][] {
    return this.#svm
      .getProgramAccounts(bytesOf(owner))
      .map((entry): [Base58, AccountState] => [addressOf(entry.address), stateOf(entry.account())])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  rentExempt(size: bigint): bigint {
    return this.#svm.minimumBalanceForRentExemption(size);
  }

  /** Sets the clock and the slot hashes of a slot. */
  enter({ slot, time, ancestors }: SlotEnvironment): void {
    const epoch = BigInt(epochOf(slot).epoch);
    this.#svm.setClock(new Clock(BigInt(slot), BigInt(time), epoch, epoch + 1n, BigInt(time)));
    const kept = ancestors.slice(0, slotHashes);
    const data = Buffer.alloc(8 + slotHashes * 40);
    data.writeBigUInt64LE(BigInt(kept.length));
    kept.forEach((ancestor, index) => {
      data.writeBigUInt64LE(BigInt(ancestor.slot), 8 + index * 40);
      data.set(bytesOf(ancestor.blockhash), 16 + index * 40);
    });
    this.#svm.setAccount(slotHashesAddress, new Account(1n, data, sysvarOwner, false, 0n));
  }

  /** Executes a transaction and keeps its changes. Does not check signatures and lifetime. */
  execute(wire: Uint8Array): Execution {
    const result = this.#svm.sendVersionedTransaction(wire);
    return result instanceof FailedTransactionMetadata ? failed(result) : executed(result);
  }

  /** Executes a transaction without keeping its changes. */
  simulate(wire: Uint8Array): Execution {
    const result = this.#svm.simulateVersionedTransaction(wire);
    if (result instanceof FailedTransactionMetadata) return failed(result);
    return {
      ...executed(result.meta()),
      accounts: new Map(
        result.postAccounts().map((entry) => [addressOf(entry.address), stateOf(entry.account())]),
      ),
    };
  }
}

function stateOf(account: Account): AccountState {
  return {
    lamports: account.lamports(),
    owner: addressOf(account.owner()),
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
    data: account.data(),
  };
}

function failed(result: FailedTransactionMetadata): Execution {
  const meta = result.meta();
  return {
    ...executed(meta),
    err: transactionError(result.err()),
    executed: !Buffer.from(meta.signature()).equals(noSignature),
  };
}

function executed(meta: TransactionMetadata): Execution {
  const returned = meta.returnData();
  return {
    err: null,
    executed: true,
    logs: meta.logs(),
    unitsConsumed: meta.computeUnitsConsumed(),
    inner: meta.innerInstructions().map((list) =>
      list.map((one) => {
        const instruction = one.instruction();
        return {
          programIdIndex: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: instruction.data(),
          stackHeight: one.stackHeight(),
        };
      }),
    ),
    returnData:
      returned.data().length === 0
        ? undefined
        : { programId: addressOf(returned.programId()), data: returned.data() },
    accounts: new Map(),
  };
}

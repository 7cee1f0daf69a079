import type {
  AdapterErrorCode,
  ClaimingTransaction,
  ContractEvent,
  Json,
  JsonObject,
  LedgerConfig,
  ResolvedOperation,
} from '@ledger-ops/adapter';
import type { Sign } from './drive.ts';

/**
 * The parts that an adapter's author provides: a ledger to test against, a key with funds, sample operations and, if
 * the ledger allows it, ways to cause faults. The kit opens a harness for each check and closes it afterward.
 * All harnesses may use the same ledger.
 */
export interface ConformanceHarness {
  /**
   * The ledger under test. The kit varies `confirmations`, `replace_after` and `presigned_replacements` in its
   * properties.
   */
  ledger: LedgerConfig;
  /** A key pair whose account has funds for a hundred transactions. `createTestSigner` creates one. */
  signer: HarnessSigner;
  /** Parameters for `createWallet`, in addition to the public key. */
  walletParameters?: Readonly<Record<string, string>>;
  samples: SampleOperations;
  hooks?: FaultHooks;
  /**
   * Whether a transaction in a block is final regardless of `confirmations`, because the ledger has no forks. Default
   * false.
   */
  finalAtOnce?: boolean;
  /** Timeout of one step of a check in milliseconds. Default 15,000. */
  patience?: number;
  close(): Promise<void>;
}

/** The host's side of a wallet: a public key, and a function that signs digests (for ed25519: messages). */
export interface HarnessSigner {
  /** A compressed point of 33 bytes; for ed25519, the 32 bytes of RFC 8032. */
  publicKey: Uint8Array;
  sign: Sign;
}

/** Operations for the wallet of the harness. The kit may execute each of them many times. */
export interface SampleOperations {
  /** A transfer of a positive amount to an unused account other than the wallet's. */
  transfer?: ResolvedOperation & { type: 'transfer' };
  /** A method to call by name. Includes the contract's interface if the adapter parses interfaces. */
  call?: ResolvedOperation & { type: 'contract_call' };
  deploy?: ResolvedOperation & { type: 'contract_deploy' };
  /** A call that makes its smart contract emit one event. `event` is the decoded event. */
  emitting?: {
    operation: ResolvedOperation & { type: 'contract_call' };
    event: Pick<ContractEvent, 'name' | 'args'>;
  };
  /** A call that passes `check`, but that the contract refuses during an estimate or emulation. */
  refusedCall?: ResolvedOperation & { type: 'contract_call' };
  /**
   * An operation that can be signed without an estimate and that the ledger includes in a block as failed.
   */
  failing?: ResolvedOperation;
  /** An operation that takes several successive transactions. Only for ledgers without sequences. */
  steps?: ResolvedOperation;
  /** An operation that other wallets also sign, with these key pairs. Required if `coSigners` is declared. */
  coSigned?: {
    signers: readonly HarnessSigner[];
    /** Returns the operation that names these wallets by their addresses, in the order of the signers. */
    operation(addresses: readonly string[]): ResolvedOperation;
    /** Index of the wallet that pays the fee. */
    payer?: number;
  };
  /** Operations with additional native content, for ledgers that support it. */
  content?: {
    /** Names a sender other than the wallet. */
    otherSender?: JsonObject;
    /** Names a chain other than the ledger's. */
    otherChain?: JsonObject;
    /** Requires this sequence. */
    sequence?: { content: JsonObject; sequence: bigint };
  };
  /**
   * An operation without its own fee whose transaction expires (`validUntil`). Required if any transaction of the
   * adapter expires.
   */
  expiring?: ResolvedOperation;
  /** An operation with this secret string, which must appear neither in the plan nor in the transaction. */
  secret?: { operation: ResolvedOperation; text: string };
  /** A call of a contract that belongs to the ledger itself. The call changes nothing. */
  systemCall?: ResolvedOperation & { type: 'contract_call' };
  /** A call that reads without changing anything, and its expected result. */
  view?: { operation: ResolvedOperation & { type: 'contract_call' }; result: Json };
  /** Operations that `check` must reject, each with the expected error. */
  invalid?: readonly InvalidOperation[];
  /** Valid contract interfaces, and strings that must be rejected. */
  interfaces?: { good: readonly string[]; bad: readonly string[] };
  /**
   * Account addresses as users write them, with their normalized form, and strings that are not addresses.
   */
  addresses?: { good: readonly { given: string; normal: string }[]; bad: readonly string[] };
}

/** An operation that must be rejected, and the expected error. */
export interface InvalidOperation {
  /** Describes the error in the operation. */
  why: string;
  operation: ResolvedOperation;
  code: AdapterErrorCode;
  /** Position of the error, for `invalid-argument`. */
  pointer?: string;
}

/**
 * Ways to advance the ledger and to cause faults. A check that needs an absent hook is skipped, and the
 * report says so.
 */
export interface FaultHooks {
  /** Creates blocks. If present, nothing else creates blocks. */
  mine?(blocks: number): Promise<void>;
  /** Makes the ledger unreachable until `comeUp`, without changing its state. */
  goDown?(): Promise<void>;
  comeUp?(): Promise<void>;
  /** Makes the ledger leave calls to `confirm` unanswered from now on. */
  hang?(): Promise<void>;
  /** Permanently drops the last blocks and their transactions. */
  reorganise?(depth: number): Promise<void>;
  /** Raises the ledger's fees above the fees of transactions that are already signed. */
  raiseFees?(): Promise<void>;
  /** Makes every node forget the transactions that wait for a block. */
  forget?(): Promise<void>;
  /** Submits a transaction with this sequence that the wallet signed outside the adapter. */
  outsideTransaction?(sequence: bigint): Promise<void>;
  /**
   * Puts a transaction that the wallet signed outside the adapter, and that holds this claim, into the next
   * block. Only for ledgers without sequences whose adapter names claims.
   */
  takeClaim?(claim: string): Promise<void>;
  /**
   * Creates a block that contains this signed transaction, even if the mempool has a replacement. Only for adapters that
   * name claims.
   */
  mineWith?(bytes: Uint8Array): Promise<void>;
  /**
   * Creates blocks with two transactions of another party: a payment to this address, enough for several
   * operations, and the transaction whose output the payment spends. Returns both with their claims. Only for
   * adapters that name claims.
   */
  deposit?(address: string): Promise<readonly ClaimingTransaction[]>;
  /**
   * Makes the ledger include the next transaction in a block as invalid. Only for ledgers without sequences.
   */
  invalidate?(): Promise<void>;
  /**
   * Makes the ledger reject the next transaction permanently, even if it is sent again. Only for ledgers
   * without sequences.
   */
  rejectForCertain?(): Promise<void>;
  /** The native balance of an account as the ledger itself holds it, not as the adapter reports it. */
  balance?(address: string): Promise<bigint>;
  /** Number of executions of a transaction, read from the ledger itself. */
  executions?(txId: string): Promise<number>;
}

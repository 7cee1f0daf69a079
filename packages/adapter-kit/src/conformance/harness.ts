import type {
  AdapterErrorCode,
  ContractEvent,
  Json,
  JsonObject,
  LedgerConfig,
  ResolvedOperation,
} from '@ledger-ops/adapter';
import type { Sign } from './drive.ts';

/**
 * Given to the kit by an adapter's author: a ledger to test against, a funded key, sample operations and,
 * as far as the ledger allows, ways to disturb it. The kit opens one for each check and closes it afterwards;
 * the ledger behind it may be the same for all.
 */
export interface ConformanceHarness {
  /** The ledger under test. The kit varies `confirmations`, `replace_after` and `presigned_replacements` in its properties. */
  ledger: LedgerConfig;
  /** A key pair whose account has funds for a hundred transactions. `createTestSigner` makes one. */
  signer: HarnessSigner;
  /** Parameters for `createWallet` beside the public key. */
  walletParameters?: Readonly<Record<string, string>>;
  samples: SampleOperations;
  hooks?: FaultHooks;
  /** Transactions in a block are final, whatever `confirmations` says: the ledger has no forks. Default false. */
  finalAtOnce?: boolean;
  /** Milliseconds that one step of a check may take. Default 15,000. */
  patience?: number;
  close(): Promise<void>;
}

/** The host's side of a wallet: a public key, and signatures over digests, of ed25519 over messages. */
export interface HarnessSigner {
  /** A compressed point of 33 bytes; of ed25519 the 32 bytes of RFC 8032. */
  publicKey: Uint8Array;
  sign: Sign;
}

/** Operations for the wallet of the harness. Each may be executed many times over. */
export interface SampleOperations {
  /** Moves more than nothing to an account that nobody else uses, not the wallet's. */
  transfer?: ResolvedOperation & { type: 'transfer' };
  /** Names its method, and its contract's interface where the adapter reads interfaces. */
  call?: ResolvedOperation & { type: 'contract_call' };
  deploy?: ResolvedOperation & { type: 'contract_deploy' };
  /** Makes its contract tell one event, decoded as this. */
  telling?: {
    operation: ResolvedOperation & { type: 'contract_call' };
    event: Pick<ContractEvent, 'name' | 'args'>;
  };
  /** Passes `check`, and the contract refuses it when it is estimated or emulated. */
  refusedCall?: ResolvedOperation & { type: 'contract_call' };
  /** Needs no estimate, and fails in its block. */
  failing?: ResolvedOperation;
  /** Takes several transactions, one after the other. Only where there are no sequences. */
  steps?: ResolvedOperation;
  /** Is signed by other wallets too, whose key pairs these are. Demanded where `coSigners` is declared. */
  coSigned?: {
    signers: readonly HarnessSigner[];
    /** The operation that names these wallets by their addresses, in the order of the signers. */
    operation(addresses: readonly string[]): ResolvedOperation;
    /** The place of the one that pays the fee. */
    payer?: number;
  };
  /** Native content that an operation has beside what it says, where the ledger's content can say such things. */
  content?: {
    /** Names another sender than the wallet. */
    otherSender?: JsonObject;
    /** Names another chain than the ledger's. */
    otherChain?: JsonObject;
    /** Demands a sequence. */
    sequence?: { content: JsonObject; sequence: bigint };
  };
  /** Its transaction expires (`validUntil`). Demanded where any does. */
  expiring?: ResolvedOperation;
  /** Holds this text, which may be neither in its plan nor in its transaction. */
  secret?: { operation: ResolvedOperation; text: string };
  /** Calls a contract that belongs to the ledger itself, and changes nothing. */
  systemCall?: ResolvedOperation & { type: 'contract_call' };
  /** Changes nothing, and has this result. */
  view?: { operation: ResolvedOperation & { type: 'contract_call' }; result: Json };
  /** Each is refused by `check` in this way. */
  invalid?: readonly InvalidOperation[];
  /** Interface texts that are read, and others that are refused. */
  interfaces?: { good: readonly string[]; bad: readonly string[] };
  /** Account addresses as people write them, with their normal form, and texts that are none. */
  addresses?: { good: readonly { given: string; normal: string }[]; bad: readonly string[] };
}

/** An operation that may not pass, and how it is refused. */
export interface InvalidOperation {
  /** The fault in it. */
  why: string;
  operation: ResolvedOperation;
  code: AdapterErrorCode;
  /** Where, for `invalid-argument`. */
  pointer?: string;
}

/** Ways to move and to disturb the ledger. Checks that need one that is absent are skipped, with this reason. */
export interface FaultHooks {
  /** Makes blocks. Present: blocks are made by nothing else. */
  mine?(blocks: number): Promise<void>;
  /** The ledger cannot be reached until `comeUp`; its state stays. */
  goDown?(): Promise<void>;
  comeUp?(): Promise<void>;
  /** From now on the ledger takes calls of `confirm` and does not answer them. */
  hang?(): Promise<void>;
  /** Drops the last blocks for good; their transactions are gone. */
  reorganise?(depth: number): Promise<void>;
  /** From now on the ledger asks more for a transaction than one offers that was signed before. */
  raiseFees?(): Promise<void>;
  /** Every node forgets what waits for a block. */
  forget?(): Promise<void>;
  /** Submits another transaction of the wallet at this sequence, outside the adapter. */
  outsideTransaction?(sequence: bigint): Promise<void>;
  /** The next transaction comes into its block as invalid. Only where there are no sequences. */
  invalidate?(): Promise<void>;
  /** The next transaction is refused for certain, however often it is sent. Only where there are no sequences. */
  rejectForCertain?(): Promise<void>;
  /** How often the ledger itself says that a transaction was executed. */
  executions?(txId: string): Promise<number>;
}

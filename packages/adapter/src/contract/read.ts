import type { ResolvedOperation } from './check.ts';
import type { AdapterProblem } from './problem.ts';
import type { Json, JsonObject } from './values.ts';
import type { WalletIdentity } from './wallets.ts';

export interface EmulateRequest {
  wallet?: WalletIdentity;
  operation: ResolvedOperation;
  /**
   * Whether calls to contracts of the ledger itself are allowed. If not, they are refused with
   * `system-contract` before any request is sent.
   */
  systemContracts?: boolean;
}

/** `fee`: set if a wallet is given. `figures`: for example `gas` or `identity`. */
export interface Emulated {
  /** The decoded result. Null if there is none or it cannot be decoded; then `figures.returned` holds the raw value. */
  result: Json;
  fee?: bigint;
  figures?: JsonObject;
  /** Reasons why the effect of the operation, if it is sent, may differ from this result. For display. */
  warnings?: string[];
}

/** `receipt` is in the ledger's own format. */
export interface LookupResult extends Partial<TransactionOrigin> {
  txId: string;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  height?: number;
  blockHash?: string;
  /** For a block at confirmation depth, the same values as in `confirm`: ms since the epoch, and native currency. */
  blockTime?: number;
  fee?: bigint;
  contractAddress?: string;
  problem?: AdapterProblem;
  receipt?: Json;
}

/**
 * Origin and effect of a transaction. The host uses them to compare a transaction from outside with an
 * action. Return all of these members or none of them.
 */
export interface TransactionOrigin {
  /** The account that the transaction belongs to. */
  sender: string;
  /** All accounts that signed it. Absent if only the sender signed. */
  signers?: string[];
  /** Account sequence of the transaction; absent on ledgers without account sequences. */
  sequence?: bigint;
  /**
   * Effect of the transaction, without fees: members of a plan of `check`, such as recipient, amount and
   * data. A transaction has the effect of an action if all these members equal those of the action's plan.
   */
  effect: JsonObject;
}

/** If `since` is null, only `head` is needed. */
export interface TransactionsRequest {
  address: string;
  /** Transactions in blocks up to this height are already known. */
  since: number | null;
}

/** The transactions of an account in the ledger's blocks. */
export interface AccountTransactions {
  /**
   * Ids of the transactions in blocks above `since` that the account may have signed, newest first, at most 20,000. Others
   * may be among them, because the host checks unknown ones with `signersOf`.
   */
  txIds: string[];
  /** Height of the newest block that was read. */
  head: number;
  /**
   * The list is complete up to this height: no transaction at or below it will be listed later. Leave a
   * margin below `head` if the index of a node may lag.
   */
  completeTo: number;
  /**
   * A transaction that was signed before this call cannot be executed above this height. Absent if signed
   * transactions do not expire.
   */
  expiresBy?: number;
  /** Why transactions may be missing, for display. Name the node. Absent if none is missing. */
  incomplete?: string;
}

export interface ChainIdentity {
  /**
   * Chain-agnostic id in CAIP-2 style: `acorn:main`. Two ledger records of the same chain have the same id. At most 128
   * characters.
   */
  id: string;
  /**
   * Hash of the first block, or any text that identifies it. A different value with the same id means that the chain
   * was reset.
   */
  genesis: string;
  /** With `everyNode`: the nodes that could not be queried or do not have the whole chain yet, for display. */
  unsure?: string;
}

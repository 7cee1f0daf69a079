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
  /**
   * The decoded result; null if there is no result. Also null if the result cannot be decoded: `figures.returned` then
   * contains the raw value.
   */
  result: Json;
  fee?: bigint;
  figures?: JsonObject;
  /** Reasons why sending the operation may have a different effect than this result. For display. */
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
 * Origin and effect of a transaction. The host uses these members to compare an external transaction with an
 * action. Return all of them or none.
 */
export interface TransactionOrigin {
  /** The sender's account. */
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
   * Ids of the transactions in blocks above `since` that the account may have signed, newest first, at most
   * 20,000. The list may contain transactions that the account did not sign: the host checks unknown ids with
   * `signersOf`.
   */
  txIds: string[];
  /** Height of the newest block that was read. */
  head: number;
  /**
   * The list is complete up to this height: no transaction at or below it will be listed later. If a node's
   * index may lag, return a height below `head`.
   */
  completeTo: number;
  /**
   * Above this height, no transaction that was signed before this call can be executed. Absent if signed
   * transactions do not expire.
   */
  expiresBy?: number;
  /** Why the list may lack transactions, for display. Name the node. Absent if the list is complete. */
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

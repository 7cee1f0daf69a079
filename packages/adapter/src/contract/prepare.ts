import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';
import type { Round, WalletIdentity } from './wallets.ts';

/**
 * `plan` and `secret` are the values that `check` returned. `actionId` serves as the idempotency key for adapters that
 * hold keys themselves.
 */
export interface PrepareRequest {
  actionId: string;
  wallet: WalletIdentity;
  /** The same wallets as in `check`. */
  others?: WalletIdentity[];
  plan: JsonObject;
  secret?: JsonObject;
  /** Set if `capabilities.sequence` is `account`. */
  sequence?: bigint;
  /**
   * Transactions without a final outcome whose claims the new transaction must not hold. Contains the
   * wallet's transactions, including those that another server signed, and transactions of other wallets that
   * hold claims of this action's discarded transactions. Absent if there are none.
   */
  unsettled?: readonly ClaimingTransaction[];
  /**
   * Earlier transactions of the same action that may still be executed. The new transaction must hold a claim
   * that all of them hold, so that at most one is executed. Absent if there are none.
   */
  earlier?: readonly ClaimingTransaction[];
}

/** A signed transaction and its claims. */
export interface ClaimingTransaction {
  txId: string;
  claims: readonly string[];
}

export type AttemptKind = 'main' | 'bump' | 'noop';

export type Prepared =
  | { status: 'prepared'; attempts: { kind: AttemptKind; round: Round<SignedTransaction> }[] }
  | { status: 'failed'; problem: AdapterProblem };

/**
 * `mayContinue` and `validUntil` require `capabilities.sequence: 'none'`. If either is set, the host keeps
 * the data that it needs to sign again.
 */
export interface SignedTransaction {
  /** Unique on its chain, at most 512 characters, case-sensitive. */
  txId: string;
  /** Complete bytes: anyone can send them to any node, any number of times, without a key. */
  bytes: Uint8Array;
  /** The maximum native currency that this transaction can take from the wallet. */
  cost: bigint;
  /** Whether the outcome may be `continue`. */
  mayContinue?: boolean;
  /** The last height at which the ledger can execute the transaction. Its outcome may be `expired`. */
  validUntil?: number;
  /**
   * Claims, for example the coins that the transaction spends: `<txid>:0`. The ledger executes at most one of the
   * transactions that hold a claim. Claims are unique on the chain and have at most 512 characters each. With account
   * sequences, omit them: the host assigns `nonceClaim(sequence)`. If absent, no other transaction conflicts
   * with this transaction.
   *
   * While a transaction has no outcome, no transaction of another action may hold one of its claims. If two
   * transactions are prepared with the same claim, the host stores only one. It discards the bytes of the
   * other and prepares that action again.
   */
  claims?: readonly string[];
  /**
   * Transactions whose outputs this transaction spends, so that they must execute first. Name them even if
   * they are final. If the host did not sign a needed transaction, also name its parents, as far back as a
   * reorg may reach. If a needed transaction can never execute, this transaction cannot either. Include the
   * claims of each needed transaction unless you know that the host signed it.
   */
  needs?: readonly ClaimingTransaction[];
}

/**
 * Returns the claim of a transaction with an account sequence, relative to the account of the transaction.
 */
export function nonceClaim(sequence: bigint | number): string {
  return `nonce:${sequence}`;
}

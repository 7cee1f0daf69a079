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
   * Transactions without a final outcome whose claims the new transaction must not hold. These are the
   * wallet's transactions, including those that another server signed, and transactions of other wallets that
   * took the claims of this action's discarded transactions. Absent if there are none.
   */
  unsettled?: readonly ClaimingTransaction[];
  /**
   * Earlier transactions of the same action that may still be executed. The new transaction must hold a claim
   * that all of them hold, so that at most one is executed. Absent if there are none.
   */
  earlier?: readonly ClaimingTransaction[];
}

/** A signed transaction with what it excludes. */
export interface ClaimingTransaction {
  txId: string;
  claims: readonly string[];
}

export type AttemptKind = 'main' | 'bump' | 'noop';

export type Prepared =
  | { status: 'prepared'; attempts: { kind: AttemptKind; round: Round<SignedTransaction> }[] }
  | { status: 'failed'; problem: AdapterProblem };

/**
 * `mayContinue` and `validUntil` require `capabilities.sequence: 'none'`. With either, the host keeps the
 * data for signing again.
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
   * Claims: for each key, the ledger executes at most one transaction that holds it. For example the coins
   * that the transaction spends: `<txid>:0`.
   * Unique on the chain, each at most 512 characters. With account sequences, omit them: the host assigns
   * `nonceClaim(sequence)`. If absent, the transaction excludes no others.
   *
   * While a transaction has no outcome, no transaction of another action may hold one of its claims. If two
   * are prepared with the same claim, the host stores one of them. It discards the bytes of the other, and
   * prepares its action again.
   */
  claims?: readonly string[];
  /**
   * Transactions that must execute before this one, because it spends what they create. Name them even if
   * they are final. Also name the parents of those that the host did not sign, as far back as a reorg may
   * reach. If one of them can never execute, neither can this transaction. Include their claims unless you
   * know that the host signed them.
   */
  needs?: readonly ClaimingTransaction[];
}

/**
 * Returns the claim of a transaction with an account sequence, relative to the account of the transaction.
 */
export function nonceClaim(sequence: bigint | number): string {
  return `nonce:${sequence}`;
}

import type { ClaimingTransaction } from './prepare.ts';
import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';

/** A block. On ledgers without forks, `hash` may be any string that identifies the position. */
export interface Head {
  height: number;
  hash: string;
}

/** Position in the confirmed part of the chain. */
export type Cursor = Head;

/** `note` is the note that `submit` returned. `validUntil`, `claims` and `needs` are those of the signed transaction. */
export interface PendingTransaction {
  address: string;
  sequence?: bigint;
  note?: string;
  validUntil?: number;
  claims?: readonly string[];
  needs?: readonly ClaimingTransaction[];
}

export interface ConfirmRequest {
  /** The cursor that the last call returned. Null on the first call, or if the host lost the cursor. */
  cursor: Cursor | null;
  /** All transactions without an outcome, by id. */
  pending: ReadonlyMap<string, PendingTransaction>;
}

export interface Confirmed {
  cursor: Cursor;
  head: Head;
  outcomes: Outcome[];
  /**
   * Whether a reorg removed the cursor's block from the chain. If so, the host passes all unfinished and
   * recent transactions again.
   */
  reorganised: boolean;
  /**
   * Why transactions have no outcome yet, for display. Repeat a remark in each response while it applies.
   * Remarks do not affect any decision.
   */
  remarks?: Remark[];
  /**
   * Faults of single nodes while the ledger as a whole works, for display. Name the node, and repeat a
   * warning while it applies.
   */
  warnings?: string[];
  /**
   * Current price of a unit of gas, in the smallest unit of the native currency, for display. Absent on ledgers without
   * gas. Do not query a node only for this.
   */
  gasPrice?: bigint;
  /**
   * Slot of the head, for ledgers whose slots may have no block. The host only displays the slot, so do not
   * query a node for it.
   */
  slot?: number;
}

export interface Remark {
  txId: string;
  detail: string;
}

interface Final {
  txId: string;
  height: number;
  blockHash: string;
}

interface Executed {
  txId: string;
  /** The transaction's block. If absent, the host shows no block. */
  height?: number;
  blockHash?: string;
  /** Block time according to the ledger, in ms since the epoch; absent if its blocks have no time. */
  blockTime?: number;
  /**
   * The fee paid, in native currency. Absent if it is unknown or the ledger has no fees. Zero if the
   * transaction was free.
   */
  fee?: bigint;
  /** The ledger's transaction id, if it differs from `txId`. */
  locator?: string;
  /** Additional data for the caller, for example the result of a call. */
  details?: JsonObject;
}

/** Final. Return an outcome only at the ledger's confirmation depth. */
export type Outcome =
  | (Executed & { status: 'succeeded'; contractAddress?: string })
  | (Executed & { status: 'failed'; problem: AdapterProblem })
  /**
   * This transaction is final, and the action needs another one, prepared from `plan` after `delay` ms: its
   * next step, or a new attempt after an invalid one. A transaction with claims that is neither `executed`
   * nor `expired` may still be executed after a reorg. So the next transaction must hold a claim that all
   * `earlier` transactions hold.
   */
  | (Final & {
      status: 'continue';
      plan: JsonObject;
      /** The reason, for display. */
      detail: string;
      /**
       * Whether the ledger has executed part of the action. If so, the action continues even after its
       * deadline.
       */
      executed?: boolean;
      /**
       * Whether the transaction can never be executed, not even after a reorg deeper than the confirmation
       * depth.
       */
      expired?: boolean;
      delay?: number;
    })
  /**
   * The chain has passed `validUntil` at confirmation depth without the transaction, so its bytes can never execute.
   * `height` is above `validUntil`.
   */
  | (Final & { status: 'expired' })
  /**
   * Another transaction (`by`) used `claim` and is in a block at confirmation depth. `claim` is a claim of
   * this transaction, or of a transaction in its `needs`. Do not return this outcome only because the
   * transaction is missing. With account sequences, `claim` is `nonceClaim(sequence)`. An action fails when
   * all its transactions are superseded. The host then also ends the transactions of other actions that need
   * them.
   */
  | (Final & { status: 'superseded'; claim: string; by?: string });

import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';

/** Position in the confirmed part of the chain. */
export interface Cursor {
  /** Grows with the chain. */
  height: number;
  /** The block's hash; where there are no forks, any text that tells the position. Opaque to the host. */
  hash: string;
}

export interface Head {
  height: number;
  hash: string;
}

export interface PendingTransaction {
  address: string;
  sequence?: bigint;
  /** As `submit` gave it. */
  note?: string;
  /** As it was signed (`SignedTransaction`). */
  validUntil?: number;
}

export interface ConfirmRequest {
  /** Where the last call ended; null at the start and after a restart of the host that lost it. */
  cursor: Cursor | null;
  /** Every transaction that waits for its outcome, by id. Read, never changed or kept. */
  pending: ReadonlyMap<string, PendingTransaction>;
}

export interface Confirmed {
  cursor: Cursor;
  head: Head;
  outcomes: Outcome[];
  /** The cursor's block is no longer part of the chain: send everything unfinished or recent again. */
  reorganised: boolean;
  /** Transactions that have no outcome for a reason that people should know, anew in each answer as long as it holds. */
  remarks?: Remark[];
  /**
   * Faults of single nodes while the ledger is served, naming them, anew in each answer as long as they hold. For
   * people: shown where readiness is asked for. No secrets.
   */
  warnings?: string[];
}

/** Why a transaction has no outcome yet. Shown to whoever asks after its action; decides nothing. */
export interface Remark {
  txId: string;
  /** For people. No secrets. */
  detail: string;
}

/** Final. Given only at the ledger's confirmation depth. */
export type Outcome =
  | {
      txId: string;
      status: 'succeeded';
      height: number;
      blockHash: string;
      contractAddress?: string;
      /** Paid, in native currency. */
      fee?: bigint;
      /** The ledger's transaction id where it is not `txId`. */
      locator?: string;
      /** More for the caller, e.g. the result of the call. No secrets. */
      details?: JsonObject;
    }
  | {
      txId: string;
      status: 'failed';
      height: number;
      blockHash: string;
      problem: AdapterProblem;
      fee?: bigint;
      locator?: string;
      details?: JsonObject;
    }
  /**
   * This transaction is over, and the action needs another one: its next step, or a new try where the ledger took it as
   * invalid. The host stores the new plan and prepares the action again, under the same id; an action has at most a
   * hundred transactions.
   */
  | {
      txId: string;
      status: 'continue';
      height: number;
      blockHash: string;
      plan: JsonObject;
      /** Why, for people. */
      detail: string;
      /**
       * Something of the action stands on the ledger by now. Its deadline, which bounds the time until then, does not
       * stop what is half done.
       */
      executed?: boolean;
      /** Milliseconds to wait before. */
      delay?: number;
    }
  /**
   * The chain has passed `validUntil`, which this transaction had, at confirmation depth without it: `height`, a final
   * block's, is above it. So it is certain that its bytes never execute, whoever holds them. The host prepares the action
   * again, by the plan that it was prepared by and under the same id; as for `continue`, at most a hundred times.
   */
  | { txId: string; status: 'expired'; height: number; blockHash: string }
  /**
   * Another transaction, which was seen in a block at depth and is none of those that are pending, took its sequence. That
   * a ledger shows nothing of this one is not enough. `by`: the id of that transaction, where one can be named.
   */
  | { txId: string; status: 'superseded'; height: number; blockHash: string; by?: string };

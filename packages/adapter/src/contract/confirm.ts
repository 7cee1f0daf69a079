import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';

/** A block. Where there are no forks, `hash` is any text that tells the position. */
export interface Head {
  height: number;
  hash: string;
}

/** Position in the confirmed part of the chain. */
export type Cursor = Head;

/** `note` as `submit` gave it, `validUntil` as it was signed. */
export interface PendingTransaction {
  address: string;
  sequence?: bigint;
  note?: string;
  validUntil?: number;
}

export interface ConfirmRequest {
  /** Where the last call ended; null at the start, and where the host lost it. */
  cursor: Cursor | null;
  /** Every transaction that waits for its outcome, by id. */
  pending: ReadonlyMap<string, PendingTransaction>;
}

export interface Confirmed {
  cursor: Cursor;
  head: Head;
  outcomes: Outcome[];
  /** The cursor's block is no longer part of the chain: send everything unfinished or recent again. */
  reorganised: boolean;
  /** Why transactions have no outcome yet, for people, anew in each answer as long as it holds. Decides nothing. */
  remarks?: Remark[];
  /** Faults of single nodes while the ledger is served, naming them, for people, as long as they hold. */
  warnings?: string[];
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

interface Executed extends Final {
  /** When the ledger says that the block was made, in ms since the epoch; absent where blocks have no time. */
  blockTime?: number;
  /** Paid, in native currency. */
  fee?: bigint;
  /** The ledger's transaction id where it is not `txId`. */
  locator?: string;
  /** More for the caller, e.g. the result of the call. */
  details?: JsonObject;
}

/** Final. Given only at the ledger's confirmation depth. */
export type Outcome =
  | (Executed & { status: 'succeeded'; contractAddress?: string })
  | (Executed & { status: 'failed'; problem: AdapterProblem })
  /** Over, and the action needs another one by this plan, after `delay` ms: its next step, or what was invalid anew. */
  | (Final & {
      status: 'continue';
      plan: JsonObject;
      /** Why, for people. */
      detail: string;
      /** Something of it stands on the ledger: its deadline does not stop what is half done. */
      executed?: boolean;
      delay?: number;
    })
  /** The chain is past `validUntil`, at depth and without it: its bytes never execute. `height`: above it. */
  | (Final & { status: 'expired' })
  /** One that is none of the pending (`by`) was seen in a block at depth with its sequence. Showing nothing is not enough. */
  | (Final & { status: 'superseded'; by?: string });

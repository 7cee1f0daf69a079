import type { JsonObject } from '@ledger-ops/adapter';
import QuickLRU from 'quick-lru';
import type { TransactionContent } from '../gateway/transaction-content.ts';

/** The first of consecutive refusals. No other answer was received since. */
export interface Refusals {
  /** Number of the newest configuration block at that time. */
  config: number;
  /** ms since the epoch. */
  since: number;
  /** Whether all of these refusals follow from the bytes and the configuration. */
  fromConfig: boolean;
}

/**
 * Data of a transaction that this session has seen. It is only a cache: the outcome can also be determined by
 * queries.
 */
export interface CachedTransaction {
  channel: string;
  /**
   * The content, cached when the transaction was endorsed or sent, if it is small. Undefined for steps that
   * are not transactions.
   */
  content?: TransactionContent;
  /** Set if the action may need another transaction after this one. */
  plan?: JsonObject;
  /**
   * Whether the bytes were read by this session. If so, and `plan` is missing, the bytes do not contain a
   * plan.
   */
  seen: boolean;
  /**
   * Whether this session was the first to send the transaction, and followed its channel's blocks before that. If so,
   * no earlier block contains the transaction.
   */
  first: boolean;
  /** When an orderer last accepted the transaction, in milliseconds since the epoch. */
  sentAt?: number;
  /** The refusals, if the newest sends had no other answers. */
  refusals?: Refusals | undefined;
  /**
   * Whether an installation (which is not a transaction) is complete: all peers of the organization have the
   * chaincode.
   */
  installed?: boolean;
}

export interface TransactionCache {
  get(txId: string): CachedTransaction | undefined;
  /** Merges data into the cached transaction. */
  know(txId: string, more: Partial<CachedTransaction> & { channel: string }): CachedTransaction;
  forget(txId: string): void;
}

export function createTransactionCache(limit = 20_000): TransactionCache {
  const known = new QuickLRU<string, CachedTransaction>({ maxSize: limit });
  return {
    get: (txId) => known.get(txId),
    know(txId, more) {
      const one: CachedTransaction = { seen: false, first: false, ...known.get(txId), ...more };
      known.set(txId, one);
      return one;
    },
    forget: (txId) => known.delete(txId),
  };
}

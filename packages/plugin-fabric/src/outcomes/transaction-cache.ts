import type { JsonObject } from '@ledger-ops/adapter';
import QuickLRU from 'quick-lru';
import type { TransactionContent } from '../gateway/transaction-content.ts';

/** The start of consecutive refusals without any other answer. */
export interface Refusals {
  /** Number of the newest configuration block at that time. */
  config: number;
  /** ms since the epoch. */
  since: number;
  /** Whether all of them follow from the bytes and the configuration. */
  fromConfig: boolean;
}

/** What this session knows about a transaction, so that its outcome needs no query. A cache: any of it may be lost. */
export interface CachedTransaction {
  channel: string;
  /** Stored when it was endorsed or sent, if small; undefined for steps that are not transactions. */
  content?: TransactionContent;
  /** Set if the action may need another transaction after this one. */
  plan?: JsonObject;
  /** Whether the bytes were seen here: if so, a missing `plan` is not in them either. */
  seen: boolean;
  /** Whether this session sent it first, after following its blocks: no earlier block contains it. */
  first: boolean;
  /** When an orderer last accepted it, ms since the epoch. */
  sentAt?: number;
  /** The answers of the last sends, if all of them were refusals. */
  refusals?: Refusals | undefined;
  /** Whether an installation, which is not a transaction, is done: all peers of the organization have the chaincode. */
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

import type { JsonObject } from '@ledger-ops/adapter';
import QuickLRU from 'quick-lru';
import type { TransactionContent } from '../gateway/transaction-content.ts';

/** The beginning of a row of refusals with no other answer among them. */
export interface Refusals {
  /** Number of the newest configuration block at that time. */
  config: number;
  /** ms since the epoch. */
  since: number;
  /** All of them follow from the bytes and the configuration. */
  fromConfig: boolean;
}

/** A transaction as this session knows it, so that its outcome needs no query. Any of it may be lost. */
export interface CachedTransaction {
  channel: string;
  /** Read when it was endorsed or sent, where it is small; absent for what is no transaction. */
  content?: TransactionContent;
  /** Of an action that may go on after it. */
  plan?: JsonObject;
  /** The bytes were seen here: what is not in `plan` is not in them either. */
  seen: boolean;
  /** It was first sent by this session, after its blocks were followed: no earlier block holds it. */
  first: boolean;
  /** When an orderer took it last, ms since the epoch. */
  sentAt?: number;
  /** The last sends' answers, where all of them were refusals. */
  refusals?: Refusals | undefined;
  /** It is no transaction, and it is done: all peers of the organization have the chaincode. */
  installed?: boolean;
}

export interface TransactionCache {
  get(txId: string): CachedTransaction | undefined;
  /** Adds to what is known. */
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

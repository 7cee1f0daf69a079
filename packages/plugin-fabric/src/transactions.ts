import type { JsonObject } from '@ledger-ops/adapter';
import { createLru } from './lru.ts';
import type { Refusals } from './refusal.ts';
import type { TransactionContent } from './transaction-content.ts';

/** What this session knows of a transaction, so that its outcome needs no question. Nothing of it may not be lost. */
export interface KnownTransaction {
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
  /** What the last sends were answered, where all of them were refused. */
  refusals?: Refusals | undefined;
  /** It is no transaction, and it is done: all peers of the organization have the chaincode. */
  installed?: boolean;
}

export interface Transactions {
  get(txId: string): KnownTransaction | undefined;
  /** Adds to what is known. */
  know(txId: string, more: Partial<KnownTransaction> & { channel: string }): KnownTransaction;
  forget(txId: string): void;
}

export function createTransactions(limit = 20_000): Transactions {
  const known = createLru<string, KnownTransaction>(limit);
  return {
    get: (txId) => known.get(txId),
    know(txId, more) {
      const one: KnownTransaction = { seen: false, first: false, ...known.get(txId), ...more };
      known.set(txId, one);
      return one;
    },
    forget: (txId) => known.delete(txId),
  };
}

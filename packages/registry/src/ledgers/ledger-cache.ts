import type { Store } from '@ledger-ops/store';
import { ledgerCounter } from '../revision.ts';
import { createRevisionCache } from '../revision-cache.ts';
import type { LedgerRecord } from '../types.ts';
import { readLedgers } from './ledgers.ts';
import type { SecretBox } from './properties/secrets.ts';

/** All ledgers at one revision. */
export interface LedgerView {
  all: readonly LedgerRecord[];
  byUid: ReadonlyMap<string, LedgerRecord>;
  /** An id maps to several ledgers if several projects use it. */
  byLedgerId: ReadonlyMap<string, readonly LedgerRecord[]>;
}

/** Caches all ledgers in memory. The result includes every change that any server committed before the call. */
export function createLedgerCache(store: Store, secrets: SecretBox): () => Promise<LedgerView> {
  return createRevisionCache(store, ledgerCounter, async (queries) => {
    const all = await readLedgers(queries, secrets);
    return {
      all,
      byUid: new Map(all.map((record) => [record.uid, record])),
      byLedgerId: Map.groupBy(all, (record) => record.ledgerId),
    };
  });
}

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
  /** Several where projects use the same id. */
  byLedgerId: ReadonlyMap<string, readonly LedgerRecord[]>;
}

/** Keeps all ledgers in memory, as of each call or later. */
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

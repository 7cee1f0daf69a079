import { coalesce } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { readRevision } from '../revision.ts';
import type { LedgerRecord } from '../types.ts';
import { readLedgers } from './ledgers.ts';
import type { SecretBox } from './secrets.ts';

/** All ledgers at one revision. */
export interface LedgerView {
  revision: number;
  all: readonly LedgerRecord[];
  byUid: ReadonlyMap<string, LedgerRecord>;
  /** Several where projects use the same id. */
  byLedgerId: ReadonlyMap<string, readonly LedgerRecord[]>;
}

/**
 * Keeps all ledgers in memory. Each call costs one cheap read of the revision, shared by those who ask at once;
 * a change is seen at the next call, on every server.
 */
export function createLedgerCache(store: Store, secrets: SecretBox): () => Promise<LedgerView> {
  let view: LedgerView | undefined;
  return coalesce(async () => {
    let revision = await readRevision(store);
    while (view?.revision !== revision) {
      const all = await readLedgers(store.read, secrets);
      // A change between the two reads of a view would tear it.
      const after = await readRevision(store);
      if (after === revision) view = viewOf(revision, all);
      revision = after;
    }
    return view;
  });
}

function viewOf(revision: number, all: LedgerRecord[]): LedgerView {
  return {
    revision,
    all,
    byUid: new Map(all.map((record) => [record.uid, record])),
    byLedgerId: Map.groupBy(all, (record) => record.ledgerId),
  };
}

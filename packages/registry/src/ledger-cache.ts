import { coalesce } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { readLedgers } from './ledgers.ts';
import { readRevision } from './revision.ts';
import type { LedgerRecord } from './types.ts';

/** All ledgers at one revision. */
export interface LedgerView {
  revision: number;
  all: readonly LedgerRecord[];
  byUid: ReadonlyMap<string, LedgerRecord>;
  byLedgerId: ReadonlyMap<string, LedgerRecord>;
}

/**
 * Keeps all ledgers in memory. Each call costs one cheap read of the revision, shared by those who ask at once;
 * a change is seen at the next call, on every server.
 */
export function createLedgerCache(store: Store): () => Promise<LedgerView> {
  let view: LedgerView | undefined;
  return coalesce(async () => {
    let revision = await readRevision(store);
    while (view?.revision !== revision) {
      const all = await readLedgers(store.read);
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
    byLedgerId: new Map(all.map((record) => [record.ledgerId, record])),
  };
}

import { coalesce } from '@ledger-ops/auth';
import type { Queries, Store } from '@ledger-ops/store';
import { readCounter } from './revision.ts';

/**
 * Keeps what a counter stands for in memory. Each call costs one cheap read of the counter, shared by those who ask
 * at once; a change is seen at the next call, on every server.
 *
 * @param counter grows in the transaction of every change to what `load` reads
 */
export function createRevisionCache<Value>(
  store: Store,
  counter: string,
  load: (queries: Queries) => Promise<Value>,
): () => Promise<Value> {
  let held: { revision: number; value: Value } | undefined;
  return coalesce(store, async () => {
    let revision = await readCounter(store, counter);
    while (held?.revision !== revision) {
      const value = await load(store.read);
      // A change between the two reads would tear what was loaded.
      const after = await readCounter(store, counter);
      if (after === revision) held = { revision, value };
      revision = after;
    }
    return held.value;
  });
}

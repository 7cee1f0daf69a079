import { coalesce, type Queries, type Store } from '@ledger-ops/store';

/**
 * Caches the result of `load` in memory. Each call reads the counter, which is cheap and shared by
 * concurrent calls. Every server sees a change from its next call on.
 *
 * @param counter must increase in the transaction of every change to what `load` reads
 */
export function createRevisionCache<Value>(
  store: Store,
  counter: string,
  load: (queries: Queries) => Promise<Value>,
): () => Promise<Value> {
  let held: { revision: number; value: Value } | undefined;
  return coalesce(store, async () => {
    let revision = await store.counter(counter);
    while (held?.revision !== revision) {
      const value = await load(store.read);
      // If the counter changed during the load, the result may be inconsistent, so load again.
      const after = await store.counter(counter);
      if (after === revision) held = { revision, value };
      revision = after;
    }
    return held.value;
  });
}

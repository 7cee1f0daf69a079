import type { Store, Tx } from '@ledger-ops/store';

/**
 * Must be called first in every change to access. It locks a row, which also serializes these changes. So the
 * conditions that a change checks (a parent exists, a resource has no children) stay true until its commit.
 */
export async function bumpAccess(tx: Tx): Promise<void> {
  await tx.run(
    "insert into counter (name, value) values ('access', 1) on conflict (name) do update set value = counter.value + 1",
  );
}

/**
 * Cache of everything that was read since the last change to access. The next change discards it.
 */
export interface AccessVersion<State> {
  /**
   * Reads the access counter and returns the cached state, or a fresh one if the counter changed.
   * Data loaded afterwards is at least as new as this counter, so the caller may cache it in the
   * returned state.
   */
  current(): Promise<State>;
}

/**
 * Creates a cache that reads the counter on each call, which is cheap, instead of using a time to
 * live. After a change, the next call on any server that shares the database sees it.
 */
export function createAccessVersion<State>(store: Store, fresh: () => State): AccessVersion<State> {
  let version: number | undefined;
  let state = fresh();
  return {
    async current() {
      const now = await store.counter('access');
      if (now !== version) {
        version = now;
        state = fresh();
      }
      return state;
    },
  };
}

import type { Store, Tx } from '@ledger-ops/store';

/**
 * Must be called first in every change to access. Its row also serializes these changes, so that what they
 * check (a parent exists, a resource has no children) stays true until the commit.
 */
export async function bumpAccess(tx: Tx): Promise<void> {
  await tx.run(
    "insert into counter (name, value) values ('access', 1) on conflict (name) do update set value = counter.value + 1",
  );
}

/** Cache of everything read since the last change to access; the next change discards all of it. */
export interface AccessVersion<State> {
  /**
   * Returns the cached state for the database's access counter, which is read after this call began. Data loaded after
   * the call is at least as new as the counter, so it may be cached in the returned state.
   */
  current(): Promise<State>;
}

/**
 * Invalidation costs one cheap read per call instead of a time to live: the next call on any server that
 * shares the database sees a change.
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

import type { Store, Tx } from '@ledger-ops/store';

/**
 * To be called first in every change to access. Its row is also the lock under which such changes take place
 * one after the other, so that what they check (a parent exists, a resource has no children) stays true.
 */
export async function bumpAccess(tx: Tx): Promise<void> {
  await tx.run(
    "insert into counter (name, value) values ('access', 1) on conflict (name) do update set value = counter.value + 1",
  );
}

/** Everything remembered since the last change to access; thrown away whole at the next one. */
export interface AccessVersion<State> {
  /**
   * The state that belongs to the database's access counter as of this call or later. What a caller loads
   * afterwards is at least as new as the counter, so it may be kept in the state that it was given.
   */
  current(): Promise<State>;
}

/**
 * One cheap read per call instead of a time to live: a change is seen at the next call on every server that
 * shares the database.
 */
export function createAccessVersion<State>(store: Store, fresh: () => State): AccessVersion<State> {
  let version: number | undefined;
  let state = fresh();
  return {
    current: coalesce(store, async () => {
      const [row] = await store.read.all<{ value: number }>(
        "select value from counter where name = 'access'",
      );
      const now = row?.value ?? 0;
      if (now !== version) {
        version = now;
        state = fresh();
      }
      return state;
    }),
  };
}

/**
 * Calls of one turn of the event loop share one read, until something is committed here: whatever is handled in a turn
 * arrived before it began. A read of an earlier turn that is still under way is not joined, since it may have looked
 * before the caller asked; those who come meanwhile share the next one.
 */
export function coalesce<T>(store: Pick<Store, 'ended'>, read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let shared: Promise<T> | undefined;
  let ended = 0;
  const start = async () => {
    await underWay.catch(() => undefined);
    setImmediate(() => {
      shared = undefined;
    });
    const reading = read();
    underWay = reading;
    return await reading;
  };
  return () => {
    if (shared === undefined || ended !== store.ended()) {
      ended = store.ended();
      shared = start();
    }
    return shared;
  };
}

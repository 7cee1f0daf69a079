import type { Store } from '@ledger-ops/store';
import type { FaultPoint, Faults } from '../src/rows/faults.ts';

/** A process that ends at a fault point, as far as its engine and its database are concerned. */
export interface Crash {
  /** To be given to the engine that is to end. */
  store: Store;
  faults: Faults;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

/** Thrown by every call from then on. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** Ends what uses it at the n-th time that `point` is reached: from then on nothing is written or read. */
export function crashAt(store: Store, point: FaultPoint, times = 1): Crash {
  const { promise, resolve } = Promise.withResolvers<void>();
  let dead = false;
  let left = times;
  const alive = () => {
    if (dead) throw new Killed(`The process ended at ${point}.`);
  };
  return {
    ended: promise,
    faults(reached) {
      alive();
      if (reached !== point) return;
      left -= 1;
      if (left > 0) return;
      dead = true;
      resolve();
      alive();
    },
    store: {
      ...store,
      dialect: store.dialect,
      read: {
        ...store.read,
        get db() {
          alive();
          return store.read.db;
        },
        dialect: store.read.dialect,
        t: store.read.t,
        all: async (...given) => {
          alive();
          return store.read.all(...given);
        },
      },
      transaction: async (work) => {
        alive();
        return store.transaction(async (tx) => {
          alive();
          const result = await work(tx);
          alive();
          return result;
        });
      },
      now: () => store.now(),
      notify: (...given) => {
        if (!dead) store.notify(...given);
      },
      listen: (topic, listener) => store.listen(topic, (payload) => (dead ? undefined : listener(payload))),
      // The store belongs to whoever opened it.
      close: async () => undefined,
    },
  };
}

import type { Store } from '@ledger-ops/store';
import type { FaultPoint, Faults } from '../src/rows/faults.ts';

/** A simulated crash at a fault point. After it, the engine's calls to the store and to `faults` fail. */
export interface Crash {
  /** The store for the engine that will crash. */
  store: Store;
  faults: Faults;
  /** Resolves at the crash. */
  readonly ended: Promise<void>;
}

/** Every call after the crash throws this error. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** Simulates a crash when `point` is reached for the nth time: after that, nothing can be read or written. */
export function crashAt(store: Store, point: FaultPoint, times = 1): Crash {
  const { promise, resolve } = Promise.withResolvers<void>();
  let dead = false;
  let left = times;
  const alive = () => {
    if (dead) throw new Killed(`The process crashed at ${point}.`);
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
      // The store is closed by the test that opened it.
      close: async () => undefined,
    },
  };
}

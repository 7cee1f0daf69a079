import type { MemoryLedger } from '@ledger-ops/adapter-kit/memory';

/** Returns a ledger that forwards each call to the node that `state.first` is at the time of the call. */
export function switchingLedger(state: { first: MemoryLedger }): MemoryLedger {
  return new Proxy(state.first, {
    get(_, name) {
      const value: unknown = Reflect.get(state.first, name);
      return typeof value === 'function' ? value.bind(state.first) : value;
    },
    set: (_, name, value) => Reflect.set(state.first, name, value),
  });
}

import { AdapterError, type LedgerSession } from '@ledger-ops/adapter';

/** Calls that wait for nobody. */
const unmetered: ReadonlySet<PropertyKey> = new Set(['onHead', 'close']);

/**
 * The same session; each of its calls is told when it has ended.
 * @param told `result`: `ok`, or the code of its error; `thrown` for an error that is no AdapterError
 */
export function meteredSession(
  session: LedgerSession,
  told: (method: string, result: string, milliseconds: number) => void,
): LedgerSession {
  const wrapped = new Map<PropertyKey, (...given: unknown[]) => Promise<unknown>>();

  return new Proxy(session, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function' || typeof name === 'symbol' || unmetered.has(name)) return member;
      let timed = wrapped.get(name);
      if (timed === undefined) {
        timed = async (...given) => {
          const started = performance.now();
          let result = 'ok';
          try {
            return await Reflect.apply(member, target, given);
          } catch (error) {
            result = error instanceof AdapterError ? error.code : 'thrown';
            throw error;
          } finally {
            told(name, result, performance.now() - started);
          }
        };
        wrapped.set(name, timed);
      }
      return timed;
    },
  });
}

import type { Store } from './types.ts';

/**
 * Returns a function whose calls share one read if they are made in the same turn of the event loop: everything that is
 * handled in a turn arrived before the turn began. A commit in this process ends the sharing. A call does not share a
 * read that an earlier turn started, because the read may have been done before the call. Calls that arrive during such
 * a read share the next read.
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

import type { AdapterHost } from '../contract/definition.ts';
import type { AdapterError } from '../error.ts';

/** From the opening of a session to its end, which the host brings about by `close` or by its signal. */
export interface Life {
  isOver(): boolean;
  /** Runs a call; it ends with the life, whether its ledger answers or not. */
  run<Result>(call: () => Promise<Result>, over: () => AdapterError): Promise<Result>;
  close(): Promise<void>;
}

/** @param end told to the author's session when it is over. */
export function createLife(host: AdapterHost, end: AbortController, close: () => unknown): Life {
  /** Of the calls that are under way. */
  const leaving = new Set<() => void>();
  let closing: Promise<void> | undefined;
  const onAbort = () => void life.close().catch(() => undefined);

  const life: Life = {
    isOver: () => end.signal.aborted,
    run<Result>(call: () => Promise<Result>, over: () => AdapterError) {
      if (end.signal.aborted) return Promise.reject(over());
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const leave = () => reject(over());
      leaving.add(leave);
      void call()
        .then(resolve, reject)
        .finally(() => leaving.delete(leave));
      return promise;
    },
    close() {
      closing ??= (async () => {
        host.signal.removeEventListener('abort', onAbort);
        end.abort();
        for (const leave of leaving) leave();
        await close();
      })();
      return closing;
    },
  };
  host.signal.addEventListener('abort', onAbort);
  if (host.signal.aborted) onAbort();
  return life;
}

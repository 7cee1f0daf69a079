import type { AdapterHost } from '../contract/definition.ts';
import type { AdapterError } from '../error.ts';

/** The lifetime of a session. The host ends it with `close` or the signal. */
export interface Life {
  isOver(): boolean;
  /** Runs a call. When the session ends, the call fails immediately, even if the ledger has not responded. */
  run<Result>(call: () => Promise<Result>, over: () => AdapterError): Promise<Result>;
  close(): Promise<void>;
}

/** @param end aborts the signal that the author's session received */
export function createLife(host: AdapterHost, end: AbortController, close: () => unknown): Life {
  /** Functions that reject the calls in progress. */
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
      void call().then(
        (result) => {
          leaving.delete(leave);
          resolve(result);
        },
        (error: unknown) => {
          leaving.delete(leave);
          reject(error);
        },
      );
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

import type { Log } from '@ledger-ops/runtime';

/** Work that is done again and again. */
export interface Ticker {
  /** No new round begins; resolves when the one under way has ended. */
  close(): Promise<void>;
}

/** Does work every so many milliseconds, never twice at once. A failure is logged, and the next round comes. */
export function startTicker(
  milliseconds: number,
  work: () => Promise<void>,
  log: Log,
  event: string,
): Ticker {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error: unknown) => {
        log('error', event, { error: error instanceof Error ? error.name : 'unknown' });
      })
      .finally(() => {
        running = undefined;
      });
  }, milliseconds);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}

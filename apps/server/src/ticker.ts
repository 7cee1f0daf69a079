import type { Log } from '@ledger-ops/runtime';

/** A periodic task. */
export interface Ticker {
  /** Stops the ticker, and waits for the current run. */
  close(): Promise<void>;
}

/** Runs `work` periodically, never concurrently. Failures are logged and do not stop later runs. */
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

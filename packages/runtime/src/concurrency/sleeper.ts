/** Sleeps between pieces of work until it is woken. */
export interface Sleeper {
  /** Sleeps until `wake()` is called, for at most `limit` milliseconds if given. */
  sleep(limit?: number): Promise<void>;
  wake(): void;
  /** Ends the current sleep, and each later sleep immediately. */
  stop(): void;
}

export function createSleeper(): Sleeper {
  let wake: () => void = () => {};
  let stopped = false;
  return {
    async sleep(limit) {
      if (stopped) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = limit === undefined ? undefined : setTimeout(resolve, limit);
      wake = resolve;
      await promise;
      clearTimeout(timer);
    },
    wake: () => wake(),
    stop() {
      stopped = true;
      wake();
    },
  };
}

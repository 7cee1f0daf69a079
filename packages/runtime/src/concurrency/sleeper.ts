/** Sleeps between pieces of its work until something happens. */
export interface Sleeper {
  /** Until it is woken, at most so many milliseconds; absent: until then. */
  sleep(limit?: number): Promise<void>;
  wake(): void;
  /** It sleeps no more. */
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

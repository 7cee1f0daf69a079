/** Limits concurrent calls; the others wait in order. */
export interface Semaphore {
  run<Result>(call: () => Promise<Result>): Promise<Result>;
}

export function createSemaphore(limit: number): Semaphore {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    async run(call) {
      if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await call();
      } finally {
        // The permit passes directly to the next waiter, so that no later call gets it first.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

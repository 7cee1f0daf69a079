/** Lets at most so many calls be under way at once; the others wait in their order. */
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
        // The place goes to the next one at once, so that nobody comes in between.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

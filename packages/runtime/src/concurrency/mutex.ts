/** Runs pieces of work one after another, in the order in which they came. */
export interface Mutex {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work) {
      const next = last.then(work);
      last = next.catch(() => {});
      return next;
    },
  };
}

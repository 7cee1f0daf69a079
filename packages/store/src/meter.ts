/** Receives the durations of database work. It is called for every statement, so it must neither block nor throw. */
export interface StoreMeter {
  /**
   * @param what `read`: a statement outside of transactions; `write`: a statement in a transaction; `transaction`: a
   * whole transaction, including queueing, commit and retries
   */
  took(what: 'read' | 'write' | 'transaction', milliseconds: number, isDone: boolean): void;
}

/** Runs a statement and reports its duration. */
export async function measured<Result>(
  meter: StoreMeter | undefined,
  what: Parameters<StoreMeter['took']>[0],
  work: () => Promise<Result>,
): Promise<Result> {
  if (meter === undefined) return await work();
  const started = performance.now();
  let isDone = false;
  try {
    const result = await work();
    isDone = true;
    return result;
  } finally {
    meter.took(what, performance.now() - started, isDone);
  }
}

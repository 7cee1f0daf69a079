/** Hears how long the database takes. Called for every statement: it neither waits nor throws. */
export interface StoreMeter {
  /**
   * `read`: a statement outside of transactions; `write`: one within; `transaction`: a whole one, with the time for which
   * it waited for its turn, its commit and its further tries.
   */
  took(what: 'read' | 'write' | 'transaction', milliseconds: number, isDone: boolean): void;
}

/** Runs a statement, and tells how long it took. */
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

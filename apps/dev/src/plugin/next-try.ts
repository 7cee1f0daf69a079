import type { Readable } from 'node:stream';

/**
 * Waits for a change, or until the user presses Enter.
 *
 * @param nextChange resolves to true after a change, or to false if its argument resolved first
 * @returns false if `stop` came first
 */
export async function nextTry(
  nextChange: (over: Promise<unknown>) => Promise<boolean>,
  terminal: Readable | undefined,
  stop: Promise<unknown>,
): Promise<boolean> {
  const entered = Promise.withResolvers<void>();
  let isEntered = false;
  const onData = (chunk: Buffer | string) => {
    if (!chunk.includes('\n')) return;
    isEntered = true;
    entered.resolve();
  };
  terminal?.on('data', onData);
  try {
    const isChanged = await nextChange(Promise.race([stop, entered.promise]));
    return isChanged || isEntered;
  } finally {
    terminal?.off('data', onData).pause();
  }
}

/**
 * Returns a signal that is aborted with the first of the given signals. Vercel's edge runtime and older
 * browsers lack `AbortSignal.any`.
 */
export function anyOf(signals: readonly AbortSignal[]): AbortSignal {
  if ('any' in AbortSignal) return AbortSignal.any([...signals]);
  const over = new AbortController();
  for (const one of signals) {
    if (one.aborted) over.abort(one.reason);
    else one.addEventListener('abort', () => over.abort(one.reason), { signal: over.signal });
  }
  return over.signal;
}

/** Settles as the work does, or rejects with the signal's reason if it is aborted first. The work continues. */
export async function raced<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const done = () => signal.removeEventListener('abort', stop);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error);
      },
    );
  });
}

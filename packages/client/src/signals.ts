/**
 * A signal that is aborted with the first of the given signals. Vercel's edge runtime and older browsers lack
 * `AbortSignal.any`.
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

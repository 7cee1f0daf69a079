/** Pauses between tries, in milliseconds: the first, doubled with each further failure up to the longest. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

/**
 * Milliseconds to wait before the next try.
 * @param failures in a row, 1 after the first; no wait without one
 */
export function backoff(failures: number, { first, longest }: Backoff): number {
  return failures < 1 ? 0 : Math.min(longest, first * 2 ** (failures - 1));
}

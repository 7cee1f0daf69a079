/** How long to wait between tries of what fails, in milliseconds. */
export interface Backoff {
  /** After the first failure. */
  first: number;
  /** At most: each further failure in a row doubles the wait. */
  longest: number;
}

/**
 * Milliseconds to wait after so many failures in a row.
 * @param random from 0 to 1: up to half of the wait is taken off, so that many that failed together do not try together
 */
export function backoff(failures: number, { first, longest }: Backoff, random = 1): number {
  // A number of any size may come: 2 ** 1024 is infinite.
  const whole = Math.min(longest, first * 2 ** Math.min(Math.max(failures, 1) - 1, 64));
  return whole * (0.5 + random / 2);
}

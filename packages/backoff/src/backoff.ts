/** How long to wait between tries of what fails, in milliseconds. */
export interface Backoff {
  /** After the first failure. */
  readonly first: number;
  /** At most: each further failure in a row doubles the wait. */
  readonly longest: number;
}

/**
 * Milliseconds to wait after so many failures in a row; none without a failure.
 * @param random from 0 to 1: up to half of the wait is taken off, so that many that failed together do not try together
 */
export function backoff(failures: number, { first, longest }: Backoff, random = 1): number {
  if (failures < 1) return 0;
  // 2 ** 1024 is infinite, and nothing times infinity is no number.
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 64));
  return whole * (0.5 + random / 2);
}

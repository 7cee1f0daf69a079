export interface Backoff {
  /** Delay in milliseconds after the first failure. */
  readonly first: number;
  /** Maximum delay in milliseconds. Each consecutive failure doubles the delay up to this maximum. */
  readonly longest: number;
}

/**
 * Returns the delay in milliseconds after `failures` consecutive failures; 0 if there was none.
 * @param random from 0 to 1: shortens the delay by up to half, so that clients that failed together do not retry
 * together
 */
export function backoff(failures: number, { first, longest }: Backoff, random = 1): number {
  if (failures < 1) return 0;
  // The exponent is limited because 2 ** 1024 is infinite, and 0 times infinity is NaN.
  const whole = Math.min(longest, first * 2 ** Math.min(failures - 1, 64));
  return whole * (0.5 + random / 2);
}

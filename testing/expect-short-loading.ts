import { expect } from 'vitest';
import { run } from './children.ts';
import { unitOfWork, usualTurn } from './longest-block.ts';

/**
 * Maximum number of measurements. A process is measured again if a turn took too long, because other processes may have
 * slowed it down.
 */
const attempts = 4;

/** Asserts that a program that calls `printLongestTurn` blocks the event loop only for short turns. */
export async function expectShortLoading(
  program: URL,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  let longestMs = Number.POSITIVE_INFINITY;
  let limitMs = usualTurn.ms;
  for (let attempt = 0; attempt < attempts && longestMs > limitMs; attempt += 1) {
    const opening = run(program, environment);
    expect(await opening.code, opening.err()).toBe(0);
    longestMs = Math.min(longestMs, Number(opening.out()));
    limitMs = Math.max(limitMs, usualTurn.units * unitOfWork());
  }
  expect(longestMs).toBeLessThanOrEqual(limitMs);
}

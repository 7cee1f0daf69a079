import { randomInt } from 'node:crypto';
import { inject } from 'vitest';
import '../../../../testing/faults.ts';

/**
 * Deterministic integers from `least` to below `most` for a seed.
 * @param name of the test that uses them
 * @param seed by default that of `npm run test:faults`, else random: then the caller prints the numbers
 */
export function createChance(
  name: string,
  seed = inject('faults')?.seed ?? randomInt(2 ** 31),
): (least: number, most: number) => number {
  let state = seed;
  for (const character of name) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return (least, most) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return least + (((mixed ^ (mixed >>> 14)) >>> 0) % (most - least));
  };
}

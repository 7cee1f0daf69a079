import { randomInt } from 'node:crypto';
import { inject } from 'vitest';
import '../../../../testing/faults.ts';

/**
 * Creates a generator of integers from `least` to below `most`, determined by the seed and the name.
 *
 * @param name name of the test that uses the generator
 * @param seed by default the seed of `npm run test:faults`. Without one, it is random, and the caller prints
 * the numbers
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

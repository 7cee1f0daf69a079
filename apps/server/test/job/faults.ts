import { randomInt } from 'node:crypto';
import { inject } from 'vitest';
import '../../../../testing/faults.ts';

/**
 * Whole numbers from `least` to below `most`, the same ones for a seed.
 * @param name of the test that draws them
 */
export function createChance(name: string): (least: number, most: number) => number {
  // Without a seed by chance: what was drawn is printed by who draws.
  let state = inject('faults')?.seed ?? randomInt(2 ** 31);
  for (const character of name) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return (least, most) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return least + (((mixed ^ (mixed >>> 14)) >>> 0) % (most - least));
  };
}

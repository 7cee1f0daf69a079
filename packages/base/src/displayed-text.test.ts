import { expect, test } from 'vitest';
import { isMisleading, withoutMisleading } from './displayed-text.ts';

test.each([
  '\u061c',
  '\u200e',
  '\u200f',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202b',
  '\u202d',
  '\u202e',
  '\u2066',
  '\u2069',
])('finds and replaces the misleading character %j', (character) => {
  expect(isMisleading(`pay${character}lla`)).toBe(true);
  expect(withoutMisleading(`pay${character}lla`)).toBe('pay\ufffdlla');
});

test.each(['Ada', 'مؤسسة', 'שלום עולם', '日本', '👩‍💻', 'می‌خواهم'])('leaves %s unchanged', (text) => {
  expect([isMisleading(text), withoutMisleading(text)]).toEqual([false, text]);
});

import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { patternWeight } from './pattern-weight.ts';

const atom = fc.constantFrom(
  'a',
  'é',
  '.',
  '\\w',
  '\\pL',
  '\\P{Lu}',
  '[a-z]',
  '[^\\]a]',
  '[]a]',
  '[[:alpha:]b]',
  '\\Qa(\\E',
  '\\(',
  '()',
  '\\x{1F600}',
  '(?i)k',
  '^',
);
const repetition = fc.constantFrom('', '', '*', '+?', '{7}', '{3,}', '{0,40}', '{2,9}?', '{', '{,3}');
const { pattern } = fc.letrec<{ pattern: string; group: string; part: string }>((tie) => ({
  pattern: fc.array(tie('part'), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')),
  group: fc
    .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?P<n>'), tie('pattern'), fc.constantFrom(')', '|b)'))
    .map((parts) => parts.join('')),
  part: fc
    .tuple(fc.oneof({ maxDepth: 4, depthSize: 'small' }, atom, tie('group')), repetition)
    .map((parts) => parts.join('')),
}));

test('the weight of a pattern is at least the size of its program', () => {
  const size = (source: string) => {
    try {
      return RE2JS.compile(source).programSize();
    } catch {
      return 0;
    }
  };
  fc.assert(
    fc.property(pattern, (source) => {
      const weight = patternWeight(source);
      // Heavier patterns are never compiled.
      fc.pre(weight <= 8_192 && source.length <= 1_024);
      expect(size(source)).toBeLessThanOrEqual(weight + 8);
    }),
    { numRuns: 500 },
  );
});

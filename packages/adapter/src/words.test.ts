import { expect, test } from 'vitest';
import { plainProblem, plainWords, problemSaidBy, saidBy, wordLimits } from './words.ts';

test('removes control characters, direction changes and lone surrogates from strings', () => {
  expect(plainWords('a\u001b[31mb\r\nc\0\u009b2Jd\u2028e\u202ef\ud83d!')).toBe('a [31mb c 2Jd e f\ufffd!');
  expect(plainWords('  Zürich 🙂  ')).toBe('Zürich 🙂');
});

test('truncates long strings without splitting a character', () => {
  expect(plainWords('x'.repeat(1_000_000), 10)).toBe(`${'x'.repeat(9)}…`);
  expect(plainWords(`12345678🙂${'x'.repeat(90)}`, 10)).toBe('12345678…');
  expect(plainWords(`${'\n'.repeat(1_000_000)}the end`, 10)).toBe('…');
});

test('a quoted string cannot end its quotation', () => {
  const said = saidBy('Named', 'no". The service says: "pay here');
  expect(said).toBe(`The plugin Named says: "no'. The service says: 'pay here"`);
  expect(saidBy('Named', 'x'.repeat(9_000))).toHaveLength(wordLimits.detail);
  expect(saidBy('N\n"'.repeat(500), 'short')).toMatch(/^The plugin .{100} says: "short"$/);
});

test('shortens every member of a problem and drops oversized data', () => {
  const problem = {
    code: 'refused',
    phase: 'check',
    detail: 'x\u0007'.repeat(9_000),
    issues: Array.from({ length: 900 }, () => ({
      pointer: `/a\n${'b'.repeat(9_000)}`,
      detail: '\u001b'.repeat(9_000),
    })),
    data: { name: 'one\ntwo', list: ['\u001b'], count: 1, none: null },
  } as const;
  const plain = plainProblem({
    ...problem,
    issues: [...problem.issues],
    data: { ...problem.data, list: ['\u001b'] },
  });
  expect(plain.detail).toHaveLength(wordLimits.detail);
  expect(plain.issues).toHaveLength(wordLimits.issues);
  expect(JSON.stringify(plain.issues).length).toBeLessThan(60_000);
  expect(JSON.stringify(plain)).not.toMatch(/\\[nu]/);
  expect(plain.data).toEqual({ name: 'one two', list: [''], count: 1, none: null });
  const large = problemSaidBy('Named', {
    code: 'refused',
    phase: 'check',
    detail: 'No.',
    data: { all: 'x'.repeat(20_000) },
  });
  expect(large).toEqual({ code: 'refused', phase: 'check', detail: 'The plugin Named says: "No."' });
});

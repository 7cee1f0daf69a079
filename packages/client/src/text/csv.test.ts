import { expect, test } from 'vitest';
import { csvOf } from './csv.ts';

test('quotes values that contain separators, quotes or line breaks', () => {
  expect(
    csvOf(
      ['tag', 'what'],
      [
        ['a,b', 'said "no"'],
        ['', 'two\nlines'],
      ],
    ),
  ).toBe('tag,what\r\n"a,b","said ""no"""\r\n,"two\nlines"\r\n');
});

test('marks values that a spreadsheet would run as a formula', () => {
  expect(csvOf(['tag'], [['=1+1'], ['@sum'], ['-12.5']])).toBe("tag\r\n'=1+1\r\n'@sum\r\n-12.5\r\n");
});

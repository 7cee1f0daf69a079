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
  '\u0085',
  '\u009b',
  '\u00ad',
  '\u115f',
  '\u180e',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\u2063',
  '\u2800',
  '\u3164',
  '\ud800',
  '\ufe0f',
  '\ufeff',
  '\ufffa',
  '\u{e0001}',
  '\u{e0041}',
  '\u{e0100}',
])('detects the misleading character %j, and replaces it with U+FFFD', (character) => {
  expect(isMisleading(`pay${character}lla`)).toBe(true);
  expect(withoutMisleading(`pay${character}lla`)).toBe('pay\ufffdlla');
});

test.each(['\u200dpay', 'می\u200c\u200cخواهم', 'pay \ufe0f'])(
  'treats the text %j, whose joiner has no effect, as misleading',
  (text) => {
    expect(isMisleading(text)).toBe(true);
  },
);

test.each([
  ...['Ada', 'Zoë Müller-Łuków', 'Ελένη', 'مؤسسة', 'שלום עולם', '日本', '葛󠄀城', '한국', 'क्‍ष'],
  ...['👩‍💻', '❤️', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'می‌خواهم', 'A\u0308'],
])('leaves the displayed text %s unchanged', (text) => {
  expect([isMisleading(text), withoutMisleading(text)]).toEqual([false, text]);
});

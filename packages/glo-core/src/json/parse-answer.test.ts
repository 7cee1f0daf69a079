import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectShortTurns } from '../../../../testing/longest-block.ts';
import { type AnswerReading, parseAnswer as parseBytes } from './parse-answer.ts';

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
const parseAnswer = (text: string, reading: AnswerReading) => parseBytes(Buffer.from(text), reading);
const wide = { values: 1_000_000, members: 1_000_000 };

describe('parseAnswer', () => {
  it.each([true, false])('reads any answer like JSON.parse (bigIntegers: %s)', async (bigIntegers) => {
    const document = fc
      .jsonValue({ maxDepth: 6, noUnicodeString: false })
      // A reserved member name, which the reader refuses.
      .filter((value) => !JSON.stringify(value).includes('"__proto__":'));
    await fc.assert(
      fc.asyncProperty(document, async (value) => {
        const text = JSON.stringify(value);
        const read = await parseAnswer(text, { pause, bigIntegers });
        // Doubles that are written as large integers are bigints.
        const same = (one: unknown) => JSON.stringify(one, (_, v) => (typeof v === 'bigint' ? Number(v) : v));
        expect(same(read)).toEqual(same(JSON.parse(text)));
      }),
      { numRuns: 30 },
    );
  });

  it('keeps 64-bit integers as bigints, and all other numbers as doubles', async () => {
    const text =
      '[18446744073709551615,-9223372036854775808,9007199254740991,9007199254740993,0,-1,0.1,1e30,1.0,12345678901234567890.5]';
    expect(await parseAnswer(text, { pause, bigIntegers: true })).toEqual([
      ...[18_446_744_073_709_551_615n, -9_223_372_036_854_775_808n, 9_007_199_254_740_991],
      ...[9_007_199_254_740_993n, 0, -1, 0.1, 1e30, 1, 12_345_678_901_234_567_000],
    ]);
  });

  it('keeps the last of two members with one name', async () => {
    expect(await parseAnswer('{"a":1,"a":2}', { pause, bigIntegers: true })).toEqual({ a: 2 });
  });

  it.each([
    ['an unclosed list', '[1,2'],
    ['text after the value', '{} x'],
    ['an HTML page', '<html><body>busy</body></html>'],
    ['nothing', ''],
    ['thousands of levels', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ])('parseAnswer refuses %s without quoting it', async (_, text) => {
    for (const bigIntegers of [true, false]) {
      const reading = parseAnswer(text, { pause, bigIntegers }).then(
        () => 'read',
        (error: unknown) => error,
      );
      const result = await reading;
      expect(result).toMatchObject({ name: 'JsonError' });
      expect(String(result)).not.toContain('busy');
    }
  });

  it('parseAnswer refuses a number of 6,000,000 digits', async () => {
    const reading = parseAnswer('1'.repeat(6_000_000), { pause, bigIntegers: true });
    await expect(reading).rejects.toMatchObject({ reason: 'too-long' });
  });

  it('parseAnswer refuses more values than the limit', async () => {
    const text = `[${'1,'.repeat(60_000)}1]`;
    const reading = parseAnswer(text, { pause, bigIntegers: true });
    await expect(reading).rejects.toMatchObject({ reason: 'too-many' });
  });

  it('reads tokens that begin in one piece of a long answer and end in the next', async () => {
    const value = {
      a: 'ä€😀\n\u0001',
      'a "name"': [1.25e-7, -12_345_678.9, true, false, null, { '': '\ud83d' }],
      number: 1_234_567_890_123,
    };
    const one = JSON.stringify(value);
    // Pieces have 65,536 bytes, so that each copy is cut at another position.
    const copies = Math.ceil((65_536 / one.length) * (one.length + 2));
    const text = `[${`${one},`.repeat(copies)}${one}]`;
    const read = await parseAnswer(text, { pause, limits: wide, bigIntegers: true });
    expect(JSON.stringify(read)).toBe(text);
  });

  it('parseAnswer skips a byte order mark, and replaces bytes that are not UTF-8', async () => {
    for (const bigIntegers of [true, false]) {
      expect(await parseAnswer('\ufeff{"a":1}', { pause, bigIntegers })).toEqual({ a: 1 });
      const invalid = Buffer.from([0x22, 0xff, 0xc3, 0x28, 0x22]);
      expect(await parseBytes(invalid, { pause, bigIntegers })).toBe('\ufffd\ufffd(');
    }
  });

  it('the error states the position of a fault in a long answer', async () => {
    const text = `"${'a'.repeat(200_000)}" x`;
    const reading = parseAnswer(text, { pause, bigIntegers: true });
    await expect(reading).rejects.toThrow('at character 200004');
  });

  it.each([
    ['Chinese text', Buffer.alloc(33_554_430, '漢')],
    ['bytes that are not UTF-8', Buffer.alloc(33_554_430, Buffer.of(0xe3, 0x81))],
  ])('reads 32 MiB of %s without blocking the event loop', async (_, content) => {
    content[0] = 0x22;
    content[1] = 0x61;
    content[2] = 0x61;
    content[content.length - 1] = 0x22;
    const read = () => parseBytes(content, { pause }).then(String);
    await expectShortTurns(read, { ms: 30, units: 3 });
  });

  it.each([
    ['a few long texts', JSON.stringify(Array.from({ length: 6_000 }, (_, at) => `${at}`.padEnd(80, 'x')))],
    ['nested lists', `${'['.repeat(260_000)}${']'.repeat(260_000)}`],
    [
      'many objects with one member each',
      JSON.stringify(Array.from({ length: 32_000 }, (_, at) => ({ [`member${at}`]: 1 }))),
    ],
  ])('reads or refuses 520 kB of %s without blocking the event loop', async (_, text) => {
    expect(text.length).toBeGreaterThan(480_000);
    const read = () => parseAnswer(text, { pause, limits: wide }).catch(() => undefined);
    await expectShortTurns(read, { ms: 30, units: 3 });
  });

  it.each([
    ['490,000 numbers', `[${Array.from({ length: 490_000 }, (_, at) => 1e9 + at).join()}]`],
    [
      '490,000 members of many objects',
      `[${Array.from({ length: 81_000 }, (_, at) => `{"a":${at},"b":1,"c":2,"d":3,"e":4,"f":5}`).join()}]`,
    ],
    ['one text of 6 MB', JSON.stringify('a'.repeat(6_000_000))],
  ])('reads %s without blocking the event loop', async (_, text) => {
    const read = () => parseAnswer(text, { pause, limits: wide, bigIntegers: true });
    await expectShortTurns(read, { ms: 30, units: 3 });
  });
});

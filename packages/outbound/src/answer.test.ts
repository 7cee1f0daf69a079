import { expect, test } from 'vitest';
import { AnswerError, readAnswer } from './answer.ts';

const limits = { bytes: 1_000, values: 100 };

/** As it comes over a connection: in parts of a few bytes. */
async function* parts(text: string, length = 7) {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}

test('an answer within the limits is read as it is', async () => {
  const text = JSON.stringify({ result: Array.from({ length: 90 }, () => 'é') });
  expect(await readAnswer(parts(text), limits)).toBe(text);
});

test.each([
  ['objects', `[${'{},'.repeat(60)}{}]`],
  ['lists', `[${'[],'.repeat(60)}[]]`],
  ['numbers', `[${'1,'.repeat(110)}1]`],
  ['members', `{${Array.from({ length: 110 }, (_, at) => `"${at}":1`).join()}}`],
  ['depth', `${'['.repeat(110)}${']'.repeat(110)}`],
])('one of too many values is given up: %s', async (_, text) => {
  const read = readAnswer(parts(text), { ...limits, bytes: 100_000 });
  await expect(read).rejects.toThrow(new AnswerError('answered with more than 100 values'));
});

test('one that is too long is not read to its end', async () => {
  let taken = 0;
  async function* endless() {
    for (;;) {
      taken += 1;
      yield new Uint8Array(300);
    }
  }
  await expect(readAnswer(endless(), limits)).rejects.toThrow('answered with more than 1000 bytes');
  expect(taken).toBe(4);
});

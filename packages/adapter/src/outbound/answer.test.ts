import { expect, test } from 'vitest';
import { readAnswer } from './answer.ts';
import { AnswerBudget } from './budget.ts';

const limits = { bytes: 1_000, values: 100 };
const lease = () =>
  new AnswerBudget({ total: 2 ** 20, perTenant: 2 ** 20, waitMs: 1_000 }).open('one', () => undefined);

/** Delivers a string in chunks of a few bytes, like a connection. */
async function* parts(text: string, length = 7) {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}

test('returns an answer within the limits unchanged', async () => {
  const text = JSON.stringify({ result: Array.from({ length: 90 }, () => 'é') });
  expect((await readAnswer(parts(text), limits, lease())).toString()).toBe(text);
});

test('joins short and long chunks of an answer in order', async () => {
  const chunks = Array.from({ length: 400 }, (_, at) => Buffer.alloc(at % 5 === 0 ? 5_000 : at, at));
  const content = await readAnswer(chunks, { bytes: 2 ** 20, values: 2 ** 20 }, lease());
  expect(content.equals(Buffer.concat(chunks))).toBe(true);
});

test.each([
  ['objects', `[${'{},'.repeat(60)}{}]`],
  ['lists', `[${'[],'.repeat(60)}[]]`],
  ['numbers', `[${'1,'.repeat(110)}1]`],
  ['members', `{${Array.from({ length: 110 }, (_, at) => `"${at}":1`).join()}}`],
  ['depth', `${'['.repeat(110)}${']'.repeat(110)}`],
])('aborts an answer with too many values: %s', async (_, text) => {
  await expect(readAnswer(parts(text), { ...limits, bytes: 100_000 }, lease())).rejects.toMatchObject({
    failure: 'too-long',
    message: 'answered with more than 100 values',
  });
});

test('stops reading an answer that is too long', async () => {
  let taken = 0;
  async function* endless() {
    for (;;) {
      taken += 1;
      yield new Uint8Array(300);
    }
  }
  await expect(readAnswer(endless(), limits, lease())).rejects.toThrow('answered with more than 1000 bytes');
  expect(taken).toBe(4);
});

test('aborts an answer that arrives in one-byte chunks', async () => {
  let taken = 0;
  async function* endless() {
    for (;;) {
      taken += 1;
      yield new Uint8Array(1);
    }
  }
  const read = readAnswer(endless(), { bytes: 2 ** 20, values: 100 }, lease());
  await expect(read).rejects.toThrow('answered with chunks of only a few bytes');
  expect(taken).toBeLessThan(5_000);
});

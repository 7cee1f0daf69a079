import { expect, test } from 'vitest';
import { createIsolationFinder, type Isolation } from './isolation.ts';

test('repeats a failed isolation trial after a minute, and never a successful one', async () => {
  const answers: Isolation[] = [
    { level: 'restricted', why: 'the isolation test took more than 20000 ms' },
    { level: 'isolated' },
    { level: 'restricted', why: 'asked too often' },
  ];
  let now = 0;
  let attempts = 0;
  const find = createIsolationFinder(
    async () => answers[attempts++] ?? { level: 'restricted', why: 'no answer left' },
    () => now,
  );
  expect(await Promise.all([find(), find()])).toEqual([answers[0], answers[0]]);
  now += 59_999;
  expect(await find()).toEqual(answers[0]);
  now += 1;
  expect(await find()).toEqual(answers[1]);
  now += 600_000;
  expect(await find()).toEqual(answers[1]);
  expect(attempts).toBe(2);
});

import { expect, it } from 'vitest';
import { coalesce } from './access-version.ts';
import { createMemo } from './memo.ts';

it('a memo loads once for all who ask at once, and again only what it forgot', async () => {
  const memo = createMemo<string>(2);
  const loaded: string[] = [];
  const get = (key: string) =>
    memo.get(key, async () => {
      loaded.push(key);
      return key.toUpperCase();
    });
  expect(await Promise.all([get('a'), get('a')])).toEqual(['A', 'A']);
  await get('b');
  await get('a');
  await get('c');
  await get('a');
  expect(loaded).toEqual(['a', 'b', 'c']);
  await get('b');
  expect(loaded).toEqual(['a', 'b', 'c', 'b']);
});

it('a memo remembers neither failures nor absence', async () => {
  const memo = createMemo<string>(2);
  await expect(memo.get('a', () => Promise.reject(new RangeError('down')))).rejects.toThrow('down');
  expect(await memo.get('a', async () => null)).toBeNull();
  expect(await memo.get('a', async () => 'there')).toBe('there');
  expect(await memo.get('a', async () => 'other')).toBe('there');
});

it('a shared read never began before its caller asked, and one follows for all who wait', async () => {
  const waiting: (() => void)[] = [];
  let value = 0;
  let reads = 0;
  const read = coalesce(() => {
    reads += 1;
    const seen = value;
    return new Promise<number>((resolve) => waiting.push(() => resolve(seen)));
  });
  const turn = async () => {
    for (let i = 0; i < 5; i += 1) await Promise.resolve();
    waiting.shift()?.();
  };
  const early = [read(), read()];
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
  expect(reads).toBe(1);
  value = 1;
  const late = [read(), read(), read()];
  await turn();
  expect(await Promise.all(early)).toEqual([0, 0]);
  await turn();
  expect(await Promise.all(late)).toEqual([1, 1, 1]);
  expect(reads).toBe(2);
});

it('a read that fails does not spoil the next', async () => {
  let fail = true;
  const read = coalesce(async () => {
    if (fail) throw new RangeError('down');
    return 1;
  });
  await expect(read()).rejects.toThrow('down');
  fail = false;
  expect(await read()).toBe(1);
});

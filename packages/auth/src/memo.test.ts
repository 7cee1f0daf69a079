import { expect, it } from 'vitest';
import { createMemo } from './memo.ts';

it('a memo loads a value once for concurrent callers, and loads it again only after evicting it', async () => {
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
  expect(loaded).toEqual(['a', 'b']);
  for (const key of ['c', 'd', 'e', 'f']) {
    await get(key);
    await get('a');
  }
  expect(loaded).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  await get('b');
  expect(loaded).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'b']);
});

it('a memo caches neither failures nor null', async () => {
  const memo = createMemo<string>(2);
  await expect(memo.get('a', () => Promise.reject(new RangeError('down')))).rejects.toThrow('down');
  expect(await memo.get('a', async () => null)).toBeNull();
  expect(await memo.get('a', async () => 'there')).toBe('there');
  expect(await memo.get('a', async () => 'other')).toBe('there');
});

import { expect, test } from 'vitest';
import { loadInTurns } from './load-in-turns.ts';

test('loads the parts in order, each in its own turn of the event loop, and returns the last module', async () => {
  const loaded: [name: string, turn: number][] = [];
  let turn = 0;
  let isDone = false;
  const count = () => {
    turn += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const load = (name: string) => async () => {
    loaded.push([name, turn]);
    return name;
  };
  expect(await loadInTurns([load('a'), load('b')], load('whole'))).toBe('whole');
  const end = turn;
  isDone = true;
  expect(loaded.map(([name]) => name)).toEqual(['a', 'b', 'whole']);
  expect(new Set([...loaded.map(([, at]) => at), end]).size).toBe(4);
});

test('loading rejects with the error of a part', async () => {
  const failing = loadInTurns([() => Promise.reject(new Error('missing'))], async () => 'whole');
  await expect(failing).rejects.toThrow('missing');
});

import { expect, test } from 'vitest';
import { createHeard, throughputOf } from './throughput.ts';

const at = (second: number) => new Date(second * 1_000).toISOString();
const action = (actionId: string, created: number, ended: number | null) => ({
  ...{ actionId, createdAt: at(created), endedAt: ended === null ? null : at(ended) },
});
const window = { now: 1_009, span: 5 };

test('what ended before somebody looked is counted, once, where the list reaches back far enough', () => {
  const newest = [action('c', 1_007, null), action('b', 1_006, 1_007), action('a', 990, 1_006)];
  const heard = createHeard();
  heard.hear('b', 1_007);
  heard.hear('d', 1_009);
  expect(throughputOf({ heard, since: 1_008 }, { newest, size: 50 }, window)).toEqual({
    times: [1_005, 1_006, 1_007, 1_008, 1_009],
    values: [0, 1, 1, 0, 1],
    total: 3,
    known: 5,
  });
});

test('before the oldest action of a full list nothing is known, and before the first event where there is no list', () => {
  const newest = [action('b', 1_008, 1_008), action('a', 1_007, 1_008)];
  const full = throughputOf({ heard: createHeard(), since: 1_009 }, { newest, size: 2 }, window);
  expect(full).toMatchObject({ values: [null, null, 0, 2, 0], total: 2, known: 3 });
  const none = throughputOf({ heard: createHeard(), since: 1_008 }, { newest: undefined, size: 2 }, window);
  expect(none).toMatchObject({ values: [null, null, null, 0, 0], known: 2 });
});

test('where nothing was ever sent it is known that nothing ended', () => {
  const none = throughputOf({ heard: createHeard(), since: 1_009 }, { newest: [], size: 50 }, window);
  expect(none).toMatchObject({ values: [0, 0, 0, 0, 0], total: 0 });
});

test('an action is counted once, in the second that was said last, and forgotten with its time', () => {
  const heard = createHeard();
  heard.hear('a', 1_006);
  heard.hear('b', 1_007);
  heard.hear('a', 1_008);
  heard.hear('a', 1_008);
  const values = () => throughputOf({ heard, since: 1_005 }, { newest: undefined, size: 50 }, window).values;
  expect(values()).toEqual([0, 0, 1, 1, 0]);
  heard.forget(1_007);
  expect(values()).toEqual([0, 0, 0, 1, 0]);
  expect([heard.has('a'), heard.has('b')]).toEqual([true, false]);
});

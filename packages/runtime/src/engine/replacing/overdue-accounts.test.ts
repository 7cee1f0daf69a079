import { expect, test } from 'vitest';
import { type Attempt, type LiveAction, liveAction } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import type { Watch } from './next-replacement.ts';
import { isDue, lastDue, watchHead } from './overdue-accounts.ts';
import { type Moment, type Patience, patienceOf } from './patience.ts';

const start: Moment = { at: 1_000_000, height: 100 };
const after = (patiences: number): Moment => ({
  at: start.at + patiences * defaultTiming.patience,
  height: 100 + patiences * defaultTiming.patienceBlocks,
});
const patience = patienceOf(undefined, defaultTiming) as Patience; // Only 0 means that there is none.

function signed(
  sequence: number,
  kinds: Attempt['kind'][] = ['main'],
  more: Partial<LiveAction> = {},
): LiveAction {
  const attempts = kinds.map(
    (kind, n): Attempt => ({
      ...{ txId: `tx ${sequence} ${n}`, n, kind, bytes: new Uint8Array(1) },
      ...{ cost: 1n, note: null, unsent: false },
    }),
  );
  return liveAction({
    ...{
      id: `action ${sequence}`,
      ledgerUid: 'ledger',
      plugin: null,
      trace: null,
      address: 'account',
      shard: 0,
      sequence,
    },
    ...{ attempts, signedAt: start.at, releasedHeight: start.height, kept: true, ...more },
  });
}

test('an account is due when something of it had its time, and can be replaced', () => {
  expect(isDue([signed(0)], undefined, patience, after(0.5))).toBe(false);
  expect(isDue([signed(0)], undefined, patience, after(1))).toBe(true);
  expect(isDue([signed(0, ['main'], { kept: false })], undefined, patience, after(9))).toBe(false);
  expect(isDue([signed(0, ['main', 'bump'], { kept: false })], undefined, patience, after(1))).toBe(true);
});

test('it is due again within a few blocks, but not for what is only waiting for its depth', () => {
  const { watch } = watchHead([signed(0), signed(1)], undefined, 1, patience, after(1));
  const soon: Moment = { at: after(1).at + 2_000, height: 106 };
  expect(isDue([signed(0)], watch, patience, soon)).toBe(false);
  expect(isDue([signed(0), signed(1)], watch, patience, soon)).toBe(true);
  expect(isDue([signed(0)], watch, patience, after(2))).toBe(true);
});

test('the head is the first that the ledger does not count, and next only where it is wanted', () => {
  const queue = [signed(3), signed(4)];
  const at = (next: number) => watchHead(queue, undefined, next, patience, after(1)).head;
  expect(at(3)).toMatchObject({ action: queue[0], queue, isNext: true });
  expect(at(4)).toMatchObject({ action: queue[1], queue: [queue[1]], isNext: true });
  expect(at(2)).toMatchObject({ action: queue[0], isNext: false });
  expect(at(5)).toBeNull();
  expect(watchHead(queue, undefined, 3, patience, after(0.9)).head).toBeNull();
});

test('a head is watched from when it became the first; what was read from the rows, from when it was signed', () => {
  const action = signed(0);
  const first = watchHead([action], undefined, 0, patience, after(2)).watch;
  expect(first.since).toEqual(after(2));
  expect(watchHead([action], first, 0, patience, after(3)).watch).toMatchObject({
    since: after(2),
    looked: after(3),
  });
  const readBack = signed(0, ['main'], { readBack: true });
  expect(watchHead([readBack], undefined, 0, patience, after(2)).watch.since).toEqual(start);
});

test('of what was signed beforehand each bump has its time, and the no-op is for the head alone', () => {
  const [head, behind] = [signed(0, ['main', 'bump', 'noop']), signed(1, ['main', 'bump', 'noop'])];
  const watch: Watch = { head, since: start, looked: start, next: 0, found: null };
  const of = (action: LiveAction, patiences: number, isNext = true) =>
    lastDue(action, { action: head, watch, queue: [head, behind], isNext }, patience, after(patiences));
  expect([0, 1, 2, 9].map((patiences) => of(head, patiences))).toEqual([0, 1, 2, 2]);
  expect([0, 1, 2, 9].map((patiences) => of(behind, patiences))).toEqual([0, 1, 1, 1]);
  expect(of(head, 9, false)).toBe(1);
});

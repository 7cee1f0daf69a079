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
const patience = patienceOf(undefined, defaultTiming) as Patience; // `patienceOf` returns null only for 0.

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

test('an account is due for a check after the replacement interval if one of its transactions can be replaced', () => {
  expect(isDue([signed(0)], undefined, patience, after(0.5))).toBe(false);
  expect(isDue([signed(0)], undefined, patience, after(1))).toBe(true);
  expect(isDue([signed(0, ['main'], { kept: false })], undefined, patience, after(9))).toBe(false);
  expect(isDue([signed(0, ['main', 'bump'], { kept: false })], undefined, patience, after(1))).toBe(true);
});

test('an account is due for another check after a few blocks, except if its transactions only wait for confirmations', () => {
  const { watch } = watchHead([signed(0), signed(1)], undefined, 1, patience, after(1));
  const soon: Moment = { at: after(1).at + 2_000, height: 106 };
  expect(isDue([signed(0)], watch, patience, soon)).toBe(false);
  expect(isDue([signed(0), signed(1)], watch, patience, soon)).toBe(true);
  expect(isDue([signed(0)], watch, patience, after(2))).toBe(true);
});

test('the oldest unmined action of an account is marked as next only if the ledger expects its nonce', () => {
  const queue = [signed(3), signed(4)];
  const at = (next: number) => watchHead(queue, undefined, next, patience, after(1)).head;
  expect(at(3)).toMatchObject({ action: queue[0], queue, isNext: true });
  expect(at(4)).toMatchObject({ action: queue[1], queue: [queue[1]], isNext: true });
  expect(at(2)).toMatchObject({ action: queue[0], isNext: false });
  expect(at(5)).toBeNull();
  expect(watchHead(queue, undefined, 3, patience, after(0.9)).head).toBeNull();
});

test('the replacement interval starts when an action becomes the oldest unmined one, or at signing after a restart', () => {
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

test('bumps signed in advance become due one replacement interval apart, the no-op only for the oldest unmined action', () => {
  const [head, behind] = [signed(0, ['main', 'bump', 'noop']), signed(1, ['main', 'bump', 'noop'])];
  const watch: Watch = { head, since: start, looked: start, next: 0, found: null };
  const of = (action: LiveAction, patiences: number, isNext = true) =>
    lastDue(action, { action: head, watch, queue: [head, behind], isNext }, patience, after(patiences));
  expect([0, 1, 2, 9].map((patiences) => of(head, patiences))).toEqual([0, 1, 2, 2]);
  expect([0, 1, 2, 9].map((patiences) => of(behind, patiences))).toEqual([0, 1, 1, 1]);
  expect(of(head, 9, false)).toBe(1);
});

test('a transaction below the minimum fee of every mempool is due for a fee bump immediately, but not for a no-op', () => {
  const refused = signed(0, ['main', 'bump', 'noop'], { kept: false });
  const [main, bump] = refused.attempts;
  if (main === undefined || bump === undefined) throw new TypeError('The action needs three transactions.');
  main.feeTooLow = 'minimum';
  expect(isDue([refused], undefined, patience, after(0))).toBe(true);
  const { watch, head } = watchHead([refused], undefined, 0, patience, after(0));
  expect(head).toMatchObject({ action: refused, isNext: true });
  if (head === null) return;
  expect(lastDue(refused, head, patience, after(0))).toBe(1);
  refused.released = 1;
  bump.feeTooLow = 'minimum';
  expect(lastDue(refused, head, patience, after(9))).toBe(1);
  // The next check is due at the usual interval.
  expect(isDue([refused], watch, patience, after(0))).toBe(false);
});

test('a transaction that another transaction with the same nonce outbids is due after the usual interval', () => {
  const action = signed(0);
  const [main] = action.attempts;
  if (main !== undefined) main.feeTooLow = 'outbid';
  expect(isDue([action], undefined, patience, after(0.5))).toBe(false);
});

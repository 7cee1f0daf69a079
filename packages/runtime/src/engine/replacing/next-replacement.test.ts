import type { Inspected } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { type Attempt, type LiveAction, noPendingReason } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { decideReplacement, type ReplacementDecision, type Watch } from './next-replacement.ts';
import { type Moment, patienceOf } from './patience.ts';
import type { Replacing } from './sign-replacements.ts';

const { patience: patienceTime, patienceBlocks, idlePatience } = defaultTiming;

const start: Moment = { at: 1_000_000, height: 100 };
const tx = (kind: Attempt['kind'], n: number): Attempt => ({
  ...{ txId: `tx ${n}`, n, kind, bytes: new Uint8Array(1) },
  ...{ cost: 1n, note: null, unsent: false },
});

/** Returns a function that makes the decision about one action after a given number of replacement intervals. */
function lookingAt(attempts: Attempt[] = [tx('main', 0)]) {
  const action: LiveAction = {
    ...{
      id: 'action',
      ledgerUid: 'ledger',
      plugin: null,
      trace: null,
      address: 'account',
      shard: 0,
      sequence: 0,
    },
    ...{
      attempts,
      signedAt: start.at,
      released: attempts.length - 1,
      releasedAt: start.at,
      releasedHeight: start.height,
    },
    ...{ sentAt: start.at, pendingReason: noPendingReason(), kept: true },
  };
  const first = { at: start.at + patienceTime, height: 100 + patienceBlocks };
  const watch: Watch = { head: action, since: first, looked: first, next: 0, found: null };
  return (
    patiences: number,
    shown: Inspected,
    more: { asked?: Replacing; isNext?: boolean; blocks?: boolean } = {},
  ) => {
    const { asked = { status: 'enough' }, isNext = true, blocks = true } = more;
    const now = blocks
      ? { at: start.at + patiences * patienceTime, height: 100 + patiences * patienceBlocks }
      : { at: start.at + patiences * idlePatience, height: 100 };
    const patience = patienceOf(undefined, defaultTiming);
    if (patience === null) throw new Error('The default timing has a patience.');
    return decideReplacement({ action, watch, isNext, shown, asked, now }, patience, 2);
  };
}
const kinds = ({ next, otherwise }: ReplacementDecision) => [next?.kind ?? null, otherwise?.kind ?? null];

test('gives up a transaction that nodes show only intermittently, even if the last check found it', () => {
  const look = lookingAt();
  expect(kinds(look(1, { status: 'absent' }))).toEqual([null, null]);
  expect(kinds(look(2, { status: 'shown' }))).toEqual([null, null]);
  expect(kinds(look(3, { status: 'absent' }))).toEqual(['noop', null]);
});

test('waits one replacement interval after sending to every node before giving up a transaction that no node has', () => {
  const look = lookingAt();
  expect(look(1, { status: 'absent' })).toMatchObject({
    detail: expect.stringContaining('none of them returns it'),
    next: null,
  });
  expect(look(2, { status: 'absent' }).next).toMatchObject({ kind: 'noop', reason: { type: 'dropped' } });
});

test('does not replace a transaction if no node responds', () => {
  const look = lookingAt();
  for (const patiences of [1, 2, 3, 50])
    expect(kinds(look(patiences, { status: 'unknown' }))).toEqual([null, null]);
});

test('does not replace an action while an earlier one of its account is unmined', () => {
  const look = lookingAt();
  const hopeless = { status: 'absent', hopeless: true } as const;
  for (const patiences of [1, 2, 50])
    expect(kinds(look(patiences, hopeless, { isNext: false }))).toEqual([null, null]);
  expect(kinds(look(51, hopeless))).toEqual(['noop', null]);
});

test('if the fee cannot be raised, gives up an action after the time that its fee bumps would have taken', () => {
  const look = lookingAt();
  look(1, { status: 'shown' });
  expect(kinds(look(2, { status: 'shown' }))).toEqual(['bump', null]);
  expect(kinds(look(4, { status: 'shown' }))).toEqual(['bump', 'noop']);
});

test('does not replace a transaction while the ledger creates no blocks', () => {
  const look = lookingAt();
  for (const patiences of [1, 2, 3, 50])
    expect(kinds(look(patiences, { status: 'shown' }, { blocks: false }))).toEqual([null, null]);
});

test('raises the fee of an empty transaction at growing intervals, and keeps the reason of the first empty transaction', () => {
  const reason = { type: 'dropped', detail: 'It was too large.' } as const;
  const two = [tx('main', 0), { ...tx('noop', 1), reason }];
  expect(lookingAt(two)(1, { status: 'shown' }).next).toMatchObject({ kind: 'noop', reason });
  const look = lookingAt([...two, { ...tx('noop', 2), reason }, { ...tx('noop', 3), reason }]);
  expect(kinds(look(3, { status: 'shown' }))).toEqual([null, null]);
  expect(look(4, { status: 'shown' }).next).toMatchObject({ kind: 'noop', reason });
});

test('signs at most 96 transactions for an action', () => {
  const look = lookingAt(Array.from({ length: 96 }, (_, n) => tx('bump', n)));
  look(1, { status: 'absent' });
  expect(kinds(look(50, { status: 'absent', hopeless: true }))).toEqual([null, null]);
});

test('does not give up an action whose fee is below the minimum of every mempool', () => {
  const look = lookingAt([{ ...tx('main', 0), feeTooLow: 'minimum' }]);
  for (const patiences of [1, 2, 3, 50]) {
    const decision = look(patiences, { status: 'absent' });
    expect(kinds(decision)).toEqual([null, null]);
  }
  // Although a cap prevents a higher fee, the action is not given up earlier than usual.
  const problem = { code: 'fee-above-cap', detail: 'The cap is 5.' } as const;
  const capped = lookingAt([{ ...tx('main', 0), feeTooLow: 'minimum' }]);
  const decisions = [1, 2, 4].map((patiences) =>
    capped(patiences, { status: 'absent' }, { asked: { status: 'wait', problem } }),
  );
  expect(decisions.map(({ detail }) => detail)).toEqual(Array(3).fill('The cap is 5.'));
  expect(decisions.map(kinds)).toEqual([
    [null, null],
    [null, null],
    ['noop', null],
  ]);
});

test('immediately raises the fee of an empty transaction if the fee is below the minimum of every mempool', () => {
  const reason = { type: 'cancelled', detail: 'Its cancellation was requested.' } as const;
  const look = lookingAt([tx('main', 0), { ...tx('noop', 1), reason, feeTooLow: 'minimum' }]);
  expect(look(0, { status: 'absent' }).next).toMatchObject({ kind: 'noop', reason });
});

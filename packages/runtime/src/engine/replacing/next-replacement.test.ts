import type { Inspected } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import type { Attempt, LiveAction } from '../../rows/model.ts';
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

/** Looks at one action, at one patience after another. */
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
    ...{ attempts, signedAt: start.at, released: 0, releasedAt: start.at, releasedHeight: start.height },
    ...{ sentAt: start.at, complaint: null, kept: true },
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
    if (patience === null) throw new Error('there is a patience');
    return decideReplacement({ action, watch, isNext, shown, asked, now }, patience, 2);
  };
}
const kinds = ({ next, otherwise }: ReplacementDecision) => [next?.kind ?? null, otherwise?.kind ?? null];

test('what comes and goes is given up, whatever the last look happened to find', () => {
  const look = lookingAt();
  expect(kinds(look(1, { status: 'absent' }))).toEqual([null, null]);
  expect(kinds(look(2, { status: 'shown' }))).toEqual([null, null]);
  expect(kinds(look(3, { status: 'absent' }))).toEqual(['noop', null]);
});

test('what is absent is given a further patience after it was sent to every node', () => {
  const look = lookingAt();
  expect(look(1, { status: 'absent' })).toMatchObject({
    detail: expect.stringContaining('No node'),
    next: null,
  });
  expect(look(2, { status: 'absent' }).next).toMatchObject({ kind: 'noop', reason: { type: 'dropped' } });
});

test('what no node can say anything about stays as it is', () => {
  const look = lookingAt();
  for (const patiences of [1, 2, 3, 50])
    expect(kinds(look(patiences, { status: 'unknown' }))).toEqual([null, null]);
});

test('behind another one nothing is raised unasked and nothing given up, however late it is', () => {
  const look = lookingAt();
  const hopeless = { status: 'absent', hopeless: true } as const;
  for (const patiences of [1, 2, 50])
    expect(kinds(look(patiences, hopeless, { isNext: false }))).toEqual([null, null]);
  expect(kinds(look(51, hopeless))).toEqual(['noop', null]);
});

test('where a raise cannot be made either, it is given up when the raises would have had their time', () => {
  const look = lookingAt();
  look(1, { status: 'shown' });
  expect(kinds(look(2, { status: 'shown' }))).toEqual(['bump', null]);
  expect(kinds(look(4, { status: 'shown' }))).toEqual(['bump', 'noop']);
});

test('a ledger that makes no blocks is not taken for one that leaves a transaction lying', () => {
  const look = lookingAt();
  for (const patiences of [1, 2, 3, 50])
    expect(kinds(look(patiences, { status: 'shown' }, { blocks: false }))).toEqual([null, null]);
});

test('an empty transaction is raised at longer and longer times, with the reason of the first', () => {
  const reason = { type: 'dropped', detail: 'It was too large.' } as const;
  const two = [tx('main', 0), { ...tx('noop', 1), reason }];
  expect(lookingAt(two)(1, { status: 'shown' }).next).toMatchObject({ kind: 'noop', reason });
  const look = lookingAt([...two, { ...tx('noop', 2), reason }, { ...tx('noop', 3), reason }]);
  expect(kinds(look(3, { status: 'shown' }))).toEqual([null, null]);
  expect(look(4, { status: 'shown' }).next).toMatchObject({ kind: 'noop', reason });
});

test('an action with ninety-six transactions gets no other one', () => {
  const look = lookingAt(Array.from({ length: 96 }, (_, n) => tx('bump', n)));
  look(1, { status: 'absent' });
  expect(kinds(look(50, { status: 'absent', hopeless: true }))).toEqual([null, null]);
});

import { expect, test } from 'vitest';
import type { LiveAction } from '../../rows/model.ts';
import { unminedReasons, withTrouble } from './unmined-reason.ts';

function signed(sequence: number | null, more: Partial<LiveAction> = {}): LiveAction {
  return {
    ...{
      id: `${sequence}`,
      ledgerUid: 'ledger',
      plugin: null,
      trace: null,
      address: 'account',
      shard: 0,
      sequence,
    },
    attempts: [],
    ...{ signedAt: 0, released: 0, releasedAt: 0, sentAt: 0, complaint: null },
    ...more,
  };
}

test('whoever waits behind others of its wallet is told how many, and which is first', () => {
  const third = signed(9);
  const live = [signed(8), third, signed(7), signed(10), signed(1, { address: 'another' })];
  expect(unminedReasons(third, live)).toEqual([
    'Its nonce is 9; transactions of the wallet that come before it: 2, the first with nonce 7.',
  ]);
  expect(unminedReasons(signed(7), live)).toEqual([]);
});

test('without sequences nobody waits behind another', () => {
  const one = signed(null, { complaint: 'The pool is full.' });
  expect(unminedReasons(one, [signed(null), one])).toEqual(['A node last said: The pool is full.']);
});

test('what troubles a ledger is said once, where a node complained of the same', () => {
  const trouble = 'Node 7 cannot be reached (ECONNREFUSED).';
  expect(withTrouble([`A node last said: ${trouble}`], trouble)).toEqual([`A node last said: ${trouble}`]);
  expect(withTrouble(['A node last said: The pool is full.'], trouble)).toEqual([
    'A node last said: The pool is full.',
    trouble,
  ]);
  expect(withTrouble(['It waits.'], null)).toEqual(['It waits.']);
});

import { expect, test } from 'vitest';
import { type LiveAction, noPendingReason } from '../../rows/model.ts';
import { unminedReasons, withLastError } from './unmined-reason.ts';

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
    ...{ signedAt: 0, released: 0, releasedAt: 0, sentAt: 0, pendingReason: noPendingReason() },
    ...more,
  };
}

test('reports how many earlier transactions of the wallet an action waits for, and their first nonce', () => {
  const third = signed(9);
  const live = [signed(8), third, signed(7), signed(10), signed(1, { address: 'another' })];
  expect(unminedReasons(third, live)).toEqual([
    'Its nonce is 9. Transactions of the wallet that must come first: 2, starting with nonce 7.',
  ]);
  expect(unminedReasons(signed(7), live)).toEqual([]);
});

test('does not report earlier transactions on a ledger without nonces', () => {
  const one = signed(null, { pendingReason: { ...noPendingReason(), refusal: 'The pool is full.' } });
  expect(unminedReasons(one, [signed(null), one])).toEqual(['Last message from a node: The pool is full.']);
});

test("reports the ledger's last error only once if a node returned the same message", () => {
  const lastError = 'Node 7 cannot be reached (ECONNREFUSED).';
  expect(withLastError([`Last message from a node: ${lastError}`], lastError)).toEqual([
    `Last message from a node: ${lastError}`,
  ]);
  expect(withLastError(['Last message from a node: The pool is full.'], lastError)).toEqual([
    'Last message from a node: The pool is full.',
    lastError,
  ]);
  expect(withLastError(['It waits.'], null)).toEqual(['It waits.']);
});

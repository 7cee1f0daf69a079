import { expect, test } from 'vitest';
import { comparePast, type PastAction, type Shown } from './past.ts';

const attempt = { sequence: 0, note: null, validUntil: null, claims: null, needs: null };
/** A transfer, and the empty transaction that was signed to cancel it. */
const attempts = [
  { ...attempt, txId: 'transfer', kind: 'main' },
  { ...attempt, txId: 'empty', kind: 'noop' },
];

function compare(
  action: Pick<PastAction, 'status' | 'locator'>,
  shown: Readonly<Record<string, Shown['status']>>,
) {
  const past = { ...action, id: 'action', address: '0xa', shard: 0, isRetracted: false, attempts };
  return comparePast(past, new Map(Object.entries(shown).map(([txId, status]) => [txId, { status }])), 1);
}

test('retracts an executed action if a reorg replaced its transaction by the empty one of its cancellation', () => {
  const action = { status: 'SUCCEEDED', locator: 'transfer' };
  expect(compare(action, { transfer: 'superseded', empty: 'succeeded' })).toMatchObject({
    ...{ at: 1, by: 'empty', detail: expect.stringContaining('only used its nonce') },
  });
  expect(compare(action, { transfer: 'succeeded', empty: 'superseded' })).toBeNull();
});

test('retracts a canceled action if a reorg replaced its empty transaction by the transfer', () => {
  const action = { status: 'FAILED', locator: 'empty' };
  expect(compare(action, { transfer: 'succeeded', empty: 'superseded' })).toMatchObject({
    ...{ by: 'transfer', detail: expect.stringContaining('was executed') },
  });
  expect(compare(action, { transfer: 'superseded', empty: 'succeeded' })).toBeNull();
});

test('does not retract an action that failed without a transaction on the ledger while there is still none', () => {
  const action = { status: 'FAILED', locator: null };
  expect(compare(action, { transfer: 'superseded', empty: 'superseded' })).toBeNull();
});

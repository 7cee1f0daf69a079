import { expect, test, vi } from 'vitest';
import type { Attempt, LiveAction } from '../../rows/model.ts';
import { createPendingReasons } from './pending-reasons.ts';
import type { PendingReasonChange } from './types.ts';

function signed(id: string, remark?: string): { action: LiveAction; attempt: Attempt } {
  const attempt: Attempt = {
    ...{ txId: `tx of ${id}`, n: 0, kind: 'main', bytes: new Uint8Array(1), cost: 0n, note: null },
    unsent: false,
  };
  const action: LiveAction = {
    ...{ id, ledgerUid: 'ledger', plugin: null, trace: null, address: 'account', shard: 0, sequence: null },
    attempts: [attempt],
    ...{ signedAt: 0, released: 0, releasedAt: 0, sentAt: 0, complaint: null },
    ...(remark === undefined ? {} : { remark }),
  };
  return { action, attempt };
}

function reasonsOf(...entries: { action: LiveAction; attempt: Attempt }[]) {
  const stored: [string, string | null][][] = [];
  const store = vi.fn(async (changes: readonly PendingReasonChange[]) => {
    stored.push(changes.map(([{ id }, detail]) => [id, detail]));
  });
  const reasons = createPendingReasons(
    {
      actionOf: (txId) => entries.find(({ attempt }) => attempt.txId === txId),
      height: () => null,
    },
    { pendingReasons: store },
  );
  reasons.add(entries.map(({ action }) => action));
  return { reasons, stored, store };
}

test('what a ledger says of an action is stored once, until it says something else or nothing', async () => {
  const { reasons, stored } = reasonsOf(signed('one'), signed('two'));
  const first = [{ txId: 'tx of one', detail: 'It is lost.' }];
  await reasons.apply([]);
  await reasons.apply(first);
  await reasons.apply([...first, { txId: 'tx of two', detail: 'So is this.' }]);
  await reasons.apply([{ txId: 'tx of two', detail: 'It is sought.' }]);
  await reasons.apply([]);
  expect(stored).toEqual([
    [['one', 'It is lost.']],
    [['two', 'So is this.']],
    [
      ['one', null],
      ['two', 'It is sought.'],
    ],
    [['two', null]],
  ]);
});

test('what the rows held of an earlier start is taken back when the ledger says it no more', async () => {
  const { reasons, stored } = reasonsOf(signed('one', 'It is lost.'));
  await reasons.apply([{ txId: 'tx of one', detail: 'It is lost.' }]);
  expect(stored).toEqual([]);
  await reasons.apply([]);
  expect(stored).toEqual([[['one', null]]]);
});

test('what could not be stored is told again', async () => {
  const { reasons, stored, store } = reasonsOf(signed('one'));
  const lost = [{ txId: 'tx of one', detail: 'It is lost.' }];
  store.mockRejectedValueOnce(new Error('The database is away.'));
  await expect(reasons.apply(lost)).rejects.toThrow('away');
  await reasons.apply(lost);
  expect(stored).toEqual([[['one', 'It is lost.']]]);
});

test('what no database takes as text, or acts on a terminal, holds up nothing: it is replaced', async () => {
  const { reasons, stored } = reasonsOf(signed('one'));
  const odd = [{ txId: 'tx of one', detail: 'It is\0 lost\u001b[2J \ud83d.' }];
  await reasons.apply(odd);
  await reasons.apply(odd);
  expect(stored).toEqual([[['one', 'It is  lost [2J \ufffd.']]]);
});

import { expect, test, vi } from 'vitest';
import { type Attempt, type LiveAction, noPendingReason } from '../../rows/model.ts';
import { type PendingReasonChange, PendingReasons } from './pending-reasons.ts';

function signed(id: string, detail?: string): { action: LiveAction; attempt: Attempt } {
  const attempt: Attempt = {
    ...{ txId: `tx of ${id}`, n: 0, kind: 'main', bytes: new Uint8Array(1), cost: 0n, note: null },
    unsent: false,
  };
  const action: LiveAction = {
    ...{ id, ledgerUid: 'ledger', plugin: null, trace: null, address: 'account', shard: 0, sequence: null },
    attempts: [attempt],
    ...{
      signedAt: 0,
      released: 0,
      releasedAt: 0,
      sentAt: 0,
      pendingReason: { ...noPendingReason(), stored: detail === undefined ? null : { detail, code: null } },
    },
  };
  return { action, attempt };
}

function reasonsOf(...entries: { action: LiveAction; attempt: Attempt }[]) {
  const stored: [string, string | null][][] = [];
  const store = vi.fn(async (changes: readonly PendingReasonChange[]) => {
    stored.push(changes.map(([{ id }, reason]) => [id, reason?.detail ?? null]));
  });
  const reasons = new PendingReasons(
    { actionOf: (txId) => entries.find(({ attempt }) => attempt.txId === txId) },
    () => null,
    store,
  );
  reasons.add(entries.map(({ action }) => action));
  return { reasons, stored, store };
}

test("writes an action's pending reason only when the ledger's remark changes, and clears it when the remark disappears", async () => {
  const { reasons, stored } = reasonsOf(signed('one'), signed('two'));
  const first = [{ txId: 'tx of one', detail: 'It is lost.' }];
  await reasons.apply([]);
  await reasons.apply(first);
  await reasons.apply([...first, { txId: 'tx of two', detail: 'So is this.' }]);
  await reasons.apply([{ txId: 'tx of two', detail: 'It is being searched for.' }]);
  await reasons.apply([]);
  expect(stored).toEqual([
    [['one', 'It is lost.']],
    [['two', 'So is this.']],
    [
      ['one', null],
      ['two', 'It is being searched for.'],
    ],
    [['two', null]],
  ]);
});

test('removes a remark that was stored before a restart if the ledger no longer reports it', async () => {
  const { reasons, stored } = reasonsOf(signed('one', 'It is lost.'));
  await reasons.apply([{ txId: 'tx of one', detail: 'It is lost.' }]);
  expect(stored).toEqual([]);
  await reasons.apply([]);
  expect(stored).toEqual([[['one', null]]]);
});

test('stores a remark again after a failed write', async () => {
  const { reasons, stored, store } = reasonsOf(signed('one'));
  const lost = [{ txId: 'tx of one', detail: 'It is lost.' }];
  store.mockRejectedValueOnce(new Error('The database is unavailable.'));
  await expect(reasons.apply(lost)).rejects.toThrow('unavailable');
  await reasons.apply(lost);
  expect(stored).toEqual([[['one', 'It is lost.']]]);
});

test('replaces characters in a remark that a database rejects or that control a terminal', async () => {
  const { reasons, stored } = reasonsOf(signed('one'));
  const odd = [{ txId: 'tx of one', detail: 'It is\0 lost\u001b[2J \ud83d.' }];
  await reasons.apply(odd);
  await reasons.apply(odd);
  expect(stored).toEqual([[['one', 'It is  lost [2J \ufffd.']]]);
});

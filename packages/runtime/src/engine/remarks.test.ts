import { expect, test, vi } from 'vitest';
import type { Attempt, LiveAction } from './model.ts';
import { createRemarks, type RemarkChange } from './remarks.ts';

function signed(id: string, remark?: string): { action: LiveAction; attempt: Attempt } {
  const attempt: Attempt = {
    ...{ txId: `tx of ${id}`, n: 0, kind: 'main', bytes: new Uint8Array(1), cost: 0n, note: null },
    unsent: false,
  };
  const action: LiveAction = {
    ...{ id, ledgerUid: 'ledger', plugin: null, address: 'account', shard: 0, sequence: null },
    attempts: [attempt],
    ...{ signedAt: 0, released: 0, releasedAt: 0, sentAt: 0, complaint: null },
    ...(remark === undefined ? {} : { remark }),
  };
  return { action, attempt };
}

function remarksOf(...entries: { action: LiveAction; attempt: Attempt }[]) {
  const stored: [string, string | null][][] = [];
  const store = vi.fn(async (changes: readonly RemarkChange[]) => {
    stored.push(changes.map(([{ id }, detail]) => [id, detail]));
  });
  const remarks = createRemarks({
    actionOf: (txId) => entries.find(({ attempt }) => attempt.txId === txId),
    store,
  });
  remarks.add(entries.map(({ action }) => action));
  return { remarks, stored, store };
}

test('what a ledger says of an action is stored once, until it says something else or nothing', async () => {
  const { remarks, stored } = remarksOf(signed('one'), signed('two'));
  const first = [{ txId: 'tx of one', detail: 'It is lost.' }];
  await remarks.hear([]);
  await remarks.hear(first);
  await remarks.hear([...first, { txId: 'tx of two', detail: 'So is this.' }]);
  await remarks.hear([{ txId: 'tx of two', detail: 'It is sought.' }]);
  await remarks.hear([]);
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
  const { remarks, stored } = remarksOf(signed('one', 'It is lost.'));
  await remarks.hear([{ txId: 'tx of one', detail: 'It is lost.' }]);
  expect(stored).toEqual([]);
  await remarks.hear([]);
  expect(stored).toEqual([[['one', null]]]);
});

test('what could not be stored is told again', async () => {
  const { remarks, stored, store } = remarksOf(signed('one'));
  const lost = [{ txId: 'tx of one', detail: 'It is lost.' }];
  store.mockRejectedValueOnce(new Error('The database is away.'));
  await expect(remarks.hear(lost)).rejects.toThrow('away');
  await remarks.hear(lost);
  expect(stored).toEqual([[['one', 'It is lost.']]]);
});

test('what no database takes as text, or acts on a terminal, holds up nothing: it is replaced', async () => {
  const { remarks, stored } = remarksOf(signed('one'));
  const odd = [{ txId: 'tx of one', detail: 'It is\0 lost\u001b[2J \ud83d.' }];
  await remarks.hear(odd);
  await remarks.hear(odd);
  expect(stored).toEqual([[['one', 'It is  lost [2J \ufffd.']]]);
});

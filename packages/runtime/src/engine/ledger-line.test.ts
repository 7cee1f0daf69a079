import type { Confirmed, ConfirmRequest, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter/memory';
import type { LedgerRecord } from '@ledger-ops/registry';
import { expect, test, vi } from 'vitest';
import type { OpenLedger } from '../types.ts';
import { createLedgerLine } from './ledger-line.ts';
import type { LiveAction } from './model.ts';

const position = (height: number) => ({ height, hash: `block ${height}` });

function takenOver(id: string): LiveAction {
  const attempt = {
    txId: `tx of ${id}`,
    n: 0,
    kind: 'main',
    bytes: new Uint8Array(1),
    cost: 0n,
    note: null,
    unsent: false,
  } as const;
  return {
    ...{ id, ledgerUid: 'ledger', plugin: null, address: 'account', shard: 0, sequence: 0 },
    attempts: [attempt],
    ...{ signedAt: 0, released: 0, releasedAt: 0, sentAt: 0, complaint: null },
  };
}

test('what is taken over while blocks are read is looked for from the start, since its block may have passed', async () => {
  const cursors: ConfirmRequest['cursor'][] = [];
  const answers: PromiseWithResolvers<Confirmed>[] = [];
  const definition = memoryAdapter(createMemoryLedger());
  const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
  const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
  const session: LedgerSession = {
    ...(await definition.open(ledger, host)),
    confirm({ cursor }) {
      cursors.push(cursor);
      const answer = Promise.withResolvers<Confirmed>();
      answers.push(answer);
      return answer.promise;
    },
    onHead: () => () => {},
    submit: async (submissions) => submissions.map(({ txId }) => ({ txId, status: 'known' })),
  };
  const answer = (height: number) =>
    answers.at(-1)?.resolve({
      cursor: position(height),
      head: position(height),
      outcomes: [],
      reorganised: false,
    });
  const record: LedgerRecord = {
    ...ledger,
    nodes: [],
    uid: 'ledger',
    id: 1,
    projectUid: null,
    name: 'ledger',
    active: true,
    revision: 1,
  };
  const open: OpenLedger = { record, definition, session, pluginUid: 'memory', chain: () => session.chain() };
  const line = createLedgerLine({
    open,
    chain: 'chain',
    adopted: new Set(),
    owner: {
      settle: async () => {},
      reject: async () => {},
      note: async () => {},
      remark: async () => {},
      restore: async () => {},
    },
    faults: () => {},
    log: () => {},
    now: Date.now,
  });
  line.start(null);
  await vi.waitFor(() => expect(cursors).toEqual([null]), 30_000);
  line.add([takenOver('one')], false);
  answer(5);
  await vi.waitFor(() => expect(cursors).toHaveLength(2), 30_000);
  expect(cursors[1]).toBeNull();
  const stopped = line.stop();
  answer(6);
  await stopped;
});

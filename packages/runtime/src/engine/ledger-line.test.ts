import type { Confirmed, ConfirmRequest, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter/memory';
import type { LedgerRecord } from '@ledger-ops/registry';
import { expect, test, vi } from 'vitest';
import type { OpenLedger } from '../types.ts';
import { createLedgerLine, type LineOwner } from './ledger-line.ts';
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

const base = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;

/** A line on a session that answers `confirm` as told, and else as a memory ledger does. */
async function lineOn(confirm: LedgerSession['confirm'], owner: Partial<LineOwner> = {}) {
  const definition = memoryAdapter(createMemoryLedger());
  const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
  const session: LedgerSession = {
    ...(await definition.open(base, host)),
    confirm,
    onHead: () => () => {},
    submit: async (submissions) => submissions.map(({ txId }) => ({ txId, status: 'known' })),
  };
  const record: LedgerRecord = {
    ...base,
    nodes: [],
    uid: 'ledger',
    id: 1,
    projectUid: null,
    name: 'ledger',
    active: true,
    revision: 1,
  };
  const open: OpenLedger = { record, definition, session, pluginUid: 'memory', chain: () => session.chain() };
  return createLedgerLine({
    open,
    chain: 'chain',
    adopted: new Set(),
    owner: {
      settle: async () => {},
      reject: async () => {},
      note: async () => {},
      remark: async () => {},
      replace: async () => new Map(),
      inspect: async () => new Map(),
      restore: async () => {},
      fillGaps: async () => {},
      past: {
        read: async () => ({ actions: [], last: null }),
        resend: async () => {},
        write: async () => {},
      },
      ...owner,
    },
    faults: () => {},
    log: () => {},
    now: Date.now,
  });
}

test('what is taken over while blocks are read is looked for from the start, beside the cursor, which stays', async () => {
  const cursors: ConfirmRequest['cursor'][] = [];
  const answers: PromiseWithResolvers<Confirmed>[] = [];
  const line = await lineOn(({ cursor }) => {
    cursors.push(cursor);
    const answer = Promise.withResolvers<Confirmed>();
    answers.push(answer);
    return answer.promise;
  });
  const answer = (height: number) =>
    answers.at(-1)?.resolve({
      cursor: position(height),
      head: position(height),
      outcomes: [],
      reorganised: false,
    });
  line.start(null);
  await vi.waitFor(() => expect(cursors).toEqual([null]), 30_000);
  line.add([takenOver('one')], false);
  answer(5);
  await vi.waitFor(() => expect(cursors).toHaveLength(2), 30_000);
  // Its block may have passed; and only from the cursor it is seen that blocks were taken back.
  answer(6);
  await vi.waitFor(() => expect(cursors).toEqual([null, null, position(5)]), 30_000);
  const stopped = line.stop();
  answer(6);
  await stopped;
});

test('after a restart a node that is behind is asked until it shows whether the last block is still there', async () => {
  const asked: ConfirmRequest['cursor'][] = [];
  const restored: boolean[] = [];
  const mark = position(9);
  const line = await lineOn(
    async ({ cursor }) => {
      asked.push(cursor);
      const head = position(5);
      return { cursor: cursor ?? head, head, outcomes: [], reorganised: asked.length === 2 };
    },
    { restore: async (_line, _identity, isBehind) => void restored.push(isBehind) },
  );
  line.start(mark);
  await vi.waitFor(() => expect(restored).toEqual([true]), 30_000);
  expect(asked.slice(0, 2)).toEqual([mark, mark]);
  await line.stop();
});

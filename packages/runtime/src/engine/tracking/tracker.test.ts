import type { Confirmed, ConfirmRequest, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { LedgerRecord } from '@ledger-ops/registry';
import { expect, test, vi } from 'vitest';
import { deafMeter } from '../../meter.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import type { LiveAction } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { createTraces } from '../../traces/traces.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { LedgerContext } from '../context.ts';
import { createTracker, type TrackerOptions } from './tracker.ts';

/** Without rows: what is read and written there is left out. */
const parts: LedgerContext & Pick<ChainContext, 'chain' | 'trackers'> = {
  chain: 'chain',
  trackers: () => [],
  meter: deafMeter,
  traces: createTraces(),
  faults: () => {},
  log: () => {},
  now: Date.now,
  timing: { ...defaultTiming, resend: 20 },
};
const context = parts as ChainContext;
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
    ...{ id, ledgerUid: 'ledger', plugin: null, trace: null, address: 'account', shard: 0, sequence: 0 },
    attempts: [attempt],
    ...{ signedAt: 0, released: 0, releasedAt: 0, sentAt: 0, complaint: null },
  };
}

const base = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;

/** A tracker on a session that answers `confirm` as told, and else as a memory ledger does. */
async function trackerOn(
  confirm: LedgerSession['confirm'],
  restore: TrackerOptions['restore'] = async () => {},
) {
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
  return createTracker(context, {
    open,
    adopted: new Set(),
    settlements: {
      settle: async () => {},
      reject: async () => {},
      note: async () => {},
      pendingReasons: async () => {},
      past: async () => {},
    },
    restore,
  });
}

test('what is taken over while blocks are read is looked for from the start, beside the cursor, which stays', async () => {
  const cursors: ConfirmRequest['cursor'][] = [];
  const answers: PromiseWithResolvers<Confirmed>[] = [];
  const tracker = await trackerOn(({ cursor }) => {
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
  tracker.start(null);
  await vi.waitFor(() => expect(cursors).toEqual([null]), 30_000);
  tracker.add([takenOver('one')], false);
  answer(5);
  await vi.waitFor(() => expect(cursors).toHaveLength(2), 30_000);
  // Its block may have passed; and only from the cursor it is seen that blocks were taken back.
  answer(6);
  await vi.waitFor(() => expect(cursors).toEqual([null, null, position(5)]), 30_000);
  const stopped = tracker.stop();
  answer(6);
  await stopped;
});

test('after a restart a node that is behind is asked until it shows whether the last block is still there', async () => {
  const asked: ConfirmRequest['cursor'][] = [];
  const restored: boolean[] = [];
  const mark = position(9);
  const tracker = await trackerOn(
    async ({ cursor }) => {
      asked.push(cursor);
      const head = position(5);
      return { cursor: cursor ?? head, head, outcomes: [], reorganised: asked.length === 2 };
    },
    async (_tracker, _identity, isBehind) => void restored.push(isBehind),
  );
  tracker.start(mark);
  await vi.waitFor(() => expect(restored).toEqual([true]), 30_000);
  expect(asked.slice(0, 2)).toEqual([mark, mark]);
  await tracker.stop();
});

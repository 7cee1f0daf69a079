import type { Confirmed, ConfirmRequest, LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { LedgerRecord } from '@ledger-ops/registry';
import { expect, test, vi } from 'vitest';
import { noMeter } from '../../meter.ts';
import { OpenLedger } from '../../open-ledger.ts';
import { type LiveAction, noPendingReason } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { createTraces } from '../../traces/traces.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { LedgerContext } from '../context.ts';
import { Poller, type PollerOptions } from './poller.ts';
import { Tracker } from './tracker.ts';

/** The store is missing, because these tests do not use the database. */
const parts: LedgerContext & Pick<ChainContext, 'chain' | 'trackers'> = {
  chain: 'chain',
  trackers: () => [],
  meter: noMeter,
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
    ...{ signedAt: 0, released: 0, releasedAt: 0, sentAt: 0, pendingReason: noPendingReason() },
  };
}

const base = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;

/** Returns a tracker on a memory ledger. Its session reads outcomes with the given `confirm`. */
async function trackerOn(
  confirm: LedgerSession['confirm'],
  restore: PollerOptions['restore'] = async () => {},
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
  const open = new OpenLedger({ record, definition, session, pluginUid: 'memory' });
  const tracker = new Tracker(context, {
    open,
    chain: 'chain',
    adopted: new Set(),
    trackers: () => [],
    writes: {
      reject: async () => {},
      note: async () => {},
      pendingReasons: async () => {},
      past: async () => {},
    },
  });
  const poller = new Poller(context, tracker, { settlements: { settle: async () => {} }, restore });
  return { tracker, poller };
}

test('an action taken over while blocks are read is searched for in the whole chain, and the cursor is kept', async () => {
  const cursors: ConfirmRequest['cursor'][] = [];
  const answers: PromiseWithResolvers<Confirmed>[] = [];
  const { tracker, poller } = await trackerOn(({ cursor }) => {
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
  poller.start(null);
  await vi.waitFor(() => expect(cursors).toEqual([null]), 30_000);
  tracker.add([takenOver('one')], false);
  answer(5);
  await vi.waitFor(() => expect(cursors).toHaveLength(2), 30_000);
  // The action's block may already have been read, so the chain is searched without a cursor. Only the call
  // with the cursor detects a reorg.
  answer(6);
  await vi.waitFor(() => expect(cursors).toEqual([null, null, position(5)]), 30_000);
  const stopped = poller.stop();
  answer(6);
  await stopped;
});

test('after a restart, keeps querying a node that is behind until it shows whether the last block still exists', async () => {
  const asked: ConfirmRequest['cursor'][] = [];
  const restored: boolean[] = [];
  const mark = position(9);
  const { poller } = await trackerOn(
    async ({ cursor }) => {
      asked.push(cursor);
      const head = position(5);
      return { cursor: cursor ?? head, head, outcomes: [], reorganised: asked.length === 2 };
    },
    async (_tracker, _identity, isBehind) => void restored.push(isBehind),
  );
  poller.start(mark);
  await vi.waitFor(() => expect(restored).toEqual([true]), 30_000);
  expect(asked.slice(0, 2)).toEqual([mark, mark]);
  await poller.stop();
});

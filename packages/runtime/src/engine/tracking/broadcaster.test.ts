import { adapterError, type LedgerSession, type Submitted } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { LedgerRecord } from '@ledger-ops/registry';
import { afterEach, expect, test, vi } from 'vitest';
import { noMeter } from '../../meter.ts';
import { OpenLedger } from '../../open-ledger.ts';
import { type Attempt, type LiveAction, noPendingReason } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { createTraces } from '../../traces/traces.ts';
import type { LedgerContext } from '../context.ts';
import { Broadcaster, type SubmissionWrites } from './broadcaster.ts';
import type { FollowedActions } from './followed-actions.ts';

afterEach(() => void vi.useRealTimers());

const context = {
  ...{ faults: () => undefined, log: () => undefined, meter: noMeter, traces: createTraces() },
  ...{ now: Date.now, timing: defaultTiming },
};
const txId = 'tx';

function signed(unsent: boolean): { action: LiveAction; attempt: Attempt } {
  const attempt: Attempt = {
    txId,
    n: 0,
    kind: 'main',
    bytes: new Uint8Array(),
    cost: 0n,
    note: null,
    unsent,
  };
  const action: LiveAction = {
    id: 'action',
    ledgerUid: 'ledger',
    plugin: null,
    trace: null,
    address: 'a',
    shard: 0,
    sequence: null,
    attempts: [attempt],
    signedAt: 0,
    released: 0,
    releasedAt: 0,
    sentAt: 0,
    pendingReason: noPendingReason(),
  };
  return { action, attempt };
}

/** Creates an open ledger that has only the members that sending uses. */
function openOn(submit: LedgerSession['submit'], sequence: 'account' | 'none' = 'none'): OpenLedger {
  const session: Pick<LedgerSession, 'submit'> = { submit };
  const record: Pick<LedgerRecord, 'ledgerId'> = { ledgerId: 'ledger' };
  return new OpenLedger({
    session: session as LedgerSession,
    record: record as LedgerRecord,
    definition: memoryAdapter(createMemoryLedger(sequence === 'none' ? { sequence } : {})),
    pluginUid: 'memory',
  });
}

const settlements = { reject: async () => undefined, note: async () => undefined };

type Followed = Pick<FollowedActions, 'actionOf'> & { open: OpenLedger };

function trackerOn(open: OpenLedger, actionOf: FollowedActions['actionOf']): Followed {
  return { open, actionOf };
}

function createBroadcaster(
  context: LedgerContext,
  { open, actionOf }: Followed,
  writes: SubmissionWrites,
): Broadcaster {
  return new Broadcaster(context, open, { actionOf }, writes);
}

test('a rejection does not fail an action that another server may have sent in the meantime', async () => {
  const answer = Promise.withResolvers<Submitted[]>();
  const submit = vi.fn<LedgerSession['submit']>(() => answer.promise);
  let entry = signed(true);
  const reject = vi.fn(async () => undefined);
  const broadcaster = createBroadcaster(
    context,
    trackerOn(openOn(submit), () => entry),
    {
      reject,
      note: async () => undefined,
    },
  );
  broadcaster.release(entry.action);
  await vi.waitFor(() => expect(submit).toHaveBeenCalledOnce(), 30_000);
  expect(submit.mock.calls[0]?.[0][0]?.first).toBe(true);
  // Another server held the shard in the meantime, so the attempt was reloaded.
  entry = signed(false);
  answer.resolve([{ txId, status: 'rejected' }]);
  await broadcaster.stop();
  expect(reject).not.toHaveBeenCalled();
});

test('a rejection fails an action that only this server has sent', async () => {
  const entry = signed(true);
  const reject = vi.fn(async () => undefined);
  const broadcaster = createBroadcaster(
    context,
    trackerOn(
      openOn(async () => [{ txId, status: 'rejected' }]),
      () => entry,
    ),
    { reject, note: async () => undefined },
  );
  broadcaster.release(entry.action);
  await vi.waitFor(() => expect(reject).toHaveBeenCalledOnce(), 30_000);
  await broadcaster.stop();
});

test('a rejection fails an action that this server, or a killed server, sent before', async () => {
  const entry = signed(false);
  const answers: Submitted['status'][] = ['refused', 'rejected'];
  const submit = vi.fn<LedgerSession['submit']>(async () =>
    answers.splice(0, 1).map((status) => ({ txId, status })),
  );
  const reject = vi.fn(async () => undefined);
  const broadcaster = createBroadcaster(
    context,
    trackerOn(openOn(submit), () => entry),
    {
      reject,
      note: async () => undefined,
    },
  );
  broadcaster.release(entry.action);
  await vi.waitFor(() => expect(answers).toHaveLength(1), 30_000);
  expect(reject).not.toHaveBeenCalled();
  // The action is resent until it has an outcome.
  await vi.waitFor(() => {
    broadcaster.release(entry.action);
    expect(reject).toHaveBeenCalled();
  }, 30_000);
  expect(submit.mock.calls.map(([submissions]) => submissions[0]?.first)).toEqual([undefined, undefined]);
  await broadcaster.stop();
});

test('resends the lost transaction of a finished action until a node accepts it', async () => {
  vi.useFakeTimers();
  const answers: (Submitted['status'] | 'timeout')[] = ['refused', 'timeout', 'unavailable', 'accepted'];
  const submit = vi.fn<LedgerSession['submit']>(async () => {
    const [status = 'accepted'] = answers.splice(0, 1);
    if (status === 'timeout') throw adapterError('timeout', 'No answer.', { phase: 'submit' });
    return [{ txId, status }];
  });
  const open = openOn(submit, 'account');
  const broadcaster = createBroadcaster(
    context,
    trackerOn(open, () => undefined),
    settlements,
  );
  broadcaster.resend([{ txId, bytes: new Uint8Array(1) }]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(submit).toHaveBeenCalledTimes(4);
  expect(answers).toEqual([]);
  await broadcaster.stop();
});

test('after a reorg, resends only the empty transaction of a canceled action', async () => {
  const { action, attempt } = signed(false);
  const noop: Attempt = { ...attempt, txId: 'noop', n: 1, kind: 'noop' };
  action.attempts.push(noop);
  action.released = 1;
  action.change = { kind: 'cancel', cap: null };
  const submit = vi.fn<LedgerSession['submit']>(async (all) =>
    all.map((one) => ({ txId: one.txId, status: 'known' })),
  );
  const broadcaster = createBroadcaster(
    context,
    trackerOn(openOn(submit), (id) => ({ action, attempt: id === noop.txId ? noop : attempt })),
    settlements,
  );
  broadcaster.resend([attempt, noop]);
  await vi.waitFor(() => expect(submit).toHaveBeenCalled(), 30_000);
  broadcaster.release(action);
  await broadcaster.sendEverywhere([action]);
  await broadcaster.stop();
  const sent = submit.mock.calls.flatMap(([all]) => all.map(({ txId: id }) => id));
  expect(new Set(sent)).toEqual(new Set(['noop']));
});

test('logs thousands of refusals as one line immediately and one line later', async () => {
  const log = vi.fn();
  const submit = vi.fn<LedgerSession['submit']>(async (all) =>
    all.map(({ txId: id }) => ({ txId: id, status: 'refused' })),
  );
  const entry = signed(false);
  const broadcaster = createBroadcaster(
    { ...context, log },
    trackerOn(openOn(submit), () => entry),
    settlements,
  );
  broadcaster.resend(Array.from({ length: 1_000 }, (_, n) => ({ txId: `tx${n}`, bytes: new Uint8Array() })));
  await vi.waitFor(() => expect(submit).toHaveBeenCalledTimes(1_000), 30_000);
  await broadcaster.stop();
  expect(log.mock.calls.map(([, event, { count }]) => [event, count])).toEqual([
    ['submit.refused', 1],
    ['submit.refused', 999],
  ]);
});

test('a long queue does not block the event loop if the adapter responds immediately', async () => {
  let sent = 0;
  const submit: LedgerSession['submit'] = async (all) => {
    sent += all.length;
    return all.map((one) => ({ txId: one.txId, status: 'known' }));
  };
  const tracker = trackerOn(openOn(submit), () => undefined);
  const broadcaster = createBroadcaster(context, tracker, settlements);
  const many = Array.from({ length: 1_000 }, (_, n) => ({ txId: `${n}`, bytes: new Uint8Array() }));
  broadcaster.resend(many);
  await new Promise((turn) => setImmediate(turn));
  expect(sent).toBeLessThan(many.length);
  await vi.waitFor(() => expect(sent).toBe(many.length), 30_000);
  await broadcaster.stop();
});

test('queues a transaction only once while a slow node delays sending', async () => {
  const gate = Promise.withResolvers<void>();
  const sent: string[] = [];
  const submit: LedgerSession['submit'] = async (all) => {
    sent.push(...all.map((one) => one.txId));
    await gate.promise;
    return all.map((one) => ({ txId: one.txId, status: 'known' }));
  };
  const actions = Array.from({ length: 3 }, (_, n) => {
    const { action, attempt } = signed(false);
    return { ...action, id: `${n}`, sequence: n, attempts: [{ ...attempt, txId: `${n}` }] };
  });
  const open = openOn(submit, 'account');
  const broadcaster = createBroadcaster(
    context,
    trackerOn(open, () => undefined),
    settlements,
  );
  // Two calls may run concurrently.
  for (const action of actions.slice(0, 2)) broadcaster.release(action);
  for (let times = 0; times < 5; times += 1) for (const action of actions) broadcaster.release(action);
  gate.resolve();
  await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(5), 30_000);
  await broadcaster.stop();
  expect(sent.toSorted()).toEqual(['0', '0', '1', '1', '2']);
});

/**
 * Sends an action that has a fee bump to every node, once per step of the script. A step contains the nodes' responses
 * to both transactions.
 */
async function answered(script: Record<'tx' | 'bump', Omit<Submitted, 'txId'>>[]) {
  const { action, attempt } = signed(false);
  const bump: Attempt = { ...attempt, txId: 'bump', n: 1, kind: 'bump' };
  action.attempts.push(bump);
  action.released = 1;
  const sent: string[][] = [];
  const submit: LedgerSession['submit'] = async (all) => {
    const answers = script[sent.length];
    sent.push(all.map(({ txId: id }) => id));
    return all.map(({ txId: id }) => ({
      txId: id,
      ...(answers?.[id === 'bump' ? 'bump' : 'tx'] ?? { status: 'known' }),
    }));
  };
  const broadcaster = createBroadcaster(
    context,
    trackerOn(openOn(submit, 'account'), (id) => ({
      action,
      attempt: id === 'bump' ? bump : attempt,
    })),
    settlements,
  );
  for (const _ of script) await broadcaster.sendEverywhere([action]);
  await broadcaster.stop();
  return { action, sent };
}

const refusal = (detail: string): Omit<Submitted, 'txId'> => ({
  ...{ status: 'refused', problem: { code: 'refused', phase: 'submit', detail } },
});

test('does not show a refusal of an action while a node has another transaction of the same action', async () => {
  const used = refusal('The nonce is too low.');
  expect((await answered([{ tx: { status: 'known' }, bump: used }])).action.pendingReason.refusal).toBeNull();
  expect(
    (await answered([{ tx: used, bump: { status: 'accepted' } }])).action.pendingReason.refusal,
  ).toBeNull();
  const both = await answered([{ tx: refusal('The first.'), bump: refusal('The second.') }]);
  expect(both.action.pendingReason.refusal).toBe('The second.');
  const superseded = await answered([
    { tx: used, bump: refusal('The pool is full.') },
    { tx: used, bump: { status: 'accepted' } },
  ]);
  expect(superseded.action.pendingReason.refusal).toBeNull();
});

test('stops resending a transaction with too low a fee while a newer one may be accepted', async () => {
  const cheap = { ...refusal('It offers too little.'), feeTooLow: 'minimum' } as const;
  const { sent } = await answered([
    { tx: cheap, bump: { status: 'accepted' } },
    { tx: cheap, bump: { status: 'known' } },
    { tx: cheap, bump: refusal('The wallet cannot pay for it.') },
    { tx: cheap, bump: { status: 'known' } },
  ]);
  expect(sent).toEqual([['tx', 'bump'], ['bump'], ['bump'], ['tx', 'bump']]);
});

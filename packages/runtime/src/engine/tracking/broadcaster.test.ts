import { adapterError, type LedgerSession, type Submitted } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { LedgerRecord } from '@ledger-ops/registry';
import { afterEach, expect, test, vi } from 'vitest';
import { deafMeter } from '../../meter.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import type { Attempt, LiveAction } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { createTraces } from '../../traces/traces.ts';
import { createBroadcaster } from './broadcaster.ts';
import type { Tracker } from './types.ts';

afterEach(() => void vi.useRealTimers());

const context = {
  ...{ faults: () => undefined, log: () => undefined, meter: deafMeter, traces: createTraces() },
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
    complaint: null,
  };
  return { action, attempt };
}

/** Without the parts that sending does not use. */
function openOn(submit: LedgerSession['submit']): OpenLedger {
  const session: Pick<LedgerSession, 'submit'> = { submit };
  const record: Pick<LedgerRecord, 'ledgerId'> = { ledgerId: 'ledger' };
  const open: Pick<OpenLedger, 'session' | 'record' | 'definition'> = {
    session: session as LedgerSession,
    record: record as LedgerRecord,
    definition: memoryAdapter(createMemoryLedger({ sequence: 'none' })),
  };
  return open as OpenLedger;
}

const settlements = { reject: async () => undefined, note: async () => undefined };

/** Without the parts that sending does not use. */
function trackerOn(open: OpenLedger, actionOf: Tracker['actionOf']): Tracker {
  const tracker: Pick<Tracker, 'open' | 'actionOf' | 'noted'> = { open, actionOf, noted: () => undefined };
  return tracker as Tracker;
}

test('a refusal for certain ends nothing that another server may have sent since it was asked for', async () => {
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
  // The lane went to another server and came back.
  entry = signed(false);
  answer.resolve([{ txId, status: 'rejected' }]);
  await broadcaster.stop();
  expect(reject).not.toHaveBeenCalled();
});

test('a refusal for certain ends what this server alone has sent', async () => {
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

test('a refusal for certain ends what was sent before, here or by a server that was killed', async () => {
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
  // Sent again and again, until there is an outcome.
  await vi.waitFor(() => {
    broadcaster.release(entry.action);
    expect(reject).toHaveBeenCalled();
  }, 30_000);
  expect(submit.mock.calls.map(([submissions]) => submissions[0]?.first)).toEqual([undefined, undefined]);
  await broadcaster.stop();
});

test('bytes of a finished action that the chain lost are sent until a node takes them', async () => {
  vi.useFakeTimers();
  const answers: (Submitted['status'] | 'timeout')[] = ['refused', 'timeout', 'unavailable', 'accepted'];
  const submit = vi.fn<LedgerSession['submit']>(async () => {
    const [status = 'accepted'] = answers.splice(0, 1);
    if (status === 'timeout') throw adapterError('timeout', 'No answer.', { phase: 'submit' });
    return [{ txId, status }];
  });
  const open = openOn(submit);
  const broadcaster = createBroadcaster(
    context,
    trackerOn({ ...open, definition: memoryAdapter(createMemoryLedger()) }, () => undefined),
    settlements,
  );
  broadcaster.resend([{ txId, bytes: new Uint8Array(1) }]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(submit).toHaveBeenCalledTimes(4);
  expect(answers).toEqual([]);
  await broadcaster.stop();
});

test('what was cancelled is not sent again after blocks were lost, what takes its place is', async () => {
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
  await broadcaster.everywhere([action]);
  await broadcaster.stop();
  const sent = submit.mock.calls.flatMap(([all]) => all.map(({ txId: id }) => id));
  expect(new Set(sent)).toEqual(new Set(['noop']));
});

test('thousands of refusals are one line of the log now, and one later', async () => {
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

test('a long queue leaves turns to others where the adapter answers at once', async () => {
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

test('what waits behind a node that is slow waits once, however often it is to be sent again meanwhile', async () => {
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
  const open = { ...openOn(submit), definition: memoryAdapter(createMemoryLedger()) };
  const broadcaster = createBroadcaster(
    context,
    trackerOn(open, () => undefined),
    settlements,
  );
  // Two calls are under way at once.
  for (const action of actions.slice(0, 2)) broadcaster.release(action);
  for (let times = 0; times < 5; times += 1) for (const action of actions) broadcaster.release(action);
  gate.resolve();
  await vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(5), 30_000);
  await broadcaster.stop();
  expect(sent.toSorted()).toEqual(['0', '0', '1', '1', '2']);
});

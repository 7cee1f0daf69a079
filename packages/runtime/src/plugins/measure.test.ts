import { type AdapterHost, adapterError, type LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { expect, test } from 'vitest';
import { measured } from './measure.ts';

const host: AdapterHost = { now: Date.now, signal: new AbortController().signal, log: () => undefined };

/** Runs a session call that throws `error`. */
async function failing(error: unknown) {
  const told: string[] = [];
  const measurements = { latency: null, lastError: null };
  const adapter = memoryAdapter(createMemoryLedger());
  const open = async (...given: Parameters<typeof adapter.open>): Promise<LedgerSession> => ({
    ...(await adapter.open(...given)),
    lookup: () => Promise.reject(error),
  });
  const definition = measured(
    { ...adapter, open },
    measurements,
    () => 7,
    (one) => told.push(one),
  );
  const ledger = {
    ledgerId: 'ledger',
    technology: adapter.technology,
    properties: {},
    nodes: [{ nodeId: 'node', uri: 'https://node.test/' }],
  };
  const session = await definition.open(ledger, host);
  return { session, told, measurements };
}

test('reports an error that is not an AdapterError by name, code and location, without its message', async () => {
  const error = Object.assign(new TypeError('undefined is not iterable'), { code: 'ERR_ODD' });
  const { session, told, measurements } = await failing(error);
  await expect(session.lookup('0x00')).rejects.toBe(error);
  expect(told).toEqual([
    expect.stringMatching(/^TypeError \(ERR_ODD\) at src\/plugins\/measure\.test\.ts:\d+:\d+$/),
  ]);
  expect(measurements.lastError).toEqual({ at: 7, detail: expect.not.stringContaining('iterable') });
});

test('an AdapterError other than an adapter fault is not reported as a plugin failure', async () => {
  const { session, told, measurements } = await failing(
    adapterError('unavailable', 'No node answers.', { phase: 'lookup' }),
  );
  await expect(session.lookup('0x00')).rejects.toThrow('No node answers.');
  expect(told).toEqual([]);
  expect(measurements.lastError).toEqual({ at: 7, detail: 'No node answers.' });
});

test('reports the cause of an adapter fault by name, code and location, but not the cause of other AdapterErrors', async () => {
  const cause = new RangeError('s3cret');
  const fault = await failing(adapterError('adapter-fault', 'It broke.', { phase: 'lookup', cause }));
  await expect(fault.session.lookup('0x00')).rejects.toThrow('It broke.');
  expect(fault.told).toEqual([
    expect.stringMatching(/^RangeError at src\/plugins\/measure\.test\.ts:\d+:\d+$/),
  ]);
  const answer = await failing(adapterError('unavailable', 'No node answers.', { phase: 'lookup', cause }));
  await expect(answer.session.lookup('0x00')).rejects.toThrow('No node answers.');
  expect(answer.told).toEqual([]);
});

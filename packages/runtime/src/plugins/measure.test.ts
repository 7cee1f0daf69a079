import { type AdapterHost, adapterError, type LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter/memory';
import { expect, test } from 'vitest';
import { measured } from './measure.ts';

const host: AdapterHost = { now: Date.now, signal: new AbortController().signal, log: () => undefined };

/** A session whose look-ups fail with this. */
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
    properties: { api_password: 'open sesame' },
    nodes: [{ nodeId: 'node', uri: 'https://user:s3cret@node.test/' }],
  };
  const session = await definition.open(ledger, host);
  return { session, told, measurements };
}

test('what a plugin throws that is no AdapterError is told as it is: callers only hear that the plugin is at fault', async () => {
  const error = new TypeError('undefined is not iterable');
  const { session, told, measurements } = await failing(error);
  await expect(session.lookup('0x00')).rejects.toBe(error);
  expect(told).toEqual([
    expect.stringMatching(/^TypeError: undefined is not iterable\n\s+at .*measure\.test/),
  ]);
  expect(measurements.lastError).toEqual({ at: 7, detail: expect.not.stringContaining('iterable') });
});

test('an AdapterError is an answer', async () => {
  const { session, told, measurements } = await failing(
    adapterError('unavailable', 'lookup', 'No node answers.'),
  );
  await expect(session.lookup('0x00')).rejects.toThrow('No node answers.');
  expect(told).toEqual([]);
  expect(measurements.lastError).toEqual({ at: 7, detail: 'No node answers.' });
});

test("nothing of a ledger's credentials stands in what is told, and it has an end", async () => {
  const words = 'The URL https://user:s3cret@node.test/ includes credentials; open sesame';
  const { session, told } = await failing(new TypeError(`${words}${'.'.repeat(100_000)}`));
  await expect(session.lookup('0x00')).rejects.toThrow(words);
  expect(told[0]).toContain('The URL https://[secret]:[secret]@node.test/ includes credentials; [secret]');
  expect(told[0]?.length).toBeLessThan(10_000);
});

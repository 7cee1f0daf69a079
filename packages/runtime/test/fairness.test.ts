import type { AdapterDefinition } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { startEngine, stopEngines } from './engine-harness.ts';

describeStores('a wallet whose transaction preparation hangs', (open) => {
  afterEach(stopEngines);

  test('a wallet whose preparation hangs does not delay other wallets, and continues later', async () => {
    const ledger = createMemoryLedger({ sequence: 'none' });
    const memory = memoryAdapter(ledger, { technology: 'ethereum' });
    const released = Promise.withResolvers<void>();
    let slow: string | undefined;
    let hanging = 0;
    const adapter: AdapterDefinition = {
      ...memory,
      async open(record, host) {
        const session = await memory.open(record, host);
        return {
          ...session,
          async prepare(requests) {
            if (requests.some(({ wallet }) => wallet.address === slow)) {
              hanging += 1;
              await released.promise;
            }
            return session.prepare(requests);
          },
        };
      },
    };
    const harness = await startEngine({ store: await open(), ledger, adapter });
    const [hung, ...others] = await Promise.all([1, 2, 3].map(() => harness.wallet()));
    slow = hung?.address;
    const send = (from = hung) =>
      from === undefined ? Promise.reject(new TypeError('No wallet.')) : harness.send(from);
    await Promise.all(Array.from({ length: 400 }, () => send()));
    const ends = await harness.ended(
      await Promise.all(Array.from({ length: 20 }, (_, index) => send(others[index % 2]))),
    );
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(hanging).toBeGreaterThan(1);
    released.resolve();
    await vi.waitFor(async () => {
      const rows = await harness.store.read.all(
        'SELECT status, COUNT(*) AS actions FROM action GROUP BY status',
      );
      expect(rows).toEqual([{ status: 'SUCCEEDED', actions: 420 }]);
    }, 60_000);
    expect(ledger.executions()).toBe(420);
  }, 300_000);
});

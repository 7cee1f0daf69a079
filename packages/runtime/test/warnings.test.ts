import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { startEngine, stopEngines } from './engine-harness.ts';

describeStores('warnings of adapters about nodes', (open) => {
  afterEach(stopEngines);

  test("shows an adapter's warnings about single nodes while they last, without marking the ledger as unavailable", async () => {
    const ledger = createMemoryLedger();
    const adapter = memoryAdapter(ledger, { technology: 'ethereum' });
    let warnings: string[] | undefined = ['Node a drops transactions.\n'];
    const harness = await startEngine({
      store: await open(),
      ledger,
      adapter: {
        ...adapter,
        async open(record, host) {
          const session = await adapter.open(record, host);
          return {
            ...session,
            async confirm(request) {
              const confirmed = await session.confirm(request);
              return warnings === undefined ? confirmed : { ...confirmed, warnings };
            },
          };
        },
      },
    });
    const from = await harness.wallet();
    await harness.ended([await harness.send(from)]);
    expect(harness.engine.health()).toMatchObject([
      { reasons: [], warnings: ['Node a drops transactions.'] },
    ]);
    warnings = undefined;
    const id = await harness.send(from);
    await vi.waitFor(() => expect(harness.engine.health()).toEqual([]), 30_000);
    await harness.ended([id]);
  });
});

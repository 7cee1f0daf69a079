import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { storeUnsignedReason } from '../src/rows/actions/store-pending-reasons.ts';
import { startEngine, stopEngines } from './engine-harness.ts';

describeStores('why an unsigned action waits', (open) => {
  afterEach(stopEngines);

  test('is not told of one that was signed before it could be stored', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const { wallet, send, status } = await startEngine({ store, ledger });
    const id = await send(await wallet());
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), 30_000);
    await store.transaction((tx) =>
      storeUnsignedReason(
        tx,
        id,
        { code: 'ledger-unavailable', reason: 'The node does not answer.' },
        Date.now(),
      ),
    );
    expect(await status(id)).toMatchObject({ stage: 'signed', waiting: null });
  });
});

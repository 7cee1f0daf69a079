import type { AdapterDefinition } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { storeUnsignedReason } from '../src/rows/actions/store-pending-reasons.ts';
import { startEngine, stopEngines } from './engine-harness.ts';

describeStores('the reason why an unsigned action waits', (open) => {
  afterEach(stopEngines);

  test('does not store a pending reason for an action that was signed in the meantime', async () => {
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

  test('a restarted server does not report a missing plugin while it is still opening the ledger', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const memory = memoryAdapter(ledger, { technology: 'ethereum' });
    /** Returns an adapter with another name, for a ledger on the same chain. It opens after `gate`. */
    const named = (name: string, gate: Promise<unknown>, estimates: boolean): AdapterDefinition => ({
      ...memory,
      name,
      async open(...given) {
        await gate;
        const session = await memory.open(...given);
        const problem = { code: 'unavailable', detail: 'Not yet.', phase: 'estimate' } as const;
        const wait = async (all: readonly unknown[]) => all.map(() => ({ status: 'wait' as const, problem }));
        return estimates ? session : { ...session, estimate: wait };
      },
    });
    const others = (estimates: boolean) => new Map([['next', named('next', Promise.resolve(), estimates)]]);
    const here = await startEngine({
      ...{ store, ledger, others: others(false) },
      adapter: named('slow', Promise.resolve(), false),
    });
    const [slow, next] = [await here.wallet(), await here.wallet()];
    const id = await here.send(slow, undefined, { unsigned: true });
    const other = await here.send(next, undefined, { unsigned: true, ledgerUid: 'next' });
    for (const one of [id, other])
      await vi.waitFor(async () => expect((await here.status(one)).waiting).toContain('Not yet.'), 30_000);
    await stopEngines();

    const gate = Promise.withResolvers<void>();
    const restarted = await startEngine({
      ...{ store, ledger, others: others(true), timing: { start: 1 } },
      adapter: named('slow', gate.promise, true),
    });
    try {
      // The engine reads this action together with the other one, which is signed.
      await vi.waitFor(async () => expect((await restarted.status(other)).status).toBe('SUCCEEDED'), 30_000);
      expect((await restarted.status(id)).waiting).toContain('Not yet.');
    } finally {
      gate.resolve();
    }
    const [ended] = await restarted.ended([id]);
    expect(ended?.status).toBe('SUCCEEDED');
  });
});

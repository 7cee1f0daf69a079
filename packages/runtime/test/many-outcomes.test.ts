// When a ledger responds after an outage, one `confirm` may return the outcomes of all pending transactions.
import type { AdapterDefinition, Confirmed, ConfirmRequest } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { unitOfWork, watch } from '../../../testing/longest-block.ts';
import { crashAt } from './crashing-store.ts';
import { startEngine, stopEngines, transfer } from './engine-harness.ts';

const patience = { timeout: 150_000, interval: 50 };

/** Copies the rows of the only action. The copies have other ids. */
async function copyAction(store: Store, copies: number): Promise<void> {
  const numbers = `WITH RECURSIVE number(nth) AS (SELECT 1 UNION ALL SELECT nth + 1 FROM number WHERE nth < ${copies})`;
  // The new ids have the usual length.
  for (const [table, ids] of [
    ['action', ['id']],
    ['attempt', ['tx_id', 'action_id']],
  ] as const) {
    const [row] = await store.read.all<Record<string, null>>(`SELECT * FROM ${table}`);
    const columns = Object.keys(row ?? {});
    const values = columns.map((name) =>
      ids.some((id) => id === name) ? `substr(${name}, 1, 30) || '-' || (10000 + nth)` : name,
    );
    await store.transaction((tx) =>
      tx.run(
        `${numbers} INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table}, number`,
      ),
    );
  }
}

/**
 * Returns an adapter of a memory ledger. After `released`, when `count` transactions are pending, one call reports the
 * success of all of them.
 */
function bulkOutcomeAdapter(
  count: number,
  released?: Promise<void>,
): { adapter: AdapterDefinition; asked: Promise<void> } {
  const adapter = memoryAdapter(createMemoryLedger({ autoMine: false, sequence: 'none' }));
  const asked = Promise.withResolvers<void>();
  return {
    asked: asked.promise,
    adapter: {
      ...adapter,
      async open(...parts) {
        const session = await adapter.open(...parts);
        return {
          ...session,
          submit: async (submissions) => submissions.map(({ txId }) => ({ status: 'known', txId })),
          async confirm(request: ConfirmRequest): Promise<Confirmed> {
            const answer = await session.confirm({ ...request, pending: new Map() });
            if (request.pending.size < count) return answer;
            asked.resolve();
            await released;
            const { height, hash } = answer.head;
            const all = [...request.pending.keys()];
            const result = { fee: 21_000n, height: Number(height), blockHash: hash };
            return { ...answer, outcomes: all.map((txId) => ({ ...result, txId, status: 'succeeded' })) };
          },
        };
      },
    },
  };
}

async function pendingOf(store: Store): Promise<number> {
  const [row] = await store.read.all<{ n: number }>(
    "SELECT COUNT(*) AS n FROM action WHERE status = 'PENDING'",
  );
  return Number(row?.n);
}

/** Fills the database with `count` signed actions. */
async function fill(store: Store, count: number): Promise<void> {
  const ledger = createMemoryLedger({ autoMine: false, sequence: 'none' });
  const harness = await startEngine({ store, ledger });
  const from = await harness.wallet();
  const id = await harness.send(from, transfer(from.address));
  await vi.waitFor(async () => expect((await harness.status(id)).stage).toBe('signed'), patience);
  await stopEngines();
  await copyAction(store, count - 1);
}

describeStores('many outcomes of one confirm() call', (open, { dialect }) => {
  afterEach(stopEngines);

  test('writes 4,000 outcomes in parts, so that other work can run in between', async (context) => {
    context.skip(dialect === 'postgres', 'PostgreSQL writes them in a separate process.');
    const store = await open();
    await fill(store, 4_000);
    const now = Promise.withResolvers<void>();
    const { adapter, asked } = bulkOutcomeAdapter(4_000, now.promise);
    await startEngine({ store, adapter });
    await asked;
    const before = unitOfWork();
    now.resolve();
    const { longest } = await watch(() =>
      vi.waitFor(async () => expect(await pendingOf(store)).toBe(0), patience),
    );
    // The time is compared with a unit of work, because busy processes make the same work take longer.
    expect(longest / Math.max(before, unitOfWork())).toBeLessThan(4);
  }, 300_000);

  test('if a server stops while writing outcomes, the last read block is not advanced, and the next server writes the rest', async () => {
    const store = await open();
    await fill(store, 1_000);
    const marks = () => store.read.all('SELECT height, hash FROM chain_mark');
    const ended = () =>
      store.read.all("SELECT id, locator, updated_at FROM action WHERE status = 'SUCCEEDED' ORDER BY id");
    const before = await marks();
    const crash = crashAt(store, 'settle:after-commit', 2);
    const { adapter } = bulkOutcomeAdapter(1_000);
    await startEngine({ store: crash.store, faults: crash.faults, adapter, timing: { lease: 900 } });
    await crash.ended;
    expect(await marks()).toEqual(before);
    const written = await ended();
    expect(written).toHaveLength(500);
    await stopEngines();
    await startEngine({ store, adapter: bulkOutcomeAdapter(500).adapter, timing: { lease: 900 } });
    await vi.waitFor(async () => expect(await pendingOf(store)).toBe(0), patience);
    const all = await ended();
    expect(all).toHaveLength(1_000);
    expect(all).toEqual(expect.arrayContaining(written));
    expect(await marks()).not.toEqual([]);
  }, 300_000);
});

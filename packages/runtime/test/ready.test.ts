// Tests how many ready actions are read in one batch.
import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { readReady } from '../src/rows/actions/ready.ts';
import { startEngine, stopEngines } from './engine-harness.ts';

describeStores('reading ready actions', (open) => {
  afterEach(stopEngines);

  test('long actions are read completely, in the order of acceptance, in portions of a limited number of bytes', async () => {
    const store = await open();
    const harness = await startEngine({ store, ledger: createMemoryLedger({ sequence: 'none' }) });
    const from = await harness.wallet();
    const script = harness.ledger.script({
      kind: 'hang',
      method: 'prepare',
      times: Number.POSITIVE_INFINITY,
    });
    for (let n = 0; n < 4; n += 1) await harness.send(from);
    await vi.waitFor(() => expect(script.fired).toBeGreaterThan(0), 30_000);
    // Several actions may have been accepted in the same millisecond. Their order then depends on their ids.
    const sent = await store.read.all<{ id: string }>('SELECT id FROM action ORDER BY created_at, id');
    const ids = sent.map(({ id }) => id);
    const plans = ['{}', ...['a', 'b'].map((one) => one.repeat(100_000)), '[]'];
    const shown = (rows: readonly { plan: string }[]) => rows.map(({ plan }) => `${plan[0]}${plan.length}`);
    for (const [n, plan] of plans.entries())
      await store.transaction((tx) =>
        tx.run('UPDATE action SET plan = $1 WHERE id = $2', [plan, ids[n] ?? '']),
      );
    const [row] = await store.read.all<{ chain: string }>('SELECT chain FROM action LIMIT 1');
    const read = (more: Partial<Parameters<typeof readReady>[1]>) =>
      readReady(store, {
        ...{ chain: row?.chain ?? '', shards: Array.from({ length: 16 }, (_, shard) => shard) },
        ...{ withoutIds: [], withoutAddresses: [], lines: { without: [] }, limit: 10, mostBytes: 1_000_000 },
        ...more,
      });
    const all = await read({});
    expect(all.rows.map(({ id }) => id)).toEqual(ids);
    expect(shown(all.rows)).toEqual(['{2', 'a100000', 'b100000', '[2']);
    expect(all.more).toBe(false);
    const first = await read({ mostBytes: 150_000 });
    expect(shown(first.rows)).toEqual(['{2', 'a100000']);
    expect(first.more).toBe(true);
    const rest = await read({ mostBytes: 10, after: first.rows[1] ?? null });
    expect([shown(rest.rows), rest.more]).toEqual([['b100000'], true]);
    const limited = await read({ limit: 2 });
    expect([limited.rows.length, limited.more]).toEqual([2, true]);
    script.clear();
  }, 60_000);

  test("on a ledger without nonces, an account's long actions do not delay other accounts and are all executed", async () => {
    const ledger = createMemoryLedger({ sequence: 'none' });
    const harness = await startEngine({ store: await open(), ledger });
    const [from, other] = [await harness.wallet(), await harness.wallet()];
    const script = ledger.script({ kind: 'hang', method: 'prepare', times: Number.POSITIVE_INFINITY });
    const operation = JSON.stringify({ note: 'x'.repeat(9 * 1_048_576) });
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push(await harness.send(from, undefined, { operation }));
    await vi.waitFor(() => expect(script.fired).toBeGreaterThan(0), 30_000);
    const before = script.fired;
    ids.push(await harness.send(other));
    await vi.waitFor(() => expect(script.fired).toBeGreaterThan(before), 30_000);
    expect(script.fired).toBeLessThanOrEqual(3);
    script.clear();
    const ends = await harness.ended(ids);
    expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 'SUCCEEDED'));
  }, 120_000);
});

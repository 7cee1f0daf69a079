import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeDialects } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import type { PastAction } from '../src/rows/actions/past.ts';
import { retract } from '../src/rows/actions/retract.ts';
import { readRetracted, waitingSql } from '../src/rows/actions/waiting.ts';
import { startEngine, stopEngines } from './engine-harness.ts';

describeDialects('the state of an engine', (open) => {
  afterEach(stopEngines);

  test('the engine state counts pending actions by stage and reason, with the age of the oldest, and its lanes', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const { engine, send, wallet } = await startEngine({ store, ledger });
    const before = Date.now();
    const [rich, poor] = [await wallet(), await wallet(0n)];
    const signed = await send(rich);
    await send(rich, undefined, { dependencies: [signed] });
    await send(rich, undefined, { dependencies: [signed] });
    await send(poor, undefined, { unsigned: true });
    await vi.waitFor(
      async () => {
        const { pending, ledgers } = await engine.state();
        const counts = pending.map(({ stage, code, count }) => `${stage} ${code} ${count}`);
        expect(counts.toSorted()).toEqual([
          'blocked dependencies 2',
          'ready funds 1',
          'signed confirmation 1',
        ]);
        for (const { oldest } of pending) expect(oldest).toBeGreaterThanOrEqual(before);
        expect(ledgers).toMatchObject([{ isReached: true, lanes: 16 }]);
      },
      { timeout: 30_000 },
    );
  });

  test('the engine state contains the newest block, the gas price and the response time of each followed ledger', async () => {
    const ledger = createMemoryLedger();
    const adapter = memoryAdapter(ledger, { technology: 'ethereum' });
    const { engine, send, wallet, ended } = await startEngine({
      store: await open(),
      ledger,
      adapter: {
        ...adapter,
        async open(record, host) {
          const session = await adapter.open(record, host);
          return {
            ...session,
            async confirm(request) {
              host.requested?.('read', 'ok', 7);
              return { ...(await session.confirm(request)), gasPrice: 12n };
            },
          };
        },
      },
    });
    expect(engine.followed()).toEqual([]);
    await ended([await send(await wallet())]);
    const [followed] = engine.followed();
    expect(followed).toMatchObject({ gasPrice: 12n, nodeLatencyMs: 7 });
    expect(followed?.height).toBeGreaterThan(0);
    expect(followed?.finalHeight).toBeLessThanOrEqual(followed?.height ?? 0);
    expect(Math.abs(Date.now() - (followed?.newestBlockAt ?? 0))).toBeLessThan(60_000);
  });

  test('the engine state counts a retracted action only once, even if it is retracted repeatedly', async () => {
    const store = await open();
    const { send, wallet, ended } = await startEngine({ store });
    const from = await wallet();
    const ids = [await send(from), await send(from)];
    await ended(ids);
    expect(await readRetracted(store.read)).toEqual([]);
    const [first = ''] = ids;
    const setShown = (id: string, isShown: boolean) =>
      store.transaction((tx) => {
        const retracted = isShown ? null : { at: 1, detail: 'Deleted.' };
        // `retract` uses only the id of the action.
        return retract(tx, [{ action: { id } as PastAction, retracted }], Date.now());
      });
    await setShown(first, false);
    await setShown(first, true);
    await setShown(first, false);
    expect(await readRetracted(store.read)).toMatchObject([{ count: 1 }]);
    await setShown(ids[1] ?? '', false);
    expect(await readRetracted(store.read)).toMatchObject([{ count: 2 }]);
  });

  test('the pending actions of a lane are counted with an index', async () => {
    const store = await open();
    const sql = waitingSql([0, 1], 'waiting_code').replaceAll('$1', "'chain'");
    const plan = await store.transaction(async (tx) => {
      // For an empty table, PostgreSQL would prefer a sequential scan.
      if (tx.dialect === 'postgres') await tx.run('SET LOCAL enable_seqscan = off');
      const rows = await tx.all<Record<string, string>>(
        tx.dialect === 'postgres' ? `EXPLAIN ${sql}` : `EXPLAIN QUERY PLAN ${sql}`,
      );
      return rows.map((row) => row['QUERY PLAN'] ?? row.detail ?? '');
    });
    const scans = plan.filter(
      (line) => /Scan|SEARCH|SCAN action/.test(line) && !/Subquery|waiting|suspension|held/.test(line),
    );
    expect(scans).toHaveLength(4);
    for (const scan of scans)
      expect(scan).toMatch(
        /Index Scan using action_lane|USING INDEX action_lane \(chain=\? AND shard=\? AND stage=\?\)/,
      );
    // Only the rows that are counted are sorted, for GROUP BY.
    expect(plan.filter((line) => /Sort {2}\(cost|B-TREE FOR ORDER/.test(line)).length).toBeLessThan(2);
  });
});

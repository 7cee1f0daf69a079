import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import type { PastAction } from '../src/rows/actions/past.ts';
import { retract } from '../src/rows/actions/retract.ts';
import { readRetracted, waitingSql } from '../src/rows/actions/waiting.ts';
import { startEngine, stopEngines } from './engine-harness.ts';

describeStores('the state of an engine', (open) => {
  afterEach(stopEngines);

  test('counts what is pending by stage and reason, with the age of the oldest, and the lanes', async () => {
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

  test('counts each action once whose end was taken back, whether or not it is shown again', async () => {
    const store = await open();
    const { send, wallet, ended } = await startEngine({ store });
    const from = await wallet();
    const ids = [await send(from), await send(from)];
    await ended(ids);
    expect(await readRetracted(store.read)).toEqual([]);
    const [first = ''] = ids;
    const tell = (id: string, isShown: boolean) =>
      store.transaction((tx) => {
        const retracted = isShown ? null : { at: 1, detail: 'It is gone.' };
        // Only the id is written by.
        return retract(tx, [{ action: { id } as PastAction, retracted }], Date.now());
      });
    await tell(first, false);
    await tell(first, true);
    await tell(first, false);
    expect(await readRetracted(store.read)).toMatchObject([{ count: 1 }]);
    await tell(ids[1] ?? '', false);
    expect(await readRetracted(store.read)).toMatchObject([{ count: 2 }]);
  });

  test('what is counted of a lane is read from the beginning of a range of an index', async () => {
    const store = await open();
    const sql = waitingSql([0, 1], 'waiting_code').replaceAll('$1', "'chain'");
    const plan = await store.transaction(async (tx) => {
      // An empty table is read as a whole wherever that may be.
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
    // Only what was counted is sorted, to be grouped.
    expect(plan.filter((line) => /Sort {2}\(cost|B-TREE FOR ORDER/.test(line)).length).toBeLessThan(2);
  });
});

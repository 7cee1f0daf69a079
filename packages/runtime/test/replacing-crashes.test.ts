import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { shardOf } from '../src/rows/chains/chain-key.ts';
import { crashAt } from './crashing-store.ts';
import { stopEngines, transfer } from './engine-harness.ts';
import {
  attemptsOf,
  changed,
  createClock,
  endOf,
  kindsOf,
  minedEndOf,
  pass,
  passUntil,
  pooled,
  startLate,
} from './late-harness.ts';

const reason = 'It is never mined.';

describeStores('replacements outlive their servers', (open, { dialect, locate }) => {
  afterEach(stopEngines);

  for (const point of ['replace:before-commit', 'replace:after-commit'] as const) {
    test(`a server that ends at ${point} of a no-op leaves one of it, and the reason`, async () => {
      const store = await open();
      const ledger = createMemoryLedger({ autoMine: false });
      const clock = createClock();
      const crash = crashAt(store, point);
      const first = await startLate({ store: crash.store, faults: crash.faults, ledger, clock });
      const from = await first.wallet();
      ledger.rule = (tx) => (tx.value === 7n ? reason : undefined);
      const id = await first.send(from, transfer(from.address, 7n));
      await pooled(first, 1);
      pass(first);
      await crash.ended;
      expect(await kindsOf(store, id)).toEqual(
        point === 'replace:after-commit' ? ['main', 'noop'] : ['main'],
      );
      const second = await startLate({ store, ledger, clock });
      // By a look of its own, or from the rows.
      const isClosing = () => ledger.pool.some(({ value }) => value === 0n);
      await vi.waitFor(() => expect(isClosing()).toBe(true), { timeout: 30_000 });
      const end = await minedEndOf(second, id);
      expect(end.problem).toContain('problem:dropped');
      expect(end.problem).toContain(reason);
      expect(await attemptsOf(store, id)).toMatchObject([
        { n: 0, kind: 'main', sealed: 0 },
        { n: 1, kind: 'noop', sealed: 0 },
      ]);
      expect(ledger.nonceOf(from.address)).toBe(1n);
    });

    test(`a server that ends at ${point} of a bump leaves one of it, and it is mined`, async () => {
      const store = await open();
      const ledger = createMemoryLedger({ autoMine: false });
      const clock = createClock();
      const crash = crashAt(store, point);
      const first = await startLate({ store: crash.store, faults: crash.faults, ledger, clock });
      const from = await first.wallet();
      const id = await first.send(from);
      await pooled(first, 1);
      ledger.gasPrice = 50n;
      pass(first);
      await crash.ended;
      const second = await startLate({ store, ledger, clock });
      await vi.waitFor(async () => expect(await kindsOf(store, id)).toContain('bump'), 30_000);
      expect((await minedEndOf(second, id)).status).toBe('SUCCEEDED');
      expect(await kindsOf(store, id)).toEqual(['main', 'bump']);
      expect(ledger.nonceOf(from.address)).toBe(1n);
    });
  }

  test('a start bumps nothing that has still time, and takes none of the time away that has passed', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const clock = createClock();
    const first = await startLate({ store, ledger, clock });
    const from = await first.wallet();
    const id = await first.send(from);
    await pooled(first, 1);
    ledger.gasPrice = 50n;
    clock.move(12_000);
    ledger.mine(3);
    await stopEngines();
    const second = await startLate({ store, ledger, clock });
    const sent = ledger.submissions.length;
    clock.move(3_000);
    await vi.waitFor(() => expect(ledger.submissions.length).toBeGreaterThan(sent), { timeout: 30_000 });
    expect(await kindsOf(store, id)).toEqual(['main']);
    // The fourth block since it was signed, not since the start.
    ledger.mine();
    await vi.waitFor(async () => expect(await kindsOf(store, id)).toEqual(['main', 'bump']), {
      timeout: 30_000,
    });
    expect((await endOf(second, id)).status).toBe('SUCCEEDED');
  });

  test('servers that end again and again within the patience still come to its end', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const clock = createClock();
    let server = await startLate({ store, ledger, clock });
    const from = await server.wallet();
    const id = await server.send(from);
    await pooled(server, 1);
    ledger.gasPrice = 50n;
    for (let starts = 0; starts < 3; starts += 1) {
      clock.move(4_000);
      ledger.mine(2);
      await stopEngines();
      server = await startLate({ store, ledger, clock });
    }
    await vi.waitFor(async () => expect(await kindsOf(store, id)).toEqual(['main', 'bump']), {
      timeout: 30_000,
    });
    expect((await endOf(server, id)).status).toBe('SUCCEEDED');
  });

  test('a row that was changed from outside signs nothing more, and says so', async () => {
    const store = await open();
    const late = await startLate({ store });
    const { ledger } = late;
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    await store.transaction((tx) =>
      tx.run(`UPDATE action SET operation = '{"amount":"9"}' WHERE id = $1`, [id]),
    );
    ledger.gasPrice = 50n;
    await passUntil(late, async () => (await late.status(id)).waiting !== null);
    expect((await late.status(id)).waiting).toContain('does not open for what is stored with it');
    expect(await kindsOf(store, id)).toEqual(['main']);
  });

  if (dialect === 'sqlite') return;

  test('a lane that goes to another server while a replacement is made throws it away, and the other makes its own', async () => {
    const database = await locate();
    const ledger = createMemoryLedger({ autoMine: false });
    const clock = createClock();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const adapter = changed(ledger, (session) => ({
      async replace(all) {
        asked.resolve();
        await answer.promise;
        return (await session.replace?.(all)) ?? [];
      },
    }));
    const options = { ledger, clock, timing: { lease: 900 } };
    const first = await startLate({ store: await open(database), adapter, ...options });
    const from = await first.wallet();
    ledger.rule = (tx) => (tx.value === 7n ? reason : undefined);
    const id = await first.send(from, transfer(from.address, 7n));
    await pooled(first, 1);
    pass(first);
    await asked.promise;
    const { store } = first;
    const shard = shardOf(from.address);
    await store.transaction((tx) =>
      tx.run("UPDATE lane SET owner = 'other', epoch = epoch + 1, expires_at = $1 WHERE shard = $2", [
        Date.now() + 3_600_000,
        shard,
      ]),
    );
    answer.resolve();
    await vi.waitFor(() => expect(first.log.join()).toMatch(/late\.failed|lanes\.lost/), { timeout: 30_000 });
    expect(await kindsOf(store, id)).toEqual(['main']);
    await first.engine.stop();
    await store.transaction((tx) =>
      tx.run("UPDATE lane SET owner = '', epoch = epoch + 1, expires_at = 0 WHERE shard = $1", [shard]),
    );
    const second = await startLate({ store: await open(database), ...options });
    await passUntil(second, async () => (await kindsOf(second.store, id)).includes('noop'));
    const end = await minedEndOf(second, id);
    expect(end.problem).toContain(reason);
    expect(await kindsOf(second.store, id)).toEqual(['main', 'noop']);
    expect(ledger.nonceOf(from.address)).toBe(1n);
  });
});

import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describePostgres, describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { shardOf } from '../src/rows/chains/chain-key.ts';
import { crashAt } from './crashing-store.ts';
import { stopEngines, transfer } from './engine-harness.ts';
import {
  attemptsOf,
  changed,
  createClock,
  kindsOf,
  mineUntilFinal,
  passPatience,
  passUntil,
  passUntilFinal,
  pooled,
  startLate,
} from './late-harness.ts';

const reason = 'The transaction is never mined.';

describeStores('replacements after a crash or restart', (open) => {
  afterEach(stopEngines);

  for (const point of ['replace:before-commit', 'replace:after-commit'] as const) {
    test(`after a crash at ${point} of a no-op, exactly one no-op and its reason are stored`, async () => {
      const store = await open();
      const ledger = createMemoryLedger({ autoMine: false });
      const clock = createClock();
      const crash = crashAt(store, point);
      const first = await startLate({ store: crash.store, faults: crash.faults, ledger, clock });
      const from = await first.wallet();
      ledger.rule = (tx) => (tx.value === 7n ? reason : undefined);
      const id = await first.send(from, transfer(from.address, 7n));
      await pooled(first, 1);
      passPatience(first);
      await crash.ended;
      expect(await kindsOf(store, id)).toEqual(
        point === 'replace:after-commit' ? ['main', 'noop'] : ['main'],
      );
      const second = await startLate({ store, ledger, clock });
      // The second server signs the no-op, or sends the stored one.
      const isClosing = () => ledger.pool.some(({ value }) => value === 0n);
      await vi.waitFor(() => expect(isClosing()).toBe(true), { timeout: 30_000 });
      const end = await mineUntilFinal(second, id);
      expect(end.problem).toContain('problem:dropped');
      expect(end.problem).toContain(reason);
      expect(await attemptsOf(store, id)).toMatchObject([
        { n: 0, kind: 'main', sealed: 0 },
        { n: 1, kind: 'noop', sealed: 0 },
      ]);
      expect(ledger.nonceOf(from.address)).toBe(1n);
    });

    test(`after a crash at ${point} of a bump, exactly one bump is stored, and it is mined`, async () => {
      const store = await open();
      const ledger = createMemoryLedger({ autoMine: false });
      const clock = createClock();
      const crash = crashAt(store, point);
      const first = await startLate({ store: crash.store, faults: crash.faults, ledger, clock });
      const from = await first.wallet();
      const id = await first.send(from);
      await pooled(first, 1);
      ledger.gasPrice = 50n;
      passPatience(first);
      await crash.ended;
      const second = await startLate({ store, ledger, clock });
      await vi.waitFor(async () => expect(await kindsOf(store, id)).toContain('bump'), 30_000);
      expect((await mineUntilFinal(second, id)).status).toBe('SUCCEEDED');
      expect(await kindsOf(store, id)).toEqual(['main', 'bump']);
      expect(ledger.nonceOf(from.address)).toBe(1n);
    });
  }

  test('the replacement interval of a transaction includes the time before a restart', async () => {
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
    // This is the fourth block since the transaction was signed. Three of them came before the restart.
    ledger.mine();
    await vi.waitFor(async () => expect(await kindsOf(store, id)).toEqual(['main', 'bump']), {
      timeout: 30_000,
    });
    expect((await passUntilFinal(second, id)).status).toBe('SUCCEEDED');
  });

  test('repeated restarts do not reset the replacement interval of a transaction', async () => {
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
    expect((await passUntilFinal(server, id)).status).toBe('SUCCEEDED');
  });

  test('does not sign a replacement for an action whose row was changed externally, and reports the reason', async () => {
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
    expect((await late.status(id)).waiting).toContain('cannot be decrypted with the data stored next to it');
    expect(await kindsOf(store, id)).toEqual(['main']);
  });
});

describePostgres('replacements on several servers', (open, { locate }) => {
  afterEach(stopEngines);

  test('discards a replacement if its lane moves to another server, because that server creates its own', async () => {
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
    passPatience(first);
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
    const end = await mineUntilFinal(second, id);
    expect(end.problem).toContain(reason);
    expect(await kindsOf(second.store, id)).toEqual(['main', 'noop']);
    expect(ledger.nonceOf(from.address)).toBe(1n);
  });
});

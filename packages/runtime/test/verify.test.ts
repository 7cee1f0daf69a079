// Tests for `verify`, which checks invariants of the database, and compares stored actions and accounts with the
// ledger.
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { brokenInvariants } from '../src/verify/invariants.ts';
import { verifyLedger } from '../src/verify/verify-ledger.ts';
import { type EngineHarness, startEngine, stopEngines, type TestWallet, transfer } from './engine-harness.ts';

describeStores('a database and its ledger', (open) => {
  afterEach(stopEngines);

  /** Returns a harness with completed actions of one wallet. The second one depends on the first one. */
  async function withCompletedActions(): Promise<
    Omit<EngineHarness, 'wallet'> & {
      ids: string[];
      wallet: TestWallet;
      verify: () => ReturnType<typeof verifyLedger>;
    }
  > {
    const harness = await startEngine({ store: await open() });
    const from = await harness.wallet();
    const first = await harness.send(from, transfer(from.address));
    const ids = [first, await harness.send(from, transfer(from.address), { dependencies: [first] })];
    for (let n = 0; n < 22; n += 1) ids.push(await harness.send(from, transfer(from.address)));
    await harness.ended(ids);
    const verify = async () => verifyLedger(harness.store.read, await harness.opened());
    return { ...harness, ids, wallet: from, verify };
  }

  test('reports nothing if a database agrees with its ledger', async () => {
    const { store, verify, ids } = await withCompletedActions();
    await vi.waitFor(async () => expect(await brokenInvariants(store.read)).toEqual([]), { timeout: 30_000 });
    expect(await verify()).toEqual({
      actions: ids.length,
      accounts: 1,
      unsupportedChecks: [],
      discrepancies: [],
    });
  });

  test('reports transactions that the ledger lost, and transactions that belong to no action', async () => {
    const { store, engine, ledger, verify, ids, wallet } = await withCompletedActions();
    const { address, privateKey } = wallet;
    await engine.stop();
    const [first = ''] = ids;
    await store.transaction((tx) => tx.run('UPDATE action SET height = height + 1 WHERE id = $1', [first]));
    expect((await verify()).discrepancies).toEqual([
      {
        rule: expect.any(String),
        subject: first,
        detail: expect.stringMatching(/is in block \d+, but was in block \d+/),
      },
    ]);
    await store.transaction((tx) => tx.run('UPDATE action SET height = height - 1 WHERE id = $1', [first]));
    ledger.outsideTransaction({ privateKey });
    await vi.waitFor(() => expect(ledger.nonceOf(address)).toBe(BigInt(ids.length + 1)), { timeout: 30_000 });
    expect((await verify()).discrepancies).toEqual([
      {
        rule: 'Every transaction of a wallet belongs to an action.',
        subject: address,
        detail: expect.stringContaining(': 1 were sent by another program'),
      },
    ]);
    ledger.reorganise(ledger.head.height, 'vanish');
    const lost = (await verify()).discrepancies;
    expect(lost.map(({ subject }) => subject).sort()).toEqual([...ids, address].sort());
  });

  test('accepts a canceled action whose empty transaction was executed', async () => {
    const { store, engine, verify, ids } = await withCompletedActions();
    await engine.stop();
    const [first = ''] = ids;
    await store.transaction((tx) => tx.run("UPDATE action SET status = 'FAILED' WHERE id = $1", [first]));
    expect((await verify()).discrepancies).toMatchObject([{ subject: first }]);
    await store.transaction((tx) => tx.run("UPDATE attempt SET kind = 'noop' WHERE action_id = $1", [first]));
    expect((await verify()).discrepancies).toEqual([]);
  });

  test('reports each violated invariant of a database with the ids that violate it', async () => {
    const { store, engine, ids } = await withCompletedActions();
    await engine.stop();
    const [first = '', second = '', third = ''] = ids;
    await store.transaction(async (tx) => {
      await tx.run("UPDATE action SET stage = 'signed' WHERE id = $1", [third]);
      await tx.run('UPDATE action SET locator = (SELECT locator FROM action WHERE id = $1) WHERE id = $2', [
        first,
        second,
      ]);
      await tx.run("UPDATE action SET status = 'FAILED' WHERE id = $1", [first]);
      await tx.insertMany('action_grant', ['action_id', 'sealed'], [[first, new Uint8Array(1)]]);
      await tx.run('DELETE FROM action_listed WHERE action_id = $1', [third]);
    });
    const found = await brokenInvariants(store.read);
    const of = (word: string) =>
      found.filter(({ rule }) => rule.includes(word)).map(({ subject }) => subject);
    expect(of('have an end time')).toEqual([third]);
    expect(of('its problem')).toEqual([first]);
    expect(of('No two actions')).toEqual([[first, second].sort()[0]]);
    expect(of('SUCCEEDED dependencies')).toEqual([second]);
    expect(of('key of an action')).toEqual([first]);
    expect(of('stored count')).not.toEqual([]);
  });
});

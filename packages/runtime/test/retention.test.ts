import { randomUUID } from 'node:crypto';
import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { type Activity, recordActivity, serviceItself, unpackActivities } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { removeOld } from '../src/retention.ts';
import { isForgotten } from '../src/rows/attempts/kept.ts';
import { startEngine, stopEngines } from './engine-harness.ts';

const day = 86_400_000;
const never = () => false;

/** Makes all finished actions look as if they had completed `days` days earlier. */
async function age(store: Store, days: number): Promise<void> {
  await store.transaction(async (tx) => {
    const before = days * day;
    // Listings are ordered by the time of acceptance, which does not change.
    await tx.run('UPDATE action SET updated_at = updated_at - $1', [before]);
    await tx.run('UPDATE attempt SET bytes = NULL WHERE settled_at IS NOT NULL');
  });
}

async function idsOf(store: Store): Promise<string[]> {
  return (await store.read.all<{ id: string }>('SELECT id FROM action ORDER BY id')).map(({ id }) => id);
}

/** Creates the project of the harness. */
async function addProject(store: Store): Promise<void> {
  await store.transaction((tx) =>
    tx.insertMany(
      'project',
      ['uid', 'id', 'project_id', 'organization_uid', 'name', 'created_at'],
      [['project', 1, 'project', 'organization', 'Project', 0]],
    ),
  );
}

async function removals(store: Store): Promise<unknown[]> {
  const rows = await store.read.all<{ target_object: string }>(
    "SELECT target_object FROM timeline WHERE action = 'remove'",
  );
  return rows.map(({ target_object }) => target_object.split(' from')[0]);
}

describeDialects('removal of old actions and activities', (open) => {
  afterEach(stopEngines);

  for (const sequence of ['account', 'none'] as const) {
    test(`removes expired actions with all their data, and updates lists and tallies (sequence: ${sequence})`, async () => {
      const store = await open();
      const ledger = createMemoryLedger({ sequence });
      const { send, wallet, ended } = await startEngine({ store, ledger });
      const [from, to] = [await wallet(), await wallet()];
      const first = await send(from);
      const old = [first, await send(from, undefined, { dependencies: [first], actionId: randomUUID() })];
      await ended(old);
      await age(store, 3);
      const young = [await send(from), await send(to)];
      await ended(young);
      await removeOld(store, { actionDays: 4, timelineDays: 4 }, never);
      expect(await idsOf(store)).toEqual([...old, ...young].toSorted());
      await removeOld(store, { actionDays: 2 }, never);
      expect(await idsOf(store)).toEqual(young.toSorted());
      expect(await removals(store)).toEqual(['2 actions']);
      for (const table of ['attempt', 'action_dependency', 'action_listed'])
        expect(
          await store.read.all(`SELECT * FROM ${table} WHERE action_id NOT IN (SELECT id FROM action)`),
        ).toEqual([]);
      const tallies = await store.read.all<{ n: number }>(
        `SELECT one.party, SUM(tally.n) AS n FROM action_tally AS tally JOIN action_listing AS one
          ON one.id = tally.listing WHERE tally.level = 3 GROUP BY one.party HAVING SUM(tally.n) <> 0 ORDER BY one.party`,
      );
      expect(tallies).toMatchObject([
        { party: 'p:project', n: 2 },
        ...[`w:${from.uid}`, `w:${to.uid}`].toSorted().map((party) => ({ party, n: 1 })),
      ]);
      expect((await ended([await send(from)]))[0]?.status).toBe('SUCCEEDED');
    }, 180_000);
  }

  test('removed actions no longer count toward the stored bytes, and remaining actions still do', async () => {
    const store = await open();
    await addProject(store);
    const { send, wallet, ended } = await startEngine({ store, timing: { writeActionBytes: 20 } });
    const from = await wallet();
    const operation = JSON.stringify('x'.repeat(10_000));
    const usage = async () => {
      const [row] = await store.read.all<{ amount: number }>(
        "SELECT amount FROM storage_usage WHERE scope = 'organization' AND name = 'action-bytes'",
      );
      return Number(row?.amount ?? 0);
    };
    const small = await send(from);
    await ended([small]);
    await vi.waitFor(async () => expect(await usage()).toBeGreaterThan(0), { timeout: 10_000 });
    const ofSmall = await usage();
    // A plan may change until the action is signed. What is subtracted at the end are the bytes that were counted for
    // the plan.
    await store.transaction((tx) => tx.run('UPDATE action SET plan = $1', ['x'.repeat(2_000)]));
    const ids = [await send(from, undefined, { operation }), await send(from, undefined, { operation })];
    ids.push(await send(from, undefined, { operation, dependencies: ids }));
    await ended(ids);
    const large = (await usage()) - ofSmall;
    expect(large).toBeGreaterThan(3 * 10_000);
    await age(store, 3);
    await removeOld(store, { actionDays: 2 }, never);
    // The account's last action is kept.
    expect(await idsOf(store)).toEqual(ids.slice(2));
    expect(await usage()).toBe(large / 3);
    expect(await store.read.all('SELECT action_id FROM large_action')).toEqual([{ action_id: ids[2] }]);
  }, 180_000);

  test('keeps an old action if a pending action depends on it, or if it is the last action of its account', async () => {
    const store = await open();
    const ledger = createMemoryLedger();
    const { send, wallet, ended } = await startEngine({ store, ledger });
    const from = await wallet();
    const [needed, other] = [await send(from), await send(from)];
    await ended([needed, other]);
    ledger.autoMine = false;
    const blocking = await send(await wallet());
    const pending = await send(from, undefined, { dependencies: [needed, blocking] });
    await age(store, 30);
    await removeOld(store, { actionDays: 1 }, never);
    expect(await idsOf(store)).toEqual([needed, other, blocking, pending].toSorted());
    ledger.autoMine = true;
    ledger.mine();
    await ended([blocking, pending]);
    await age(store, 30);
    await removeOld(store, { actionDays: 1 }, never);
    expect(await idsOf(store)).toEqual([blocking, pending].toSorted());
  }, 180_000);

  test('reuses neither nonces nor caller-chosen ids of removed actions', async () => {
    const store = await open();
    const { send, wallet, ended } = await startEngine({ store });
    const from = await wallet();
    const chosen = randomUUID();
    const ids = [await send(from, undefined, { actionId: chosen }), await send(from), await send(from)];
    await ended(ids);
    const [row] = await store.read.all<{ chain: string }>('SELECT chain FROM sequence');
    const isGone = () => isForgotten(store.read, row?.chain ?? '', from.address, 1, 3);
    const removed = () =>
      store.read.all<{ removed: number | null; next: number }>('SELECT removed, next FROM sequence');
    const [{ next } = { next: 0 }] = await removed();
    expect(await isGone()).toBe(false);
    await age(store, 2);
    await removeOld(store, { actionDays: 1 }, never);
    expect(await removed()).toMatchObject([{ removed: next - 2, next }]);
    expect(await isGone()).toBe(true);
    await expect(send(from, undefined, { actionId: chosen })).rejects.toMatchObject({
      problem: 'already-exists',
    });
    await expect(send(from, undefined, { dependencies: [ids[0] ?? ''] })).rejects.toMatchObject({
      problem: 'unknown-dependency',
    });
    expect(await idsOf(store)).toEqual([ids[2]]);
  }, 180_000);

  test('removes old actions and activities in short transactions, and keeps the newest position of the stream', async () => {
    const store = await open();
    const activity: Activity = {
      ...{ action: 'create', service: 'plugins', resourceUid: 'plugin', resourceId: 'plugin' },
      ...{ resourceType: 'plugin', scope: 'project' },
    };
    for (let at = 0; at < 1_100; at += 1)
      await store.transaction((tx) => recordActivity(tx, serviceItself, activity, Date.now() - 9 * day));
    await store.transaction((tx) =>
      tx.run('UPDATE timeline SET seq = 7 WHERE uid = (SELECT MIN(uid) FROM timeline)'),
    );
    await store.transaction((tx) => recordActivity(tx, serviceItself, activity, Date.now()));
    await unpackActivities(store);
    await removeOld(store, { timelineDays: 8 }, never);
    const left = await store.read.all<{ seq: number | null }>('SELECT seq FROM timeline ORDER BY uid');
    expect(left.map(({ seq }) => seq)).toEqual([7, null, null]);
    expect(await removals(store)).toEqual(['1099 activities']);
  }, 180_000);
});

// Two releases run at the same time on one PostgreSQL, under load: the previous release, and this release, which
// updates the schema.
import { join } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openStore, type Store } from '@ledger-ops/store';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { goneSince } from '../../../../packages/store/scripts/migration-text.ts';
import { notAdditive } from '../../../../packages/store/scripts/not-additive.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { balanceOf, freshAddress, nonceOf, poolSize } from './chain.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';
import { addStep, commitBefore, lastCommit, readSteps, writeCommit, writeSuccessor } from './releases.ts';

const commit = commitBefore();
const last = lastCommit();
if (last === null)
  console.log('Skipped: the rolling upgrade, because without git history there is no previous release.');

const actions = 300;
const clients = 8;

/** Columns that a later version may add, and their values. */
const additions = [
  'CREATE TABLE "addition" ("id" text collate "C" PRIMARY KEY NOT NULL, "words" text collate "C");',
  'ALTER TABLE "action" ADD COLUMN "addition" text collate "C";',
  'ALTER TABLE "wallet" ADD COLUMN "grade" bigint DEFAULT 0 NOT NULL;',
  'CREATE INDEX "action_addition" ON "action" ("addition") WHERE addition is not null;',
];
const laterAction = '01a20000-0000-7000-8000-000000000001';
/**
 * An action on a ledger that only the newer version can open. It is pending for a reason that only the newer
 * version knows.
 */
const later = {
  ...{ id: laterAction, given_id: null, status: 'PENDING', stage: 'ready', locator: null, ended_at: null },
  // Without the request of the copied row, because a request has only one action per position.
  ...{ request_key: null, request_fingerprint: null, request_position: null },
  ...{ chain: 'later:1/genesis/0', ledger_uid: 'later', ledger_id: 'later', plugin: 'later' },
  ...{ waiting: 'Words of a later version.', waiting_code: 'later-reason', addition: 'written' },
};

const cases = [
  { from: 'the last release', commit, isMade: false },
  { from: 'the last commit, to a release with additional tables and columns', commit: last, isMade: true },
].filter((one) => one.commit !== null);

describe.each(cases)('an upgrade from $from ($commit) while clients send', ({ commit: from, isMade }) => {
  let anvil: Anvil;
  let postgres: PostgresCluster;
  let folder: Awaited<ReturnType<typeof openFolder>>;
  let older: Product | undefined;
  let newer: Product | undefined;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    [anvil, postgres, folder] = await Promise.all([startAnvil(), openPostgres(), openFolder()]);
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await newer?.stop();
    await older?.stop();
    await Promise.all([anvil?.stop(), postgres?.stop(), folder?.remove()]);
  });

  test('an upgrade under load loses and repeats nothing, and running servers use the new schema without a restart', async ({
    skip,
  }) => {
    const before = await writeCommit(from ?? '', join(folder.path, 'before'));
    // From the first release on, migrations only add; until then the schema may change freely.
    const because = (change = '') => `The schema has changed by more than additions since: ${change}`;
    const gone = await goneSince(new URL('packages/store/', before));
    skip(gone.length > 0, because(`${gone.join(', ')} is gone`));
    const after = await writeSuccessor(before, join(folder.path, 'after'));
    if (isMade) await addStep(after, additions);
    const refused = notAdditive(await readSteps(after));
    skip(refused.length > 0, because(refused[0]));
    const databaseUrl = await postgres.createDatabase({ bare: true });
    const common = { rpcUrl: () => anvil.url, databaseUrl, timing: { lease: 5_000 } };
    older = createProduct({ ...common, sources: before });
    newer = createProduct({ ...common, sources: after, beside: older });
    const [old, next] = [older, newer];
    await old.start();
    // The store is opened before the upgrade, because a store opens neither a newer schema nor a schema with another
    // initial migration.
    const store = isMade ? await openStore({ url: databaseUrl, maxConnections: 1 }) : null;
    if (store !== null) closing.push(() => store.close());
    const wallets = await Promise.all([old.wallet(), old.wallet(), old.wallet()]);
    const sends = Array.from({ length: actions }, (_, index) => ({
      key: `key-${index}`,
      target: freshAddress(),
      wallet: wallets[index % wallets.length] as TestWallet,
      actionId: '',
    }));
    /** Responses of each server. */
    const answered = new Map([old, next].map((server) => [server, 0]));
    const accepted = () => sends.filter(({ actionId }) => actionId !== '').length;

    /** Sends a request with one key to running servers until there is a response. */
    async function send(one: (typeof sends)[number], turn: number): Promise<void> {
      for (let at = turn; one.actionId === ''; at += 1) {
        const servers = [old, next].filter((server) => answered.has(server) && server.isAlive());
        const server = servers[at % servers.length];
        if (server === undefined) throw new Error('No server is left.');
        const body = transferTo(one.wallet, one.target, 7);
        const headers = { 'Idempotency-Key': one.key };
        const answer = await server.call('POST', '/v1/ledger-ops/send', body, headers).catch((error) => {
          // The connection was broken or refused.
          if (error instanceof TypeError) return null;
          throw error;
        });
        // The response is the same if the server is stopping, and if the first request with this key is still
        // in progress.
        if (answer === null || answer.status === 503 || answer.status === 409) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          continue;
        }
        expect(answer).toMatchObject({ status: 201 });
        one.actionId = String(answer.body.actionId);
        answered.set(server, (answered.get(server) ?? 0) + 1);
      }
    }
    const queue = sends.entries();
    /** Some clients wait at this point until the servers are in the wanted state. */
    const gate = { at: actions / 3, open: Promise.withResolvers<void>() };
    async function client(): Promise<void> {
      for (const [index, one] of queue) {
        if (index >= gate.at) await gate.open.promise;
        await send(one, index);
      }
    }
    answered.delete(next);
    const load = Promise.all(Array.from({ length: clients }, client));

    await vi.waitFor(() => expect(accepted()).toBeGreaterThan(actions / 10), 60_000);
    await next.start();
    expect(old.isAlive()).toBe(true);
    answered.set(next, 0);
    const first = { old: answered.get(old) ?? 0 };
    gate.open.resolve();
    await vi.waitFor(() => {
      // Both servers accept requests, each with its version of the schema.
      expect(answered.get(old)).toBeGreaterThan(first.old + 20);
      expect(answered.get(next)).toBeGreaterThan(20);
    }, 60_000);
    expect(accepted()).toBeLessThan(actions);
    if (store !== null) await readLater(store, [old, next]);
    expect(await old.terminate()).toBe(0);
    await load;

    const ends = await next.ended(sends.map(({ actionId }) => actionId));
    expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    expect(new Set(ends.map(({ actionId }) => actionId)).size).toBe(actions);
    for (const { target } of sends) expect(await balanceOf(anvil, target)).toBe(7n);
    for (const { address } of wallets) expect(await nonceOf(anvil, address)).toBe(actions / wallets.length);
    expect(await poolSize(anvil)).toBe(0);
    await expect(old.start()).rejects.toThrow(/Start version|a version at least as new/);
  }, 300_000);

  /** Both servers return rows of the newer version, with the values that they know. */
  async function readLater(store: Store, servers: readonly Product[]): Promise<void> {
    await store.transaction(async (tx) => {
      await tx.run("INSERT INTO addition VALUES ('one', 'Words of a later version.')");
      await tx.run("UPDATE action SET addition = 'written' WHERE stage = 'signed'");
      await tx.run('UPDATE wallet SET grade = 7');
      await tx.run(
        `INSERT INTO action SELECT (jsonb_populate_record(one, $1::jsonb)).* FROM action AS one
          WHERE one.status = 'SUCCEEDED' LIMIT 1`,
        [JSON.stringify(later)],
      );
    });
    const path = '/v1/ledger-ops/actions';
    const code = expect.stringMatching(/^(turn|ledger-unavailable|plugin-unavailable)$/);
    for (const server of servers) {
      const shown = await server.call('GET', `${path}/${laterAction}`);
      expect(shown).toMatchObject({ status: 200, body: { status: 'PENDING', pending: { code } } });
      expect(await server.call('GET', `${path}/${laterAction}/explain`)).toMatchObject({ status: 200 });
      const listed = await server.call('GET', `${path}?status=PENDING&ledgerId=later`);
      expect(listed).toMatchObject({ status: 200, body: { actions: [{ actionId: laterAction }] } });
    }
  }
});

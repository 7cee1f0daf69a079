// Tests with a real PgBouncer: the store refuses transaction mode with an error that names it, works in session mode,
// and waits for a full pooler.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isSettingFault, type StoreError } from '../errors.ts';
import { silentLogger } from '../logger.ts';
import { readSchema } from '../schema-of.ts';
import { openPostgres, PgBouncer, type PostgresCluster, pgBouncerVersion } from '../testing/index.ts';
import type { Store } from '../types.ts';
import { openPostgresStore } from './store.ts';

const version = pgBouncerVersion();
if (version === undefined) console.warn('Skipped: PgBouncer, because it is not installed.');
const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
/** In transaction mode, PgBouncer supports prepared statements since version 1.21. */
const hasPreparedStatements = major > 1 || minor >= 21;
if (version !== undefined && !hasPreparedStatements)
  console.warn(
    `Skipped: max_prepared_statements, because PgBouncer is ${version}. Set PGBOUNCER to 1.21 or later.`,
  );

describe.skipIf(version === undefined)('behind PgBouncer', () => {
  let cluster: PostgresCluster;
  let bouncer: PgBouncer | undefined;
  const stores: Store[] = [];

  beforeAll(async () => {
    cluster = await openPostgres();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await bouncer?.stop();
  });
  afterAll(() => cluster?.stop());

  /**
   * Runs PgBouncer in front of a new database. Returns the URL with which the database is reached through PgBouncer.
   */
  async function pool(mode: string, more: readonly string[] = []): Promise<string> {
    bouncer = await PgBouncer.start(await cluster.createDatabase(), [`pool_mode = ${mode}`, ...more]);
    return bouncer.url;
  }
  const open = async (url: string, maxConnections = 4) => {
    const timing = { connect: 2_000 };
    const store = await openPostgresStore({ url, logger: silentLogger, maxConnections, timing });
    stores.push(store);
    return store;
  };
  const refusalOf = (url: string) =>
    open(url).then(
      () => undefined,
      (error: StoreError) => error,
    );

  const refused: [mode: string, more: string[]][] = [
    ['transaction', []],
    ['transaction', ['default_pool_size = 1']],
    ['statement', []],
  ];
  if (hasPreparedStatements) refused.push(['transaction', ['max_prepared_statements = 200']]);
  it.each(refused)(
    'refuses PgBouncer’s pool_mode %s, and the error names it (%j)',
    async (mode, more) => {
      const url = await pool(mode, more);
      const refusal = { code: 'misuse', message: expect.stringContaining('pool_mode = session') };
      expect(await refusalOf(url)).toMatchObject(refusal);
      await expect(readSchema({ url })).rejects.toMatchObject(refusal);
    },
    60_000,
  );

  it('the store works with PgBouncer in session mode without further options', async () => {
    const url = await pool('session');
    const here = await open(url);
    const there = await open(url);
    const heard: string[] = [];
    there.listen('topic', (payload) => heard.push(payload));
    await here.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', ['x']));
    here.notify('topic', 'hint');
    await vi.waitFor(() => expect(heard).toEqual(['hint']), 30_000);
    expect(await there.read.all('select name from counter')).toEqual([{ name: 'x' }]);
  }, 60_000);

  it('the store uses a new password once PgBouncer refuses the old one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ledger-ops-users-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await chmod(folder, 0o755);
    const users = join(folder, 'users.txt');
    const setPassword = (password: string) => writeFile(users, `"app" "${password}"`, { mode: 0o644 });
    const settings = ['pool_mode = session', 'auth_type = scram-sha-256', `auth_file = ${users}`];
    const through = (url: string, password: string) =>
      Object.assign(new URL(url), { username: 'app', password }).href;
    await setPassword('first');
    const url = await pool('session', settings);
    let current = through(url, 'first');
    const store = await openPostgresStore({
      url: current,
      readUrl: async () => current,
      logger: silentLogger,
      maxConnections: 4,
    });
    stores.push(store);
    const work = () => store.transaction((tx) => tx.all('select 1'));
    await work();
    await setPassword('second');
    await bouncer?.restart(settings);
    await expect.poll(() => work().catch(({ native }: StoreError) => native)).toBe('28P01');
    current = through(url, 'second');
    await vi.waitFor(work, 30_000);
  }, 60_000);

  it('if PgBouncer refuses a connection because of a parameter, the error names the parameter', async () => {
    const url = await pool('session');
    const refused = await refusalOf(`${url}?options=-c%20geqo%3Doff`);
    expect(refused).toMatchObject({
      native: '08P01',
      message: expect.stringContaining('unsupported startup parameter'),
    });
    expect(refused !== undefined && isSettingFault(refused)).toBe(true);
  }, 60_000);

  it.each([
    ['max_client_conn = 1', '53300', 'no more connections allowed'],
    ['default_pool_size = 1', '53300', 'has no free session'],
  ])(
    'does not report a wrong setting if a pooler has too few connections (%s)',
    async (more, native, words) => {
      const refused = await refusalOf(await pool('session', [more]));
      expect(refused).toMatchObject({ code: 'unavailable', native, message: expect.stringContaining(words) });
      expect(refused !== undefined && isSettingFault(refused)).toBe(false);
    },
    60_000,
  );

  it('if a pooler refuses every connection, tries again a few times per second instead of once per request', async () => {
    const url = await pool('session');
    const store = await open(url, 8);
    const work = () => store.transaction((tx) => tx.all('select 1'));
    await Promise.all(Array.from({ length: 8 }, work));
    const other = await bouncer?.restartFull(['pool_mode = session']);
    const requests = Promise.all(
      Array.from({ length: 40 }, () =>
        work().then(
          () => 'done',
          (error: StoreError) => error.native,
        ),
      ),
    );
    // The time limit for a connection is two seconds.
    expect(new Set(await requests)).toEqual(new Set(['53300']));
    const refused = (await bouncer?.log())?.match(/closing because: no more connections/g) ?? [];
    expect(refused.length).toBeLessThan(150);
    const later = Array.from({ length: 40 }, work);
    await other?.end();
    expect(await Promise.all(later)).toHaveLength(40);
  }, 60_000);

  it.each([
    ['max_client_conn = 5', 'no more connections'],
    ['default_pool_size = 5', 'no session'],
  ])(
    'requests share the open connections if a pooler refuses further ones (%s)',
    async (more) => {
      // The pooler allows three connections for work, one for notifications, and one for the check of the pooler.
      const store = await open(await pool('session', [more]), 16);
      const work = (n: number) =>
        store.transaction(async (tx) => {
          await tx.all('select pg_sleep(0.01)');
          await tx.run('insert into counter (name, value) values ($1, 1)', [`row ${n}`]);
        });
      await Promise.all(Array.from({ length: 40 }, (_, n) => work(n)));
      expect(await store.read.all('select count(*) as rows from counter')).toEqual([{ rows: 40 }]);
      // A connection is attempted once for each connection of the pool, not once for each request.
      const refused = (await bouncer?.log())?.match(/closing because: no more connections/g) ?? [];
      expect(refused.length).toBeLessThanOrEqual(16);
    },
    60_000,
  );
});

// A real PgBouncer: transaction mode is refused by name, session mode works.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { StoreError } from '../errors.ts';
import { silentLogger } from '../logger.ts';
import { readSchema } from '../schema-of.ts';
import { openPostgres, type PostgresCluster } from '../testing/index.ts';
import { freePort } from '../testing/postgres-cluster.ts';
import type { Store } from '../types.ts';
import { openPostgresStore } from './store.ts';

const hasPgBouncer = spawnSync('pgbouncer', ['--version'], { stdio: 'ignore' }).status === 0;
if (!hasPgBouncer) console.warn('Skipped: PgBouncer, because it is not installed.');

describe.skipIf(!hasPgBouncer)('behind PgBouncer', () => {
  let cluster: PostgresCluster;
  let folder: string;
  let bouncer: ChildProcess | undefined;

  beforeAll(async () => {
    cluster = await openPostgres();
    folder = await mkdtemp(join(tmpdir(), 'ledger-ops-pgbouncer-'));
    // The account that PgBouncer runs as reads it.
    await chmod(folder, 0o755);
  });
  afterEach(async () => {
    if (bouncer === undefined || bouncer.exitCode !== null) return;
    const ended = once(bouncer, 'exit');
    bouncer.kill('SIGKILL');
    await ended;
  });
  afterAll(async () => {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs PgBouncer in front of a new database. Returns the database's URL through it. */
  async function pool(mode: string, more: readonly string[] = []): Promise<string> {
    const { hostname, port, username, password, pathname } = new URL(await cluster.createDatabase());
    const listening = await freePort();
    const file = join(folder, `${mode}-${listening}.ini`);
    await writeFile(
      file,
      [
        '[databases]',
        `pooled = host=${hostname} port=${port} user=${username} password=${password} dbname=${pathname.slice(1)}`,
        '[pgbouncer]',
        ...['listen_addr = 127.0.0.1', `listen_port = ${listening}`, 'unix_socket_dir ='],
        ...['auth_type = any', `pool_mode = ${mode}`, ...more],
      ].join('\n'),
    );
    const account = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
    bouncer = spawn('pgbouncer', ['-q', ...account, file], { stdio: 'ignore' });
    return `postgres://somebody@127.0.0.1:${listening}/pooled`;
  }

  const open = (url: string) => openPostgresStore({ url, logger: silentLogger, maxConnections: 4 });
  /** Repeats an attempt until PgBouncer listens. */
  const outcome = (url: string): Promise<Store | Error> =>
    vi.waitFor(
      async () => {
        const result = await open(url).catch((error: StoreError) => error);
        expect(result).not.toMatchObject({ native: 'ECONNREFUSED' });
        return result;
      },
      { timeout: 30_000, interval: 100 },
    );

  it.each([
    ['transaction', []],
    ['transaction', ['default_pool_size = 1']],
    ['statement', []],
  ])(
    'refuses pool_mode %s by name (%j)',
    async (mode, more) => {
      const url = await pool(mode, more);
      const refusal = { code: 'misuse', message: expect.stringContaining('pool_mode = session') };
      expect(await outcome(url)).toMatchObject(refusal);
      await expect(readSchema({ url })).rejects.toMatchObject(refusal);
    },
    60_000,
  );

  it('works in session mode, without further options of PgBouncer', async () => {
    const url = await pool('session');
    const here = await outcome(url);
    if (here instanceof Error) throw here;
    const there = await open(url);
    const heard: string[] = [];
    there.listen('topic', (payload) => heard.push(payload));
    await here.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', ['x']));
    here.notify('topic', 'hint');
    await vi.waitFor(() => expect(heard).toEqual(['hint']), 30_000);
    expect(await there.read.all('select name from counter')).toEqual([{ name: 'x' }]);
    await Promise.all([here.close(), there.close()]);
  }, 60_000);

  it('names the parameter of a connection that PgBouncer refuses', async () => {
    const url = await pool('session');
    expect(await outcome(`${url}?options=-c%20geqo%3Doff`)).toMatchObject({
      native: '08P01',
      message: expect.stringContaining('unsupported startup parameter'),
    });
  }, 60_000);
});

import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemUid } from '@ledger-ops/auth';
import { openStore } from '@ledger-ops/store';
import { createSqlite, openPostgres } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { runCommand } from '../../src/commands/run-command.ts';
import { commands } from '../../src/commands/table.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { ConfigError } from '../../src/settings/config-error.ts';
import { version } from '../../src/version.ts';
import { addPending } from './pending-action.ts';

const masterKey = '07'.repeat(32);
const applicationToken = `app_${'a'.repeat(43)}`;
let folder: { path: string; remove(): Promise<void> };
let metricsPort: string;
let server: RunningServer;

const at = (...names: string[]) => join(folder.path, ...names);
const environmentOf = (data: string, more = {}) => ({
  DATA_DIR: at(data),
  MASTER_KEY: masterKey,
  PORT: '0',
  LOG_LEVEL: 'silent',
  ADMINISTRATOR_APPLICATION_TOKEN: applicationToken,
  ADMINISTRATOR_API_TOKEN: `sak_${'b'.repeat(43)}`,
  ...more,
});

function start(data: string, more = {}): Promise<RunningServer> {
  return startServer({
    config: readConfig(environmentOf(data, more)),
    log: createLog('silent'),
    adapters: [],
  });
}

/** Starts a server, signs in as its administrator, and returns the response status. */
async function signIn(data: string, more = {}): Promise<number> {
  const { url, close } = await start(data, more);
  const answer = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: 'administration' },
      ...{ service_account: 'administrator', client_secret: `sak_${'b'.repeat(43)}` },
    }),
  });
  await close();
  return answer.status;
}

async function run(data: string, args: string[], more = {}) {
  let out = '';
  let err = '';
  const code = await runCommand(args, {
    environment: environmentOf(data, more),
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

const json = async (...[data, args, more]: Parameters<typeof run>) => {
  const { code, out } = await run(data, [...args, '--json'], more);
  return { code, data: JSON.parse(out) };
};

beforeAll(async () => {
  folder = await openFolder();
  metricsPort = String(await freePort());
  server = await start('live', { METRICS_PORT: metricsPort });
});

afterAll(async () => {
  await server.close();
  await folder.remove();
});

it('--help prints help for all commands or for a single one', async () => {
  const { code, out } = await run('live', ['--help']);
  expect(code).toBe(0);
  for (const [name, { about, options }] of Object.entries(commands)) {
    expect(out).toContain(`  ${name.padEnd(11)}  ${about}`);
    const one = await run('live', ['help', name]);
    expect((await run('live', [name, '--help'])).out).toBe(one.out);
    expect(one.out).toMatch(new RegExp(`^Usage: ledger-ops ${name} `));
    for (const option of Object.keys(options)) expect(one.out).toContain(`--${option}`);
  }
  const served = await run('live', ['serve', '--help']);
  expect(served.out).toMatch(/^Usage: ledger-ops serve\n/);
  expect((await run('live', ['help', 'serve'])).out).toBe(served.out);
  expect((await run('live', ['--version'])).out).toBe(`${version}\n`);
});

it.each([
  [['serve', '--port', '3000'], 'serve takes no arguments'],
  [['unknown'], 'There is no command unknown. Commands are serve, migrate'],
  [['help', 'unknown'], 'There is no command unknown'],
  [['migrate', 'now'], 'migrate takes no arguments. Run migrate --help for details.'],
  [['migrate', '--quickly'], "Unknown option '--quickly'"],
  [['backup'], 'backup takes folder.'],
  [['restore', 'x', '--pending=perhaps'], '--pending must be keep or end.'],
])('the command line %j is rejected with exit code 2', async (args, message) => {
  const refused = run('live', args);
  await expect(refused).rejects.toBeInstanceOf(ConfigError);
  await expect(refused).rejects.toThrow(message);
});

it('migrate updates the schema, and migrate --check lists the pending migrations', async () => {
  const check = await json('fresh', ['migrate', '--check']);
  expect(check).toEqual({ code: 3, data: { version, before: [], pending: ['0000_initial'] } });
  expect(existsSync(at('fresh'))).toBe(false);
  expect((await json('fresh', ['migrate'])).data).toEqual({ version, before: [], applied: ['0000_initial'] });
  const again = await run('fresh', ['migrate']);
  expect(again).toMatchObject({
    code: 0,
    out: `The schema is up to date with version ${version}: 0000_initial.\n`,
  });
  expect((await run('live', ['migrate', '--check'])).code).toBe(0);
});

it('commands and the server refuse a database with a newer schema, and name the version that can open it', async () => {
  const file = at('newer', 'ledger-ops.sqlite');
  await run('newer', ['migrate']);
  const store = await openStore({ file });
  await store.transaction((tx) =>
    tx.run("insert into schema_migration values (1, 'future', 'hash', 1, '9.1.0')"),
  );
  await store.close();
  for (const args of [['migrate'], ['migrate', '--check'], ['backup', at('of-newer')]]) {
    const { code, err } = await run('newer', args);
    expect(code).toBe(1);
    expect(err).toContain(
      `This is version ${version}, which knows migrations only up to 0000_initial. Start version 9.1.0`,
    );
  }
  expect(existsSync(at('of-newer'))).toBe(false);
  await expect(start('newer')).rejects.toThrow('Start version 9.1.0 or a newer one.');
});

it('a running server can be backed up, and a server on the restored backup accepts the same credentials', async () => {
  const made = await json('live', ['backup', at('backup')]);
  expect(made).toMatchObject({ code: 0, data: { pending: 0, version, migrations: ['0000_initial'] } });
  expect((await readdir(at('backup'))).sort()).toEqual(['ledger-ops.sqlite', 'manifest.json']);
  for (const name of await readdir(at('backup')))
    expect((await stat(at('backup', name))).mode & 0o777).toBe(0o600);

  const { code, out } = await run('restored', ['restore', at('backup')]);
  expect(code).toBe(0);
  expect(out).toContain('the database as of ');
  expect(await readdir(at('restored'))).toEqual(['ledger-ops.sqlite']);
  expect(await signIn('restored')).toBe(200);

  expect(await run('restored', ['restore', at('backup')])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not empty'),
  });
  expect(await run('live', ['backup', at('backup')])).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not empty'),
  });
});

it('backup and restore refuse a different master key', async () => {
  const other = { MASTER_KEY: '08'.repeat(32) };
  expect(await run('live', ['backup', at('other')], other)).toMatchObject({
    code: 1,
    err: expect.stringContaining('cannot be decrypted with this master key'),
  });
  expect(existsSync(at('other'))).toBe(false);
  expect(await run('other', ['restore', at('backup')], other)).toMatchObject({
    code: 1,
    err: expect.stringContaining('another master key'),
  });
});

it('move copies a database to PostgreSQL, and a server on PostgreSQL accepts the same credentials', async () => {
  expect(await signIn('moved')).toBe(200);
  const cluster = await openPostgres();
  try {
    const there = { DATABASE_URL: await cluster.createDatabase({ bare: true }) };
    expect(await run('moved', ['move'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Set DATABASE_URL'),
    });
    const { code, data } = await json('moved', ['move'], there);
    expect({ code, identities: data.tables.identity.rows }).toEqual({ code: 0, identities: 1 });
    expect(await signIn('moved', there)).toBe(200);
    await expect(start('moved')).rejects.toThrow('Start the server with that database');
    expect(await run('moved', ['move'], there)).toMatchObject({
      code: 1,
      err: expect.stringContaining('The database was moved to PostgreSQL at '),
    });
  } finally {
    await cluster.stop();
  }
});

it('restore refuses a modified backup', async () => {
  await run('live', ['backup', at('changed')]);
  const path = at('changed', 'manifest.json');
  const manifest = await readFile(path, 'utf8');
  const refused = async () => {
    const { code, err } = await run('elsewhere', ['restore', at('changed')]);
    expect(code).toBe(1);
    return err;
  };
  await writeFile(path, manifest.replace('"pending": 0', '"pending": 1'));
  expect(await refused()).toContain('or was changed after it was written');
  await writeFile(path, '{');
  expect(await refused()).toContain('is not a manifest');
  await rm(path);
  expect(await refused()).toContain('is not a backup, or the backup was not completed');
  await writeFile(path, manifest);
  await createSqlite(at('changed', 'ledger-ops.sqlite'));
  expect(await refused()).toContain('was changed since the backup');
  expect(existsSync(at('elsewhere', 'ledger-ops.sqlite'))).toBe(false);
});

it('restore requires a choice about actions that were pending at the backup, and fails them with --pending=end', async () => {
  await run('pending', ['migrate']);
  const first = await start('pending');
  await first.close();
  const store = await openStore({ file: at('pending', 'ledger-ops.sqlite') });
  await addPending(store, 'one');
  await store.close();
  expect((await json('pending', ['backup', at('with-pending')])).data).toMatchObject({ pending: 1 });

  const undecided = await run('ended', ['restore', at('with-pending')]);
  expect(undecided).toMatchObject({
    code: 1,
    err: expect.stringContaining('1 actions are pending in this backup'),
  });
  expect(existsSync(at('ended'))).toBe(false);
  expect((await run('kept', ['restore', at('with-pending'), '--pending=keep'])).out).toContain(
    '1 pending actions continue',
  );
  expect((await run('ended', ['restore', at('with-pending'), '--pending=end'])).code).toBe(0);
  expect(await readdir(at('ended'))).toEqual(['ledger-ops.sqlite']);
  const restored = await start('ended');
  const read = () => restored.store.read.all('SELECT status, problem FROM action');
  await vi.waitFor(async () => {
    expect(await read()).toEqual([
      { status: 'FAILED', problem: expect.stringContaining('the database was restored from a backup of ') },
    ]);
  }, 30_000);
  await restored.close();
});

it.each(['SQLite', 'PostgreSQL'])(
  'end-pending fails unsigned actions in a %s database that was restored with other tools',
  async (kind) => {
    const cluster = kind === 'PostgreSQL' ? await openPostgres() : undefined;
    try {
      const url = await cluster?.createDatabase();
      // A different application_name in the URL still names the same database.
      const named = url === undefined ? {} : { DATABASE_URL: `${url}?application_name=x` };
      const [data, more] = [`put-back-${kind}`, named];
      const running = await start(data, more);
      const refused = await run(data, ['end-pending'], more);
      await running.close();
      expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/[:.] Stop (it|them) first/) });
      const store = await openStore(url === undefined ? { file: at(data, 'ledger-ops.sqlite') } : { url });
      await addPending(store, 'one');
      await store.close();
      expect(await json(data, ['end-pending'], more)).toMatchObject({ code: 0, data: { pending: 1 } });
      const restored = await start(data, more);
      await vi.waitFor(async () => {
        expect(await restored.store.read.all('SELECT status, problem FROM action')).toEqual([
          {
            status: 'FAILED',
            problem: expect.stringContaining('the database was restored from a backup, so the action'),
          },
        ]);
      }, 30_000);
      await restored.close();
      expect((await run(data, ['end-pending'], more)).out).toMatch(/^No actions are pending in .+\.\n$/);
    } finally {
      await cluster?.stop();
    }
  },
);

it('commands refuse a database without an installation, and say what to check', async () => {
  for (const args of [['end-pending'], ['verify'], ['backup', at('of-nothing')]]) {
    const { code, err } = await run('nothing', args);
    expect([code, err]).toEqual([1, expect.stringMatching(/does not exist|There is no installation in/)]);
  }
  expect(existsSync(at('nothing', 'ledger-ops.sqlite'))).toBe(false);
  await run('only-migrated', ['migrate']);
  for (const args of [['end-pending'], ['verify']]) {
    const { code, err } = await run('only-migrated', args);
    expect([code, err]).toEqual([1, expect.stringContaining('No server has ever started on')]);
  }
});

it('commands name the schema of an installation that is not in the default schema, and open it with DATABASE_SCHEMA', async () => {
  const cluster = await openPostgres();
  try {
    const DATABASE_URL = await cluster.createDatabase({ bare: true });
    const there = { DATABASE_URL, DATABASE_SCHEMA: 'app' };
    expect(await signIn('schema', there)).toBe(200);
    const lines: Record<string, unknown>[] = [];
    const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
    const config = readConfig(environmentOf('schema', there));
    await (await startServer({ config, log, adapters: [] })).close();
    const database = expect.stringMatching(/^127\.0\.0\.1:\d+\/\w+, schema app$/);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'listening', database }));
    for (const args of [['end-pending'], ['verify'], ['migrate'], ['migrate', '--check']]) {
      const { code, err } = await run('schema', args, { DATABASE_URL });
      expect([code, err]).toEqual([1, expect.stringContaining('Set DATABASE_SCHEMA=app to use it.')]);
    }
    await expect(start('schema', { DATABASE_URL })).rejects.toThrow('Set DATABASE_SCHEMA=app to use it.');
    const { code, out } = await run('schema', ['end-pending'], there);
    expect([code, out]).toEqual([0, expect.stringMatching(/^No actions are pending in .+, schema app\.\n$/)]);
  } finally {
    await cluster.stop();
  }
});

it('a server does not begin a new installation in a data folder with the credentials of an older installation', async () => {
  const {
    ADMINISTRATOR_APPLICATION_TOKEN: _,
    ADMINISTRATOR_API_TOKEN: __,
    ...environment
  } = environmentOf('lost');
  const begin = () =>
    startServer({ config: readConfig({ ...environment }), log: createLog('silent'), adapters: [] });
  await (await begin()).close();
  for (const name of ['ledger-ops.sqlite', 'ledger-ops.sqlite.lock']) await rm(at('lost', name));
  await expect(begin()).rejects.toThrow(/^DATA_DIR: The database is empty, but .*administrator\.json/);
  const { data } = await json('lost', ['doctor']);
  expect(data.findings).toContainEqual(expect.objectContaining({ check: 'installation', state: 'wrong' }));
  await rm(at('lost', 'administrator.json'));
  await (await begin()).close();
});

it('a server that starts logs its database, its data folder and misspelled settings', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const config = readConfig(environmentOf('named', { DATABSE_URL: 'x' }));
  const started = await startServer({ config, log, adapters: [] });
  await started.close();
  const database = at('named', 'ledger-ops.sqlite');
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'listening', database, dataDir: at('named') }));
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'a new installation begins', database }));
  expect(lines).toContainEqual(
    expect.objectContaining({ detail: 'DATABSE_URL is not a setting; did you mean DATABASE_URL?' }),
  );
});

it('commands warn about environment variables whose names are similar to a setting', async () => {
  const { err } = await run('live', ['migrate', '--check'], { DATABSE_URL_FILE: '' });
  expect(err).toBe('Warning: DATABSE_URL_FILE is not a setting; did you mean DATABASE_URL_FILE?\n');
  const { data } = await json('live', ['doctor'], { DATABSE_URL_FILE: '' });
  const detail = 'DATABSE_URL_FILE is not a setting; did you mean DATABASE_URL_FILE?';
  expect(data.findings).toContainEqual(
    expect.objectContaining({ check: 'settings', state: 'warning', detail }),
  );
});

it('verify reports contradictions in a database', async () => {
  expect(await json('live', ['verify'])).toEqual({ code: 0, data: { discrepancies: [], ledgers: [] } });
  expect(await signIn('contradicting')).toBe(200);
  const store = await openStore({ file: at('contradicting', 'ledger-ops.sqlite') });
  await addPending(store, 'one');
  await store.transaction((tx) =>
    tx.run("UPDATE action SET status = 'SUCCEEDED', stage = 'done', ended_at = 2 WHERE id = 'one'"),
  );
  await store.close();
  const { code, out } = await run('contradicting', ['verify']);
  expect(code).toBe(3);
  expect(out).toMatch(/^Violated in 1 case: Each SUCCEEDED action names its transaction.*\n {2}one: /);
});

it('doctor reports why a wallet could not be compared with its ledger', async () => {
  expect(await signIn('uncompared')).toBe(200);
  const store = await openStore({ file: at('uncompared', 'ledger-ops.sqlite') });
  const values = "('chain/genesis', 'account', 1, 'Node n has no history.')";
  await store.transaction((tx) =>
    tx.run(`INSERT INTO compared_account (chain, address, height, incomplete) VALUES ${values}`),
  );
  await store.close();
  const { data } = await json('uncompared', ['doctor']);
  const detail = expect.stringContaining('Node n has no history.');
  expect(data.findings).toContainEqual(
    expect.objectContaining({ check: 'exclusive wallets', state: 'warning', detail }),
  );
});

it('doctor checks everything that a server needs, and shows how to fix each problem', async () => {
  const states = async (...args: [string, object?]) => {
    const { code, data } = await json(args[0], ['doctor'], args[1]);
    const findings: { check: string; state: string; detail: string; next?: string }[] = data.findings;
    for (const { state, next } of findings) expect(next === undefined).toBe(state === 'ok');
    return { code, ...Object.fromEntries(findings.map(({ check, state }) => [check, state])) };
  };
  expect(await states('live')).toMatchObject({
    code: 0,
    ...{ settings: 'ok', secrets: 'warning', 'data folder': 'ok', port: 'ok', database: 'ok' },
    ...{ clock: 'ok', 'master key': 'ok' },
  });
  const { port } = new URL(server.url);
  expect(await states('live', { PORT: port, MASTER_KEY: '08'.repeat(32) })).toMatchObject({
    ...{ code: 3, port: 'ok', 'master key': 'wrong' },
  });
  expect(await states('live', { METRICS_PORT: metricsPort })).toMatchObject({ 'metrics port': 'ok' });
  expect(await states('not-yet', { PORT: port })).toMatchObject({ port: 'warning' });
  expect(await states('live', { PORT: 'x' })).toEqual({ code: 3, settings: 'wrong' });
  expect(await states('not-yet')).toMatchObject({ code: 0, database: 'warning' });
  expect(await states('newer')).toMatchObject({ code: 3, database: 'wrong' });
  const nowhere = { DATABASE_URL: 'postgres://nobody:secret-of-nobody@127.0.0.1:1/none' };
  expect(await states('live', nowhere)).toMatchObject({ code: 3, database: 'wrong' });
  expect((await run('live', ['doctor'], nowhere)).out).not.toContain('secret-of-nobody');

  // The running server has other settings than this command.
  const other = await json('live', ['doctor'], { OUTBOUND_OPEN: '10.0.0.0/8' });
  const [settings] = other.data.findings;
  expect([other.code, settings]).toMatchObject([0, { check: 'settings', state: 'warning' }]);
  expect(settings.detail).toMatch(
    /the running server \(process \d+\) was started with a different OUTBOUND_OPEN/,
  );

  await server.store.transaction((tx) =>
    server.registry.createLedger(tx, {
      ...{
        ledgerId: 'far',
        name: 'Far',
        technology: 'none-such',
        properties: {},
        projectUid: null,
        parentResourceUid: systemUid,
        nodes: [],
      },
    }),
  );
  expect(await states('live')).toMatchObject({ code: 3, 'ledger far': 'wrong' });

  // Ledgers are queried with the running server's settings.
  await server.store.transaction((tx) =>
    server.registry.createLedger(tx, {
      ...{ ledgerId: 'near', name: 'Near', technology: 'ethereum', properties: { chain_id: 1 } },
      ...{ projectUid: null, parentResourceUid: systemUid },
      nodes: [{ name: 'a', uri: 'http://127.0.0.1:1' }],
    }),
  );
  const { data } = await json('live', ['doctor'], { OUTBOUND_OPEN: '127.0.0.0/8' });
  expect(data.findings).toContainEqual(
    expect.objectContaining({ check: 'ledger near', detail: expect.stringContaining('private address') }),
  );
});

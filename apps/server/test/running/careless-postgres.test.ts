// A PostgreSQL whose settings may lose commits. doctor reports these settings. Changes of commands survive a crash even
// if synchronous_commit is off for the role.
import { join } from 'node:path';
import { openStore } from '@ledger-ops/store';
import { CrashingPostgres } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { runCommand } from '../../src/commands/run-command.ts';
import { databaseFile } from '../../src/database-place.ts';
import { createLog } from '../../src/logging/logger.ts';
import { startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { addPending } from './pending-action.ts';

let postgres: CrashingPostgres;
let folder: Awaited<ReturnType<typeof openFolder>>;
let folders = 0;
let environment: Record<string, string>;

beforeAll(async () => {
  [postgres, folder] = await Promise.all([CrashingPostgres.start(), openFolder()]);
});
afterAll(async () => {
  await postgres?.stop();
  await folder?.remove();
});
beforeEach(async () => {
  // An empty database for each test.
  await postgres.asAdministrator(async (client) => {
    await client.query('drop schema public cascade');
    await client.query('create schema public authorization careless');
  });
  folders += 1;
  environment = { DATA_DIR: join(folder.path, `data-${folders}`), MASTER_KEY: '07'.repeat(32), PORT: '0' };
});

const onPostgres = () => ({ ...environment, DATABASE_URL: postgres.url });

async function run(...args: string[]) {
  let text = '';
  let err = '';
  const code = await runCommand([...args, '--json'], {
    environment: onPostgres(),
    out: (chunk) => {
      text += chunk;
    },
    err: (chunk) => {
      err += chunk;
    },
  });
  return { code, err, data: text === '' ? undefined : JSON.parse(text) };
}

async function commits(): Promise<unknown> {
  const { data } = await run('doctor');
  return data.findings.find(({ check }: { check: string }) => check === 'commits');
}

/** Starts a server once, so that there is an installation. */
async function begin(settings: Record<string, string>): Promise<void> {
  const config = readConfig({ ...settings });
  await (await startServer({ config, log: createLog('silent'), adapters: [] })).close();
}

async function crash(more: readonly string[] = []): Promise<void> {
  await postgres.crash();
  await postgres.restart(more);
}

test('doctor names PostgreSQL settings that can lose or damage committed changes', async () => {
  await run('migrate');
  // The PostgreSQL servers of tests run without fsync.
  expect(await commits()).toMatchObject({ state: 'wrong', detail: expect.stringMatching(/^fsync is off: /) });
  await crash(['fsync=on', 'full_page_writes=off']);
  expect(await commits()).toMatchObject({
    ...{ state: 'warning', detail: expect.stringMatching(/^full_page_writes is off: /) },
  });
  await crash(['fsync=on']);
  expect(await commits()).toEqual({
    ...{ check: 'commits', state: 'ok' },
    detail:
      'operations are durable when they are accepted (synchronous_commit is off, and servers turn it on)',
  });
  await crash();
});

test('doctor and migrate --check name the tables that the role may not use', async () => {
  await run('migrate');
  await postgres.asAdministrator((client) => client.query('revoke delete on webhook from careless'));
  const detail = expect.stringContaining('lacks rights on tables of');
  const { data } = await run('doctor');
  expect(data.findings).toContainEqual(
    expect.objectContaining({ check: 'database', state: 'wrong', detail }),
  );
  const check = await run('migrate', '--check');
  expect([check.code, check.err]).toEqual([1, expect.stringContaining('webhook (DELETE). Grant')]);
});

test.each(['end-pending', 'adopt --restored', 'adopt --copy'])(
  'the changes of the command %s survive a crash of PostgreSQL',
  async (command) => {
    await begin(onPostgres());
    const store = await openStore({ url: postgres.url });
    await addPending(store, 'one');
    await store.close();
    const { rows: before } = await postgres.asAdministrator((client) =>
      client.query('select installation_id from installation'),
    );
    expect(await run(...command.split(' '))).toMatchObject({ code: 0, data: { pending: 1 } });
    await crash();
    const read = (text: string) =>
      postgres.asAdministrator(async (client) => (await client.query(text)).rows);
    expect(await read('select id, deadline::text from action')).toEqual([{ id: 'one', deadline: '0' }]);
    const isSame = (await read('select installation_id from installation'))[0];
    expect(isSame?.installation_id === before[0].installation_id).toBe(command !== 'adopt --copy');
  },
);

test('the rows that the command move copied to PostgreSQL survive a crash of PostgreSQL', async () => {
  await begin(environment);
  const file = join(environment.DATA_DIR ?? '', databaseFile);
  const store = await openStore({ file });
  await addPending(store, 'one');
  await store.close();
  expect(await run('move')).toMatchObject({ code: 0 });
  await crash();
  expect(await run('migrate', '--check')).toMatchObject({ code: 0 });
  const moved = await openStore({ url: postgres.url });
  expect(await moved.read.all('SELECT id FROM action')).toEqual([{ id: 'one' }]);
  await moved.close();
});

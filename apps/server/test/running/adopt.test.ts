// A database that was copied, or restored to an earlier state, is only read until a deployer decides.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { systemUid } from '@ledger-ops/auth';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { openStore } from '@ledger-ops/store';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { runCommand } from '../../src/commands/run-command.ts';
import { databaseFile, databasePlace } from '../../src/database-place.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { nonceOf, poolSize } from '../job/chain.ts';
import { addWallet, ended, nobody, transferBody } from '../stage/api.ts';
import { cheapPasswords } from '../stage/cheap-passwords.ts';
import { type Api, addTenant, logIn, type Tenant } from '../stage/tenant.ts';

type Environment = Readonly<Record<string, string>>;

let anvil: Anvil;
let postgres: PostgresCluster;
/** Receives the webhooks of the original. `requests`: ids of the deliveries that it accepted. */
let receiver: { readonly url: string; readonly requests: string[]; isDown: boolean; close(): void };
let folder: { path: string; remove(): Promise<void> };
let folders = 0;

beforeAll(async () => {
  [anvil, postgres, folder] = await Promise.all([startAnvil(), openPostgres(), openFolder()]);
  receiver = await openReceiver();
});
afterAll(async () => {
  await anvil.stop();
  await postgres.stop();
  receiver.close();
  await folder.remove();
});

async function openReceiver(): Promise<typeof receiver> {
  const requests: string[] = [];
  const opened = { requests, isDown: false };
  const server = createServer((request, response) => {
    if (!opened.isDown) requests.push(String(request.headers['webhook-id']));
    response.writeHead(opened.isDown ? 503 : 204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(opened, { url: `http://127.0.0.1:${port}/`, close: () => server.close() });
}

async function start(environment: Environment): Promise<RunningServer & { readonly log: string[] }> {
  const log: string[] = [];
  const server = await startServer({
    config: readConfig(settingsOf(environment)),
    log: createLog('error', { write: (line) => void log.push(line) }),
    adapters: [ethereumAdapter],
    passwordCost: cheapPasswords,
    webhookTiming: { look: 10 },
  });
  return { ...server, log };
}

const settingsOf = (environment: Environment) => ({
  MASTER_KEY: '07'.repeat(32),
  ...{ PORT: '0', METRICS_PORT: '0', OUTBOUND_OPEN: '127.0.0.1' },
  ...environment,
});

async function run(environment: Environment, ...args: string[]) {
  let text = '';
  let err = '';
  const code = await runCommand([...args, '--json'], {
    environment: settingsOf(environment),
    out: (chunk) => {
      text += chunk;
    },
    err: (chunk) => {
      err += chunk;
    },
  });
  return { code, err, data: JSON.parse(text) };
}

/** A stopped installation with two pending payments. The second one is not signed, because it waits for the first. */
interface Stopped {
  readonly environment: Environment;
  readonly tenant: Tenant;
  readonly wallet: string;
  /** Action ids; the second payment depends on the first. */
  readonly payments: readonly [string, string];
}

async function stopWhileWaiting(kind: 'SQLite' | 'PostgreSQL'): Promise<Stopped> {
  const DATA_DIR = newFolder();
  const environment = {
    DATA_DIR,
    ...(kind === 'PostgreSQL' ? { DATABASE_URL: await postgres.createDatabase() } : {}),
  };
  const server = await start(environment);
  await server.store.transaction((tx) =>
    server.registry.createLedger(tx, {
      ledgerId: 'chain',
      projectUid: null,
      parentResourceUid: systemUid,
      name: 'chain',
      technology: 'ethereum',
      properties: { chain_id: 31_337, development: true, polling_interval: 50 },
      nodes: [{ uri: anvil.url }],
    }),
  );
  const file = JSON.parse(await readFile(join(DATA_DIR, 'administrator.json'), 'utf8'));
  const administrator = { ...file, appId: file.clientId, accountId: file.serviceAccount };
  const tenant = await addTenant(server.url, administrator, 'one');
  const { walletAddress } = await addWallet({ anvil }, tenant, 'payer');
  await tenant.api.expect(201, 'POST', '/v1/webhooks', { url: receiver.url });
  await tenant.api.expect(201, 'POST', '/v1/smart-contracts', {
    ...{ contractInstanceID: 'coin', ledgerID: 'chain', name: 'Coin' },
    properties: Object.entries({ address: nobody, abi: '[]' }).map(([name, value]) => ({
      type: { name },
      value,
    })),
  });
  await tenant.api.expect(201, 'POST', '/v1/contract-subscriptions', { contractId: 'coin' });
  await anvil.rpc('evm_setIntervalMining', [0]);
  const pay = async (more: object) => {
    const body = { ...transferBody('payer', nobody), ...more };
    const { actionId = '' } = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', body);
    return actionId;
  };
  const first = await pay({});
  const second = await pay({ dependencies: [first] });
  // Deliveries are stored soon after the events.
  const deliveries = () => server.store.read.all('SELECT status FROM webhook_delivery');
  await vi.waitFor(async () => expect(await deliveries()).not.toEqual([]), 30_000);
  await server.close();
  return { environment, tenant, wallet: walletAddress, payments: [first, second] };
}

const newFolder = () => join(folder.path, `data-${folders++}`);

/** Signs the tenant in on another server and returns its API. */
const apiOf = (server: RunningServer, tenant: Tenant): Promise<Api> => logIn(server.url, tenant);

/** Runs the installation until both payments are executed. */
async function execute({ environment, tenant, payments }: Stopped): Promise<void> {
  const server = await start(environment);
  await anvil.rpc('evm_setIntervalMining', [1]);
  const api = await apiOf(server, tenant);
  for (const id of payments) expect(await ended(api, id)).toMatchObject({ status: 'SUCCEEDED' });
  await server.close();
}

/** Copies the database of the installation, as a deployer does to make a staging server from production. */
async function copy({ DATABASE_URL, DATA_DIR = '' }: Environment): Promise<Environment> {
  const data = newFolder();
  await mkdir(data);
  const more = { DATA_DIR: data, BASE_URL: 'https://staging.example.com' };
  if (DATABASE_URL !== undefined) return { ...more, DATABASE_URL: await postgres.copyDatabase(DATABASE_URL) };
  await copyFile(join(DATA_DIR, databaseFile), join(data, databaseFile));
  return more;
}

/** Checks that the webhook of a copy sends nothing until it is enabled, and then only new events. */
async function enableAgain(api: Api, called: number): Promise<void> {
  const { webhooks } = await api.expect<{ webhooks: { id: string; status: string; reason: string }[] }>(
    200,
    'GET',
    '/v1/webhooks',
  );
  expect(webhooks).toMatchObject([{ status: 'DISABLED', reason: expect.stringContaining('copied') }]);
  const path = `/v1/webhooks/${webhooks[0]?.id}`;
  await api.expect(200, 'PUT', path, { status: 'ENABLED' });
  expect(receiver.requests).toHaveLength(called);
  // The original paid with this wallet, so the copy suspends it and signs nothing. Accepting an operation is an event.
  const suspended = async () =>
    (await api.expect<{ suspensions: { walletId: string }[] }>(200, 'GET', '/v1/ledger-ops/suspensions'))
      .suspensions;
  await vi.waitFor(async () => expect(await suspended()).toMatchObject([{ walletId: 'payer' }]), 30_000);
  await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('payer', nobody));
  const ofOriginal = new Set(receiver.requests.slice(0, called));
  const made = () => receiver.requests.slice(called);
  await vi.waitFor(() => expect(made().filter((id) => !ofOriginal.has(id))).toHaveLength(1), 30_000);
  // Only the original sends the deliveries that were pending when the database was copied.
  expect(made()).toHaveLength(1);
}

const statusOf = async (server: RunningServer, tenant: Tenant, id: string) =>
  (await (await apiOf(server, tenant)).expect(200, 'GET', `/v1/ledger-ops/search/actions/${id}`)).status;

describe.each(['SQLite', 'PostgreSQL'] as const)('a copy of a %s database', (kind) => {
  let original: Stopped;
  let undecided: Awaited<ReturnType<typeof start>>;
  let copies: { undecided: Environment; '--copy': Environment; '--restored': Environment };
  /** Contract subscriptions in the copy before a server started on it. */
  let subscriptions: object[];

  beforeAll(async () => {
    // While the receiver is down, deliveries stay pending, so the copies contain them.
    receiver.isDown = true;
    original = await stopWhileWaiting(kind);
    receiver.isDown = false;
    const { environment } = original;
    copies = {
      undecided: await copy(environment),
      '--copy': await copy(environment),
      '--restored': await copy(environment),
    };
    const store = await openStore(databasePlace(readConfig(settingsOf(copies.undecided))));
    await store.transaction((tx) => tx.run('UPDATE webhook_delivery SET due_at = 0'));
    subscriptions = await store.read.all('SELECT * FROM contract_subscription');
    await store.close();
    // The copy's server runs while the original executes the payments, so it would have time to execute them again.
    undecided = await start(copies.undecided);
    await execute(original);
  });
  afterAll(() => undecided?.close());

  test('a server on a copied database answers reads, contacts no ledgers, and reports that the database is a copy', async () => {
    const { tenant, payments, wallet } = original;
    const server = undecided;
    // Awaited below: on PostgreSQL, the command first waits a while, because killed servers may still be connected.
    const refused = run(copies.undecided, 'adopt', '--copy');
    try {
      for (const id of payments) expect(await statusOf(server, tenant, id)).toBe('PENDING');
      const { read } = server.store;
      expect(await read.all('SELECT stage FROM action ORDER BY id')).toEqual([
        { stage: 'signed' },
        { stage: 'blocked' },
      ]);
      expect(await read.all('SELECT id FROM suspension')).toEqual([]);
      const due = await read.all('SELECT status FROM webhook_delivery WHERE due_at = 0');
      expect(due).not.toEqual([]);
      for (const one of due) expect(one).toEqual({ status: 'PENDING' });
      expect(subscriptions).toMatchObject([{ contract_id: 'coin', status: 'ACTIVE' }]);
      expect(await read.all('SELECT * FROM contract_subscription')).toEqual(subscriptions);
      const api = await apiOf(server, tenant);
      const sent = await api.call('POST', '/v1/ledger-ops/send', transferBody('payer', nobody));
      const type = 'urn:ledger-ops:problem:database-not-adopted';
      expect(sent).toMatchObject({ status: 503, body: { type, detail: expect.stringContaining('adopt') } });
      expect(sent.headers.get('retry-after')).toBe('60');
      const ready = await api.call<{ reasons: string[] }>('GET', '/readyz');
      expect(ready).toMatchObject({ status: 503, body: { status: 'not-ready' } });
      expect(ready.body.reasons).toEqual([
        expect.stringContaining('was copied, moved, or restored to an earlier state'),
      ]);
      expect(server.log.filter((line) => line.includes('database.not-adopted'))).toHaveLength(1);
      expect(await (await fetch(server.metricsUrl ?? '')).text()).toMatch(/^ledger_ops_read_only 1$/m);
      expect([await nonceOf(anvil, wallet), await poolSize(anvil)]).toEqual([2, 0]);
      expect(await refused).toMatchObject({ code: 1, err: expect.stringMatching(/Stop (it|them) first/) });
    } finally {
      await server.close();
    }
    const { code, data } = await run(copies.undecided, 'doctor');
    expect(code).toBe(3);
    expect(data.findings).toContainEqual({
      ...{ check: 'installation', state: 'wrong', next: expect.stringContaining('ledger-ops adopt') },
      detail: expect.stringContaining('not the database that the installation used'),
    });
  });

  test('adopt requires exactly one of its options', async () => {
    for (const options of [[], ['--moved', '--copy']])
      expect(await run(copies.undecided, 'adopt', ...options)).toMatchObject({
        ...{ code: 1, err: expect.stringContaining('Choose one of --moved, --copy and --restored') },
      });
  });

  test.each(['--copy', '--restored'] as const)(
    'after adopt %s, unsigned actions fail, and nothing is paid again',
    async (decision) => {
      const { tenant, payments, wallet } = original;
      const before = await idOf(original.environment);
      const { data } = await run(copies[decision], 'adopt', decision);
      const webhooks = decision === '--copy' ? 1 : 0;
      expect(data).toMatchObject({ decision: decision.slice(2), pending: 2, webhooks });
      const called = receiver.requests.length;
      expect((await idOf(copies[decision])) === before).toBe(decision === '--restored');
      const server = await start(copies[decision]);
      try {
        const api = await apiOf(server, tenant);
        expect(await ended(api, payments[0])).toMatchObject({ status: 'SUCCEEDED' });
        expect(await ended(api, payments[1])).toMatchObject({ status: 'FAILED' });
        expect([await nonceOf(anvil, wallet), await poolSize(anvil)]).toEqual([2, 0]);
        await api.expect(200, 'GET', '/readyz');
        if (decision === '--copy') await enableAgain(api, called);
        else await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(called), 30_000);
      } finally {
        await server.close();
      }
    },
  );

  test('after adopt --moved, a server continues pending actions where it stopped', async () => {
    const moved = await stopWhileWaiting(kind);
    const environment = await copy(moved.environment);
    expect((await run(environment, 'adopt', '--moved')).data).toMatchObject({
      decision: 'moved',
      pending: 2,
    });
    await execute({ ...moved, environment });
    expect(await nonceOf(anvil, moved.wallet)).toBe(2);
  });
});

describe('a database that was restored to an earlier state', () => {
  test('a server signs nothing if the data folder shows that its database was replaced by an older one', async () => {
    const original = await stopWhileWaiting('SQLite');
    const { DATA_DIR = '' } = original.environment;
    const file = join(DATA_DIR, databaseFile);
    const snapshot = join(newFolder(), databaseFile);
    await mkdir(dirname(snapshot));
    await copyFile(file, snapshot);
    await execute(original);
    await copyFile(snapshot, file);
    const { data } = await run(original.environment, 'doctor');
    expect(data.findings).toContainEqual(
      expect.objectContaining({
        ...{ check: 'installation', state: 'wrong' },
        detail: expect.stringContaining('The database was restored to an earlier state'),
      }),
    );
    const server = await start(original.environment);
    expect(await statusOf(server, original.tenant, original.payments[1])).toBe('PENDING');
    expect(server.log.join('')).toContain(
      'The database was restored to an earlier state: a server used it until ',
    );
    await server.close();
    // The server recorded the restore in the database, so it is reported even if the heartbeat file is lost.
    await rm(join(DATA_DIR, 'heartbeat.json'));
    const again = await start(original.environment);
    expect(again.log.join('')).toContain('The database was restored to an earlier state');
    await again.close();
    await run(original.environment, 'adopt', '--restored');
    const restored = await start(original.environment);
    expect(restored.log).toEqual([]);
    const api = await apiOf(restored, original.tenant);
    expect(await ended(api, original.payments[1])).toMatchObject({ status: 'FAILED' });
    expect(await nonceOf(anvil, original.wallet)).toBe(2);
    await restored.close();
  });

  test('a server whose DATABASE_URL was changed to an older copy of its database signs nothing after end-pending', async () => {
    const original = await stopWhileWaiting('PostgreSQL');
    const before = await copy(original.environment);
    await execute(original);
    // The deployer changed the URL but not the data folder.
    const restored = { ...original.environment, DATABASE_URL: before.DATABASE_URL ?? '' };
    const server = await start(restored);
    expect(server.log.join('')).toContain('not the database that the installation used');
    await server.close();
    await run(restored, 'end-pending');
    const again = await start(restored);
    expect(again.log).toEqual([]);
    const api = await apiOf(again, original.tenant);
    expect(await ended(api, original.payments[1])).toMatchObject({ status: 'FAILED' });
    expect(await nonceOf(anvil, original.wallet)).toBe(2);
    await again.close();
  });
});

describe('a database that is neither a copy nor restored to an earlier state', () => {
  test('a restart, a new inode of the database file or a renamed data folder is not reported as a copy or restore', async () => {
    const DATA_DIR = newFolder();
    const check = async (environment: Environment) => {
      const server = await start(environment);
      expect(server.log).toEqual([]);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      await server.close();
    };
    await check({ DATA_DIR });
    await check({ DATA_DIR });
    // Simulates a volume that assigns new inode numbers when it is mounted.
    const file = join(DATA_DIR, databaseFile);
    await copyFile(file, `${file}.new`);
    await rename(`${file}.new`, file);
    await check({ DATA_DIR });
    const renamed = newFolder();
    await rename(DATA_DIR, renamed);
    await check({ DATA_DIR: renamed });
  });

  test('a server reports no copy or restore after its database was moved to PostgreSQL or restored from a backup', async () => {
    const DATA_DIR = newFolder();
    await (await start({ DATA_DIR })).close();
    const backup = newFolder();
    await run({ DATA_DIR }, 'backup', backup);
    const environment = { DATA_DIR, DATABASE_URL: await postgres.createDatabase() };
    const restored = { DATA_DIR: newFolder() };
    expect(await run(environment, 'move')).toMatchObject({ code: 0 });
    expect(await run(restored, 'restore', backup)).toMatchObject({ code: 0 });
    for (const one of [environment, restored]) {
      const server = await start(one);
      expect(server.log).toEqual([]);
      await server.close();
    }
  });
});

test('adopt does not create a database if there is none', async () => {
  const DATA_DIR = newFolder();
  expect(await run({ DATA_DIR }, 'adopt', '--moved')).toMatchObject({
    ...{
      code: 1,
      err: expect.stringContaining('There is no installation in'),
    },
  });
  expect(existsSync(DATA_DIR)).toBe(false);
});

test('a copy cannot be moved to PostgreSQL before adopt was run', async () => {
  const DATA_DIR = newFolder();
  await (await start({ DATA_DIR })).close();
  const copied = newFolder();
  await cp(DATA_DIR, copied, { recursive: true });
  const there = { DATA_DIR: copied, DATABASE_URL: await postgres.createDatabase({ bare: true }) };
  expect(await run(there, 'move')).toMatchObject({
    ...{ code: 1, err: expect.stringMatching(/cannot be moved: it is .* Run adopt first/) },
  });
});

/** The installation's id, as doctor reports it. */
async function idOf(environment: Environment): Promise<string> {
  const { data } = await run(environment, 'doctor');
  const { detail } = data.findings.find(({ check }: { check: string }) => check === 'installation');
  return /^[0-9a-f-]{36}/.exec(detail)?.[0] ?? detail;
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { childEnvironment, freePort, sourceArguments } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { builtInAdapters } from '../../src/adapters.ts';
import { createLog } from '../../src/logging/logger.ts';
import { startFailure } from '../../src/serve.ts';
import { startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { StartError } from '../../src/settings/config-error.ts';
import { addTenant } from '../stage/tenant.ts';

const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');
const patience = { timeout: 60_000, interval: 100 };

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(() => folder.remove());

async function readiness(url: string): Promise<{ status: number; reasons: string[] }> {
  const response = await fetch(`${url}/readyz`);
  // Other tests validate this body against the OpenAPI document.
  const { reasons } = (await response.json()) as { reasons: string[] };
  return { status: response.status, reasons };
}

/** Shell script: mounts a disk of 24 MB on a folder, and runs the remaining arguments. */
const onSmallDisk = `set -e; mount -t tmpfs -o size=24m,mode=0700 none "$1"; shift; exec "$@"`;
const namespaces = ['--user', '--map-root-user', '--mount', 'sh', '-c', onSmallDisk, 'sh'];
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', [...namespaces, '/tmp', 'true'], { stdio: 'ignore' }).status === 0;
if (!canMount)
  console.warn('Skipped: SQLite on a full disk, because this machine allows no mount namespaces.');

/** Logs in as the administrator, and returns a function that stores 700 kB. */
async function changesOf(url: string, data: string) {
  const { applicationToken, clientId, serviceAccount, apiToken } = JSON.parse(
    await readFile(join(data, 'administrator.json'), 'utf8'),
  );
  const administrator = { applicationToken, appId: clientId, accountId: serviceAccount, apiToken };
  const { api, organizationId } = await addTenant(url, administrator, 'full');
  return (nth: number) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><!-- ${nth} ${'x'.repeat(700_000)} --></svg>`;
    const body = { data: Buffer.from(svg).toString('base64'), format: 'svg' };
    return api.call<{ detail?: string }>('PUT', `/v1/organizations/${organizationId}/image`, body);
  };
}

/** Writes a file until the disk is full. */
async function fillDisk(path: string): Promise<void> {
  const filler = await open(path, 'w');
  const fill = async () => {
    for (;;) await filler.write(Buffer.alloc(4_096));
  };
  await expect(fill()).rejects.toMatchObject({ code: 'ENOSPC' });
  await filler.close();
}

describe.skipIf(!canMount)('SQLite on a full disk', () => {
  let server: ChildProcess | undefined;
  afterEach(async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  });

  test('responses, readiness and the log report the full disk until it has space again', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    server = spawn('unshare', [...namespaces, folder.path, process.execPath, ...sourceArguments, main], {
      env: { ...childEnvironment(), DATA_DIR: folder.path, MASTER_KEY, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    server.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    await vi.waitFor(async () => expect((await readiness(url)).status).toBe(200), patience);
    // The path to the server's folder, which is in the server's own mount namespace.
    const data = `/proc/${server.pid}/root${folder.path}`;
    const change = await changesOf(url, data);
    expect((await change(0)).status).toBe(200);

    await fillDisk(join(data, 'filler'));
    // Existing parts of the database files can still be overwritten, so the first changes may succeed.
    let answer = await change(1);
    for (let nth = 2; nth < 40 && answer.status === 200; nth += 1) answer = await change(nth);
    expect(answer).toMatchObject({
      status: 503,
      body: { detail: 'The disk of the database is full. Try again later.' },
    });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await readiness(url)).toEqual({
      status: 503,
      reasons: ['the last change was not stored: The disk of the database is full.'],
    });

    await rm(join(data, 'filler'));
    await vi.waitFor(async () => expect((await readiness(url)).status).toBe(200), patience);
    expect((await change(41)).status).toBe(200);
    server.kill('SIGTERM');
    await once(server, 'exit');
    expect(output).toMatch(/"error":"[^"]*SQLITE_FULL[^"]*".*"database.write-failed"/);
    expect(output).toContain('database.writes-again');
  }, 180_000);

  test('a server that cannot start because the disk is full says so in one line, and starts once there is space', async () => {
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
    const holder = spawn('unshare', [...namespaces, folder.path, 'sleep', '300'], { stdio: 'ignore' });
    const { pid } = holder;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    /** Runs a server on the disk. */
    const run = () => {
      const enter = ['--target', String(pid), '--user', '--mount', '--preserve-credentials'];
      const running = spawn('nsenter', [...enter, process.execPath, ...sourceArguments, main], {
        env: { ...childEnvironment(), DATA_DIR: folder.path, MASTER_KEY, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      server = running;
      let err = '';
      running.stderr.on('data', (chunk) => {
        err += chunk;
      });
      const ended = once(running, 'exit').then(([code]) => ({ code, err }));
      return { ended, kill: (signal: NodeJS.Signals) => running.kill(signal) };
    };
    const isReady = async () => expect((await readiness(url)).status).toBe(200);
    try {
      const data = `/proc/${pid}/root${folder.path}`;
      const isMounted = async () => expect((await statfs(data)).blocks * 4_096).toBe(24 * 2 ** 20);
      await vi.waitFor(isMounted, patience);
      const first = run();
      await vi.waitFor(isReady, patience);
      const change = await changesOf(url, data);
      await fillDisk(join(data, 'filler'));
      let status = 200;
      for (let nth = 1; nth < 40 && status === 200; nth += 1) ({ status } = await change(nth));
      expect(status).toBe(503);
      // The write-ahead log remains, so that the database can still be opened.
      first.kill('SIGKILL');
      await first.ended;
      expect(await run().ended).toEqual({ code: 1, err: expect.stringMatching(/^.*disk.* full.*\n$/) });
      await rm(join(data, 'filler'));
      const last = run();
      await vi.waitFor(isReady, patience);
      last.kill('SIGTERM');
      expect(await last.ended).toEqual({ code: 0, err: '' });
    } finally {
      holder.kill('SIGKILL');
    }
  }, 180_000);
});

test('a data folder that has no space for a file is reported as a full disk at the start', () => {
  const message = 'ENOSPC: no space left on device, write';
  const failure = startFailure(Object.assign(new Error(message), { code: 'ENOSPC' }));
  expect(failure).toBeInstanceOf(StartError);
  expect(failure).toMatchObject({
    message: `The server cannot start. The disk of the data folder is full. ${message}`,
  });
});

describe('PostgreSQL that became read-only', () => {
  let postgres: PostgresCluster;
  beforeAll(async () => {
    postgres = await openPostgres();
  });
  afterAll(() => postgres.stop());

  test('if PostgreSQL becomes read-only, changes get 503 with Retry-After, and readiness reports the cause', async () => {
    const config = readConfig({
      MASTER_KEY,
      DATA_DIR: folder.path,
      DATABASE_URL: await postgres.createDatabase(),
      PORT: '0',
    });
    const server = await startServer({ config, log: createLog('silent'), adapters: builtInAdapters });
    try {
      const { store, url } = server;
      await store.read.all(
        "create function only_reads() returns trigger language plpgsql as $$ begin raise exception using errcode = '25006'; end $$",
      );
      for (const table of ['login_throttle', 'installation']) {
        await store.read.all(
          `create trigger only_reads before insert or update on ${table} for each row execute function only_reads()`,
        );
      }
      const response = await fetch(`${url}/v1/auth/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ username: 'nobody@example.org', password: 'wrong' }),
      });
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await response.json()).toMatchObject({
        detail: 'The database server became read-only. Try again later.',
      });
      expect(await readiness(url)).toEqual({
        status: 503,
        reasons: ['the last change was not stored: The database server became read-only.'],
      });
      for (const table of ['login_throttle', 'installation']) {
        await store.read.all(`drop trigger only_reads on ${table}`);
      }
      await vi.waitFor(async () => expect((await readiness(url)).status).toBe(200), patience);
    } finally {
      await server.close();
    }
  }, 60_000);
});

// A server that starts before its database waits for it.
import { CrashingPostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endAll, freePort, run } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { builtInAdapters } from '../../src/adapters.ts';
import { createLog } from '../../src/logging/logger.ts';
import { startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { StartError } from '../../src/settings/config-error.ts';

let postgres: CrashingPostgres;
let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  postgres = await CrashingPostgres.start();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  await endAll();
  await folder.remove();
});

const main = new URL('../../src/main.ts', import.meta.url);
const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');

/** Starts a server process. */
async function start(DATABASE_URL: string) {
  const port = await freePort();
  const started = run(main, { MASTER_KEY, DATA_DIR: folder.path, DATABASE_URL, PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  const read = async (path: string) => {
    const response = await fetch(`${url}${path}`);
    // The body is a problem or, without `detail`, the readiness document.
    const { detail } = (await response.json()) as { detail?: string };
    return { status: response.status, detail, retryAfter: response.headers.get('retry-after') };
  };
  const waits = () =>
    vi.waitFor(
      async () =>
        expect(await read('/readyz')).toEqual({
          status: 503,
          detail: 'The service waits for its database (ECONNREFUSED).',
          retryAfter: '1',
        }),
      { timeout: 60_000 },
    );
  return { ...started, read, waits };
}

test('a server that starts before PostgreSQL answers 503 with the reason, and becomes ready when PostgreSQL runs', async () => {
  await postgres.crash();
  const { read, waits, out, child, code } = await start(postgres.url);
  await waits();
  await postgres.restart();
  await vi.waitFor(async () => expect((await read('/readyz')).status).toBe(200), { timeout: 60_000 });
  child.kill('SIGTERM');
  expect(await code).toBe(0);
  expect(out()).toContain('waiting for the database');
}, 180_000);

test('a server that waits for PostgreSQL stops on SIGTERM', async () => {
  const { waits, child, code, err } = await start(`postgres://a:b@127.0.0.1:${await freePort()}/c`);
  await waits();
  child.kill('SIGTERM');
  expect([await code, err()]).toEqual([0, '']);
}, 60_000);

test.each([
  ['a wrong password', { password: 'wrong' }, '28P01'],
  ['a database that does not exist', { pathname: '/missing' }, '3D000'],
  [
    'sslmode=require with a PostgreSQL without TLS',
    { search: '?sslmode=require' },
    'offers no TLS, which sslmode or PGSSLMODE requires',
  ],
])(
  'because of %s, the server exits with code 2 and does not wait for its database',
  async (_, change, native) => {
    const url = Object.assign(new URL(postgres.url), change);
    const { code, err } = await start(url.href);
    expect(await code).toBe(2);
    expect(err()).toMatch(new RegExp(`^DATABASE_URL: the database cannot be opened .*${native}.*\n$`));
  },
);

test('the server fails to start if the database stays unavailable, without an error about its settings', async () => {
  const config = readConfig({
    MASTER_KEY,
    DATA_DIR: folder.path,
    DATABASE_URL: `postgres://a:b@127.0.0.1:${await freePort()}/c`,
    PORT: '0',
  });
  const log = createLog('silent');
  const failing = startServer({ config, log, adapters: builtInAdapters, databasePatience: 300 });
  await expect(failing).rejects.toThrow(StartError);
});

// The network of a PostgreSQL is removed: connections stay open, and no more data arrives.
import { type BlackHole, openBlackHole } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endAll, freePort, run } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';

let cluster: PostgresCluster;
let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  cluster = await openPostgres();
});
afterAll(() => cluster?.stop());
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  await endAll();
  await folder.remove();
});

const main = new URL('../../src/main.ts', import.meta.url);

/**
 * Limit in milliseconds: SHUTDOWN_TIMEOUT_MS (here one second) and the five seconds after it, with a margin for a busy
 * machine.
 */
const limit = 15_000;

/** Starts a server whose database is behind a relay. */
async function start(more: Record<string, string>, prepare = (_: BlackHole) => {}) {
  const url = new URL(await cluster.createDatabase());
  const hole = await openBlackHole(`127.0.0.1:${url.port}`);
  prepare(hole);
  const port = await freePort();
  const settings = {
    MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
    DATA_DIR: folder.path,
    DATABASE_URL: Object.assign(url, { host: hole.endpoint }).href,
    PORT: String(port),
    ...more,
  };
  const server = run(main, settings);
  const read = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  return { ...server, hole, read };
}

test('a server whose database no longer answers stops within its shutdown time after SIGTERM, and exits with 0', async () => {
  const { child, code, out, hole, read } = await start({ SHUTDOWN_TIMEOUT_MS: '1000' });
  try {
    await vi.waitFor(async () => expect((await read('/readyz')).status).toBe(200), { timeout: 60_000 });
    hole.swallow();
    // A request that waits for the database.
    const cut = read('/readyz').then(
      () => 'answered',
      () => 'cut',
    );
    const begun = performance.now();
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(limit);
    expect(['answered', 'cut']).toContain(await cut);
    expect(out()).toContain('stopped before everything was closed');
  } finally {
    await hole.close();
  }
}, 120_000);

test('a server that cannot start because its database does not answer stops within its shutdown time after SIGTERM', async () => {
  const { child, code, out, hole } = await start({ SHUTDOWN_TIMEOUT_MS: '1000' }, (one) => one.swallow());
  try {
    await vi.waitFor(() => expect(out()).toContain('waiting for the database'), { timeout: 60_000 });
    const begun = performance.now();
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(limit);
  } finally {
    await hole.close();
  }
}, 120_000);

// Tests for commands that must not run at the same time as a server. Commands recognize servers by the advisory lock
// that each connection holds, whatever its URL is.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../logger.ts';
import { openAlone } from '../open-alone.ts';
import { openSnapshot } from '../open-snapshot.ts';
import { migrate } from '../schema-of.ts';
import { openPostgres, type PostgresCluster } from '../testing/index.ts';
import { defaultTiming } from '../timing.ts';
import { parseTarget } from './connection.ts';
import { connected } from './connections.ts';
import { openPostgresStore } from './store.ts';

let cluster: PostgresCluster;
let url: string;

beforeAll(async () => {
  cluster = await openPostgres();
});
afterAll(() => cluster.stop());
beforeEach(async () => {
  url = await cluster.createDatabase();
});

const serve = (more = '') =>
  openPostgresStore({ url: `${url}${more}`, logger: silentLogger, maxConnections: 2 });
const alone = (patience = 0) =>
  connected(parseTarget({ url }, defaultTiming), { admission: 'alone', patience }, async () => 'alone');

it("a command refuses to run next to a server, even if the server's URL has another application name", async () => {
  const server = await serve('?application_name=x');
  try {
    await expect(alone()).rejects.toMatchObject({
      code: 'misuse',
      message: expect.stringMatching(
        /are connected to .* \(from 127\.0\.0\.1, since \d{4}-.*Z, PostgreSQL process \d+.*\)\. Stop them first/,
      ),
    });
  } finally {
    await server.close();
  }
  expect(await alone(60_000)).toBe('alone');
});

it('a running command keeps servers from starting until it has completed', async () => {
  const command = await openAlone({ url });
  await command.transaction((tx) => tx.run('insert into counter (name, value) values ($1, 1)', ['x']));
  const target = parseTarget({ url }, defaultTiming);
  await expect(
    connected(target, { admission: 'server', patience: 0 }, async () => 'served'),
  ).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('Start the server when') });
  await expect(alone()).rejects.toMatchObject({ code: 'misuse' });
  await expect(migrate({ url })).rejects.toMatchObject({ code: 'unavailable' });
  // A server that is started during a short command waits for it.
  const server = serve();
  await command.close();
  await (await server).close();
});

it('commands that only read, and migrations, may run while servers are connected', async () => {
  const server = await serve();
  const snapshot = await openSnapshot({ url });
  expect(await migrate({ url })).toMatchObject({ pending: [] });
  await snapshot.close();
  await server.close();
});

it('a command refuses a database without an installation', async () => {
  const bare = await cluster.createDatabase({ bare: true });
  await expect(openAlone({ url: bare })).rejects.toMatchObject({ code: 'no-installation' });
  await expect(openSnapshot({ url: bare })).rejects.toMatchObject({ code: 'no-installation' });
});

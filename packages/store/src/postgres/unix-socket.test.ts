// Tests for connections over a Unix socket, with the password in the file that PGPASSFILE names.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { silentLogger } from '../logger.ts';
import { freePort } from '../testing/postgres-cluster.ts';
import { endServer, initialise, password, runServer, type Server } from '../testing/postgres-server.ts';
import { openPostgresStore } from './store.ts';

let root: string;
let sockets: string;
let server: Server;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ledger-ops-socket-'));
  // The account that PostgreSQL runs as must be able to enter the folder.
  await chmod(root, 0o755);
  sockets = await mkdtemp(join(tmpdir(), 'ledger-ops-s-'));
  await chmod(sockets, 0o777);
  const port = await freePort();
  const folder = join(root, 'data');
  const bin = await initialise(folder, port);
  server = await runServer(bin, folder, port, [`unix_socket_directories=${sockets}`]);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  if (server !== undefined) await endServer(server, 'SIGINT');
  for (const folder of [root, sockets]) await rm(folder, { recursive: true, force: true });
});

const forms = [
  ['a parameter', () => `postgresql:///ledger_ops?host=${sockets}&port=${server.port}&user=postgres`],
  ['an encoded host', () => `postgres://postgres@${encodeURIComponent(sockets)}:${server.port}/ledger_ops`],
] as const;

it.each(forms)('connects over a Unix socket whose folder is %s', async (_, url) => {
  const file = join(root, 'passwords');
  // In this file, libpq names the default folder of sockets `localhost`, and other folders by their path.
  await writeFile(file, `*:${server.port}:ledger_ops:postgres:${password}\n`, { mode: 0o600 });
  vi.stubEnv('PGPASSFILE', file);
  const store = await openPostgresStore({ url: url(), logger: silentLogger, maxConnections: 2 });
  try {
    expect(store.where).toBe(`${sockets}:${server.port}/ledger_ops, schema public`);
    const rows = await store.read.all('select inet_server_addr() is null as is_local');
    expect(rows).toEqual([{ is_local: true }]);
  } finally {
    await store.close();
  }
});

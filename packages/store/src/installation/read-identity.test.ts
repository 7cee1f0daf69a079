import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openStore } from '../open-store.ts';
import { parseTarget } from '../postgres/connection.ts';
import { connected } from '../postgres/connections.ts';
import { createSqlite, openPostgres, openSqlite, type PostgresCluster } from '../testing/index.ts';
import { defaultTiming } from '../timing.ts';
import type { Store } from '../types.ts';
import { type DatabaseIdentity, differenceOf } from './identity.ts';
import { readMachineId } from './machine-id.ts';
import { readIdentity } from './read-identity.ts';

let cluster: PostgresCluster;
let folder: string;
const stores: Store[] = [];

beforeAll(async () => {
  cluster = await openPostgres();
  folder = await mkdtemp(join(tmpdir(), 'ledger-ops-identity-'));
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});
afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true });
});

async function open(url: string): Promise<Store> {
  const store = await openStore({ url });
  stores.push(store);
  return store;
}

const postgres = { file: undefined, address: undefined };

it('identifies a PostgreSQL database by its cluster, its own id and its tables', async () => {
  const url = await cluster.createDatabase();
  const store = await open(url);
  const identity = await readIdentity(store.read, postgres);
  expect(identity).toEqual({
    kind: 'postgres',
    system: expect.stringMatching(/^\d{19}$/),
    database: expect.any(Number),
    table: expect.any(Number),
    name: new URL(url).pathname.slice(1),
  });
  expect(differenceOf(identity, await readIdentity((await open(url)).read, postgres))).toBeUndefined();
});

it('distinguishes databases of the same cluster, and detects tables that were created again', async () => {
  const url = await cluster.createDatabase();
  const store = await open(url);
  const identity = await readIdentity(store.read, postgres);
  await store.close();
  stores.pop();
  const copy = await open(await cluster.copyDatabase(url));
  expect(differenceOf(identity, await readIdentity(copy.read, postgres))).toContain(
    'it is the database test_',
  );
  const again = await open(url);
  await again.transaction(async (tx) => {
    await tx.run('ALTER TABLE installation RENAME TO before', []);
    await tx.run('CREATE TABLE installation (LIKE before INCLUDING ALL)', []);
  });
  expect(differenceOf(identity, await readIdentity(again.read, postgres))).toContain('created again');
});

it('identifies an installation without the system identifier, which some PostgreSQL services withhold', async () => {
  const store = await open(await cluster.createDatabase());
  let identity: DatabaseIdentity | undefined;
  const work = store.transaction(async (tx) => {
    await tx.run('CREATE ROLE reader', []);
    await tx.run('GRANT SELECT ON installation TO reader', []);
    await tx.run('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public', []);
    await tx.run('SET LOCAL ROLE reader', []);
    identity = await readIdentity(tx, postgres);
    // The transaction is rolled back, because its roles belong to the cluster, which other tests also use.
    throw new RangeError('undo');
  });
  await expect(work).rejects.toThrow('undo');
  expect(identity).toMatchObject({ system: null, database: expect.any(Number), table: expect.any(Number) });
});

it('a reader that knows its PostgreSQL cluster refuses to connect to another cluster', async () => {
  const target = parseTarget({ url: await cluster.createDatabase() }, defaultTiming);
  await connected(target, { admission: 'reader' }, async () => undefined);
  expect(() => target.hosts.demandPrimary('other', false, null, '1')).toThrow(
    'other belongs to the PostgreSQL cluster 1',
  );
});

it('identifies a SQLite file behind symbolic links', async () => {
  const data = join(folder, 'data');
  await mkdir(data);
  const file = join(data, 'one.sqlite');
  await createSqlite(file);
  const link = join(folder, 'current');
  await symlink(data, link);
  const store = await openSqlite(file);
  stores.push(store);
  const source = { file, address: 'https://ops.example.com' };
  const identity = await readIdentity(store.read, source);
  expect(identity).toMatchObject({ kind: 'sqlite', path: file, address: 'https://ops.example.com' });
  const linked: DatabaseIdentity = await readIdentity(store.read, {
    ...source,
    file: join(link, 'one.sqlite'),
  });
  expect(linked).toEqual(identity);
});

it('ignores the machine id inside a container', async () => {
  expect(await readMachineId({ KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toBeNull();
  expect(await readMachineId({ container: 'podman' })).toBeNull();
});

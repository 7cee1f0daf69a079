import { expect, it } from 'vitest';
import { differenceOf, type PostgresIdentity, renewedIdentity, type SqliteIdentity } from './identity.ts';

const file: SqliteIdentity = {
  kind: 'sqlite',
  path: '/data/ledger-ops.sqlite',
  device: '64768',
  inode: '12',
  createdAt: 1_000,
  machine: 'a1',
  address: 'https://ops.example.com',
};
const database: PostgresIdentity = {
  kind: 'postgres',
  system: '7301',
  database: 16_384,
  table: 16_900,
  name: 'ledger_ops',
};

it.each<[string, Partial<SqliteIdentity>]>([
  ['a restart', {}],
  ['a restart in a container with another machine id', { machine: 'b2' }],
  ['a restart in a container without a machine id', { machine: null }],
  ['mounting a volume that assigns another inode and device', { inode: '90', device: '7' }],
  ['mounting a file system that does not report creation times', { createdAt: null }],
  ['a change of the inode in a container', { inode: '90', machine: null }],
  ['a change of the public address', { address: 'https://other.example.com' }],
  ['attaching its volume to another machine', { machine: 'b2', device: '7' }],
  ['renaming the data folder', { path: '/srv/ledger-ops.sqlite' }],
])('recognizes the same SQLite file after %s', (_, change) => {
  expect(differenceOf(file, { ...file, ...change })).toBeUndefined();
});

it.each<[string, Partial<SqliteIdentity>, string]>([
  ['was copied to another folder', { path: '/copy/ledger-ops.sqlite', inode: '13' }, 'it is /copy/'],
  [
    'was copied to another folder of a new volume with the same inode',
    { path: '/copy/ledger-ops.sqlite', createdAt: 2_000 },
    'it is /copy/',
  ],
  [
    'was copied as a volume and mounted elsewhere',
    { path: '/copy/ledger-ops.sqlite', device: '7' },
    'it is /copy/',
  ],
  ['was copied to the same path of another machine', { inode: '90', machine: 'b2' }, 'on another machine'],
  [
    'was copied to a container with another address',
    { inode: '90', machine: null, address: 'https://staging.example.com' },
    'with the address https://staging.example.com',
  ],
])('detects that the SQLite file %s', (_, change, difference) => {
  expect(differenceOf(file, { ...file, ...change })).toContain(difference);
});

it.each<[string, Partial<PostgresIdentity>]>([
  ['a failover', {}],
  ['it was renamed', { name: 'ledger' }],
  ['the service stopped allowing access to its system identifier', { system: null }],
])('recognizes the same PostgreSQL database after %s', (_, change) => {
  expect(differenceOf(database, { ...database, ...change })).toBeUndefined();
});

it.each<[string, Partial<PostgresIdentity>, string]>([
  ['of another cluster', { system: '7302' }, 'the PostgreSQL cluster 7302'],
  ['with another name in the same cluster', { database: 16_999, name: 'copy' }, 'database copy'],
  ['into which a dump was restored', { table: 17_000 }, 'created again'],
  [
    'into which a dump was restored, if the service withholds its system identifier',
    { system: null, table: 17_000 },
    'created again',
  ],
])('treats as different a PostgreSQL database %s', (_, change, difference) => {
  expect(differenceOf(database, { ...database, ...change })).toContain(difference);
});

it('detects that the database was replaced by a database of another kind', () => {
  expect(differenceOf(file, database)).toContain('this is a PostgreSQL database');
});

it('a stored identity is updated with changed parts, and keeps parts that are currently unknown', () => {
  const now = { ...file, inode: '90', machine: null };
  expect(renewedIdentity(file, now)).toEqual({ ...file, inode: '90' });
  expect(renewedIdentity(null, now)).toEqual(now);
});

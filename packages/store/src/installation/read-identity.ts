import { realpath, stat } from 'node:fs/promises';
import { StoreError } from '../errors.ts';
import type { Queries, SqlValue } from '../types.ts';
import type { DatabaseIdentity, PostgresIdentity, SqliteIdentity } from './identity.ts';
import { readMachineId } from './machine-id.ts';

/** Parts of a database's identity that are not stored in the database. */
export interface IdentitySource {
  /** Path of the SQLite file; undefined for PostgreSQL. */
  readonly file: string | undefined;
  /** Public address of the service, if one is configured. */
  readonly address: string | undefined;
}

type Read = Pick<Queries, 'all'>;

/** Reads the identity of an open database. @throws StoreError */
export async function readIdentity(read: Read, { file, address }: IdentitySource): Promise<DatabaseIdentity> {
  return file === undefined ? await readPostgres(read) : await readSqlite(file, address);
}

interface PostgresRow extends Record<string, SqlValue> {
  database: number;
  name: string;
  table: number;
  may: boolean;
}

async function readPostgres(read: Read): Promise<PostgresIdentity> {
  // The permission is checked first, because a failed statement would end the transaction of a snapshot.
  const [row] = await read.all<PostgresRow>(
    `SELECT pg_database.oid::bigint AS database, datname::text AS name, to_regclass('installation')::oid::bigint AS table,
      coalesce(has_function_privilege(to_regprocedure('pg_control_system()'), 'execute'), false) AS may
      FROM pg_database WHERE datname = current_database()`,
  );
  if (row === undefined) throw new StoreError('statement', 'The database is not listed in pg_database.');
  const { database, name, table, may } = row;
  const [control] = may
    ? await read.all<{ system: string }>('SELECT system_identifier::text AS system FROM pg_control_system()')
    : [];
  return { kind: 'postgres', system: control?.system ?? null, database, table, name };
}

async function readSqlite(file: string, address: string | undefined): Promise<SqliteIdentity> {
  const path = await realpath(file);
  const { dev, ino, birthtimeMs, ctimeMs } = await stat(path, { bigint: true });
  // File systems that do not store the time of creation report 0 or the time of the last change instead.
  const isKnown = birthtimeMs > 0n && birthtimeMs !== ctimeMs;
  return {
    kind: 'sqlite',
    path,
    device: String(dev),
    inode: String(ino),
    createdAt: isKnown ? Number(birthtimeMs) : null,
    machine: await readMachineId(),
    address: address ?? null,
  };
}

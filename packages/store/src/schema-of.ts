import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readMigrations, type SchemaState, schemaState } from './migrations.ts';
import type { OpenStoreOptions } from './open-store.ts';
import { openStore } from './open-store.ts';
import { parseTarget } from './postgres/connection.ts';
import { demandPostgresRights, migratePostgres, readPostgresSchema } from './postgres/migrate.ts';
import { openReader } from './sqlite/connections.ts';
import { readSqliteSchema } from './sqlite/migrate.ts';
import { defaultTiming } from './timing.ts';

/** The location of a database, and the version of Ledger Operations that uses it. */
export type Place = Pick<OpenStoreOptions, 'url' | 'schema' | 'file' | 'version'>;

/**
 * Reads the state of a database's schema without changing it. Servers may use the database at the same time.
 *
 * @throws StoreError `newer-schema`, `foreign-schema`, `other-schema`, `unavailable`
 */
export async function readSchema({ url, schema, file = '', version }: Place): Promise<SchemaState> {
  if (url !== undefined)
    return await readPostgresSchema(parseTarget({ url, schema }, defaultTiming), version);
  const path = resolve(file);
  if (!existsSync(path)) return schemaState(await readMigrations('sqlite'), [], { where: path, version });
  const reader = openReader(path, defaultTiming);
  try {
    return await readSqliteSchema(reader, path, version);
  } finally {
    reader.close();
  }
}

/**
 * Migrates a database to this version, as a server does when it starts. Returns the state before the migration.
 *
 * @throws the StoreErrors of `openStore`
 */
export async function migrate(place: Place): Promise<SchemaState> {
  if (place.url !== undefined) {
    const { version, url, schema } = place;
    return await migratePostgres(parseTarget({ url, schema }, defaultTiming), {
      version,
      admission: 'server',
    });
  }
  const before = await readSchema(place);
  await (await openStore(place)).close();
  return before;
}

/**
 * Checks that servers may read and write all tables. SQLite has no such rights.
 *
 * @throws StoreError `misuse` that names the tables
 */
export async function demandServerRights({ url, schema }: Place): Promise<void> {
  if (url !== undefined) await demandPostgresRights(parseTarget({ url, schema }, defaultTiming));
}

/** Returns the error message about a database without an installation. */
export function noInstallation(where: string): string {
  return `There is no installation in ${where}. Check that DATABASE_URL, DATABASE_SCHEMA and DATA_DIR match the server's.`;
}

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readMigrations, type SchemaState, schemaState } from './migrations.ts';
import type { OpenStoreOptions } from './open-store.ts';
import { openStore } from './open-store.ts';
import { parseTarget } from './postgres/connection.ts';
import { migratePostgres, readPostgresSchema } from './postgres/migrate.ts';
import { openReader } from './sqlite/connections.ts';
import { readSqliteSchema } from './sqlite/migrate.ts';
import { defaultTiming } from './timing.ts';

/** A database, and the version of the software. */
export type Place = Pick<OpenStoreOptions, 'url' | 'file' | 'version'>;

/**
 * Reads the state of a database's schema without changing it, while servers may use it.
 *
 * @throws StoreError `newer-schema`, `foreign-schema`, `unavailable`
 */
export async function readSchema({ url, file = '', version }: Place): Promise<SchemaState> {
  if (url !== undefined) return await readPostgresSchema(parseTarget(url, defaultTiming), version);
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
 * Migrates a database to this version, as a server does when it starts. Returns the state before.
 *
 * @throws StoreError as `openStore`
 */
export async function migrate(place: Place): Promise<SchemaState> {
  if (place.url !== undefined) {
    return await migratePostgres(parseTarget(place.url, defaultTiming), { version: place.version });
  }
  const before = await readSchema(place);
  await (await openStore(place)).close();
  return before;
}

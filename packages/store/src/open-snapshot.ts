import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PgDialect } from 'drizzle-orm/pg-core';
import { Counters } from './counters.ts';
import { StoreError } from './errors.ts';
import { createStatementNames, parseTarget, type Statement } from './postgres/connection.ts';
import { connectToPrimary, unlimited } from './postgres/connections.ts';
import { fromPostgresError } from './postgres/errors.ts';
import { createQueries as createPostgresQueries } from './postgres/queries.ts';
import { buildCatalogue } from './schema/catalogue.ts';
import { postgresDialect, sqliteDialect } from './schema/dialect.ts';
import { buildTables } from './schema/index.ts';
import { noInstallation, type Place, readSchema } from './schema-of.ts';
import { openReader } from './sqlite/connections.ts';
import { createQueries as createSqliteQueries } from './sqlite/queries.ts';
import { createStatements } from './sqlite/statements.ts';
import { defaultTiming } from './timing.ts';
import type { Queries, Store } from './types.ts';

/**
 * Opens a read-only snapshot of a database, which servers may keep using. The snapshot does not change until it is
 * closed. Its method `transaction` always fails (`misuse`).
 *
 * @param options with `older`, a database with an older schema is opened, too; do not query what that schema lacks
 * @throws StoreError `no-installation`, `older-schema`, `newer-schema`, `foreign-schema`, `unavailable`
 */
export async function openSnapshot(
  place: Place,
  { older = false }: { readonly older?: boolean } = {},
): Promise<Store> {
  const { applied, pending, where } = await readSchema(place);
  const { url, file = '' } = place;
  if (url === undefined && !existsSync(file)) {
    throw new StoreError('unavailable', `The database ${resolve(file)} does not exist.`);
  }
  if (applied.length === 0) throw new StoreError('no-installation', noInstallation(where));
  if (pending.length > 0 && !older) {
    throw new StoreError(
      'older-schema',
      `The database has an older schema (${applied.at(-1)}); missing: ${pending.join(', ')}. Update it first: start a server on it, or run \`migrate\`.`,
    );
  }
  const { read, close } =
    url === undefined ? sqliteSnapshot(resolve(file)) : await postgresSnapshot(place, url);
  const counters = new Counters(read, () => 0);
  return {
    dialect: read.dialect,
    where,
    read,
    async transaction() {
      throw new StoreError('misuse', 'The database was opened read-only.');
    },
    ended: () => 0,
    counter: (name) => counters.value(name),
    now: async () => Date.now(),
    notify: () => undefined,
    listen: () => () => undefined,
    close,
  };
}

interface Snapshot {
  readonly read: Queries;
  close(): Promise<void>;
}

function sqliteSnapshot(file: string): Snapshot {
  const reader = openReader(file, defaultTiming);
  reader.exec('begin');
  // The snapshot starts with the first statement.
  reader.prepare('select count(*) from schema_migration').get();
  const scope = {
    lastStatement: 'none',
    check() {
      if (!reader.open) throw new StoreError('misuse', 'The store is closed.');
    },
    fail: (error: StoreError) => error,
  };
  return {
    read: createSqliteQueries(createStatements(reader), buildTables(sqliteDialect), buildCatalogue(), scope),
    close: async () => void reader.close(),
  };
}

async function postgresSnapshot({ schema }: Place, url: string): Promise<Snapshot> {
  const target = parseTarget({ url, schema }, defaultTiming);
  const client = await connectToPrimary(target, { ...unlimited, admission: 'reader' }).catch(
    (error: unknown) => {
      throw fromPostgresError(error, `connect to ${target.where}`);
    },
  );
  const run = async (statement: Statement) => {
    try {
      return await client.query(statement);
    } catch (error) {
      throw fromPostgresError(error, statement.text);
    }
  };
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query('select count(*) from schema_migration');
  } catch (error) {
    await client.end().catch(() => undefined);
    throw fromPostgresError(error, `connect to ${target.where}`);
  }
  return {
    read: createPostgresQueries(run, {
      tables: buildTables(postgresDialect),
      catalogue: buildCatalogue(),
      nameOf: createStatementNames(),
      dialect: new PgDialect(),
    }),
    close: () => client.end(),
  };
}

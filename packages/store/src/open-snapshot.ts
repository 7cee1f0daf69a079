import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PgDialect } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { StoreError } from './errors.ts';
import { createStatementNames, parseTarget, type Statement } from './postgres/connection.ts';
import { fromPostgresError } from './postgres/errors.ts';
import { createQueries as createPostgresQueries } from './postgres/queries.ts';
import { buildCatalogue } from './schema/catalogue.ts';
import { postgresDialect, sqliteDialect } from './schema/dialect.ts';
import { buildTables } from './schema/index.ts';
import { type Place, readSchema } from './schema-of.ts';
import { openReader } from './sqlite/connections.ts';
import { createQueries as createSqliteQueries } from './sqlite/queries.ts';
import { createStatements } from './sqlite/statements.ts';
import { defaultTiming } from './timing.ts';
import type { Queries, Store } from './types.ts';

/**
 * Opens a database as it is at this instant, to look at it for as long as that takes, beside servers that use it. Nothing
 * can be changed: `transaction` is refused (`misuse`).
 *
 * @param options `older`: one with the schema of an older version is opened, too; what it lacks is not to be asked for
 * @throws StoreError `older-schema`, `newer-schema`, `foreign-schema`, `unavailable`
 */
export async function openSnapshot(
  place: Place,
  { older = false }: { readonly older?: boolean } = {},
): Promise<Store> {
  const { applied, pending } = await readSchema(place);
  const { url, file = '' } = place;
  if (url === undefined && !existsSync(file)) {
    throw new StoreError('unavailable', `There is no database ${resolve(file)}.`);
  }
  if (pending.length > 0 && !(older && applied.length > 0)) {
    throw new StoreError(
      'older-schema',
      `The database has the schema of an older version (${applied.at(-1) ?? 'none'}); ${pending.join(', ')} would bring it up to this one (migrate, or a start of a server).`,
    );
  }
  const { read, close } = url === undefined ? sqliteSnapshot(resolve(file)) : await postgresSnapshot(url);
  return {
    dialect: read.dialect,
    read,
    async transaction() {
      throw new StoreError('misuse', 'The database is open to be read only.');
    },
    ended: () => 0,
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
  // The first statement decides which instant it is.
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

async function postgresSnapshot(url: string): Promise<Snapshot> {
  const target = parseTarget(url, defaultTiming);
  const client = new pg.Client({
    ...target.config,
    statement_timeout: 0,
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  // A connection that breaks fails the next statement.
  client.on('error', () => undefined);
  const run = async (statement: Statement) => {
    try {
      return await client.query(statement);
    } catch (error) {
      throw fromPostgresError(error, statement.text);
    }
  };
  try {
    await client.connect();
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

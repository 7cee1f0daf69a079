import { NoopCache } from 'drizzle-orm/cache/core';
import type { PgDialect, PreparedQueryConfig } from 'drizzle-orm/pg-core';
import { PgRemoteDatabase, PgRemoteSession, type PreparedQuery } from 'drizzle-orm/pg-proxy';
import type pg from 'pg';
import { StoreError } from '../errors.ts';
import type { StoreMeter } from '../meter.ts';
import type { Catalogue } from '../schema/catalogue.ts';
import type { Tables } from '../schema/index.ts';
import type { Queries, SqlValue } from '../types.ts';
import type { Statement } from './connection.ts';

type Prepare = PgRemoteSession<Record<string, never>, Record<string, never>>['prepareQuery'];

/** Throws a StoreError unchanged. drizzle would wrap it in an error that prints every parameter. */
class PlainErrorSession extends PgRemoteSession<Record<string, never>, Record<string, never>> {
  override prepareQuery<T extends PreparedQueryConfig>(...args: Parameters<Prepare>): PreparedQuery<T> {
    return Object.assign(super.prepareQuery<T>(...args), {
      queryWithCache: (_sql: string, _params: unknown[], query: () => Promise<unknown>) => query(),
    });
  }
}

/** Runs a statement, and rejects with a StoreError if it fails. */
export type RunStatement = (statement: Statement) => Promise<pg.QueryResult | pg.QueryArrayResult>;

/** State that all queries of a store share. */
export interface QueryContext {
  readonly tables: Tables;
  readonly catalogue: Catalogue;
  readonly nameOf: (text: string) => string | undefined;
  readonly dialect: PgDialect;
  readonly meter?: StoreMeter | undefined;
}

/** Maximum number of rows per statement of a bulk insert. */
const rowsPerInsert = 2_000;

/** Creates queries that run on the pool or on a transaction's connection. */
export function createQueries(run: RunStatement, context: QueryContext): Queries {
  const { tables, catalogue, nameOf, dialect } = context;
  let db: Queries['db'] | undefined;
  const hot = (text: string, values: readonly unknown[]) => {
    const name = nameOf(text);
    return run({ text, values: [...values], ...(name !== undefined && { name }) });
  };
  return {
    dialect: 'postgres',
    t: tables,
    get db() {
      db ??= openDrizzle(run, dialect);
      return db;
    },
    // The type of the rows is the one that the caller declares for its SQL.
    all: async <Row>(sql: string, params: readonly SqlValue[] = []) => (await hot(sql, params)).rows as Row[],
    run: async (sql, params = []) => (await hot(sql, params)).rowCount ?? 0,
    insertMany: async (table, columns, rows) => {
      if (rows.length === 0) return;
      const text = bulkInsert(catalogue, table, columns);
      for (let from = 0; from < rows.length; from += rowsPerInsert) {
        const chunk = rows.slice(from, from + rowsPerInsert);
        const odd = chunk.find((row) => row.length !== columns.length);
        if (odd !== undefined) {
          throw new StoreError(
            'statement',
            `insertMany into ${table}: a row has ${odd.length} values for ${columns.length} columns.`,
          );
        }
        await hot(
          text,
          columns.map((_, i) => arrayLiteral(chunk.map((row) => row[i] ?? null))),
        );
      }
    },
  };
}

/** Statements of bulk inserts, for each catalogue, by table and columns. */
const bulkInserts = new WeakMap<Catalogue, Map<string, string>>();

/**
 * Returns the statement of a bulk insert. It has one array parameter per column, so it is the same for any number of
 * rows and is prepared only once.
 */
function bulkInsert(catalogue: Catalogue, table: string, columns: readonly string[]): string {
  const texts = bulkInserts.get(catalogue) ?? new Map<string, string>();
  bulkInserts.set(catalogue, texts);
  const key = `${table} ${columns.join()}`;
  const text = texts.get(key) ?? bulkInsertText(catalogue, table, columns);
  texts.set(key, text);
  return text;
}

function bulkInsertText(catalogue: Catalogue, table: string, columns: readonly string[]): string {
  const entry = catalogue.get(table);
  const types = columns.map((column) => entry?.columns.get(column));
  const unknown = columns.find((_, i) => types[i] === undefined);
  if (entry === undefined || unknown !== undefined) {
    throw new StoreError('statement', `insertMany: the table ${table} has no column ${unknown ?? ''}.`);
  }
  const names = columns.map((column) => `"${column}"`).join(', ');
  const arrays = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  return `insert into "${table}" (${names}) select * from unnest(${arrays})`;
}

/**
 * Returns an array literal of PostgreSQL. `pg` produces the same string, but allocates several times as much memory.
 */
function arrayLiteral(values: readonly SqlValue[]): string {
  return `{${values.map(arrayItem).join()}}`;
}

function arrayItem(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (value instanceof Uint8Array) return `"\\\\x${hexOf(value)}"`;
  if (typeof value !== 'string') return String(value);
  // JSON and PostgreSQL's arrays escape quotes and backslashes in the same way, but control characters differently.
  return /[\p{Cc}\p{Cs}]/u.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : JSON.stringify(value);
}

function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
}

function openDrizzle(run: RunStatement, dialect: PgDialect): Queries['db'] {
  const session = new PlainErrorSession(
    async (text, values, method) => {
      const { rows } = await run({ text, values, ...(method === 'all' && { rowMode: 'array' as const }) });
      return { rows };
    },
    dialect,
    undefined,
    { cache: new NoopCache() },
  );
  return new PgRemoteDatabase(dialect, session, undefined);
}

import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core';
import {
  type PreparedQueryConfig,
  type RemotePreparedQuery,
  SQLiteRemoteSession,
  SqliteRemoteDatabase,
} from 'drizzle-orm/sqlite-proxy';
import type { Catalogue } from '../schema/catalogue.ts';
import type { Tables } from '../schema/index.ts';
import type { Scope } from '../scope.ts';
import type { Queries } from '../types.ts';
import { fromSqliteError } from './errors.ts';
import type { Statements } from './statements.ts';

type Prepare = SQLiteRemoteSession<Record<string, never>, Record<string, never>>['prepareQuery'];

/** Throws a StoreError unchanged. drizzle would wrap it in an error that prints every parameter. */
class PlainErrorSession extends SQLiteRemoteSession<Record<string, never>, Record<string, never>> {
  override prepareQuery<T extends Omit<PreparedQueryConfig, 'run'>>(
    ...args: Parameters<Prepare>
  ): RemotePreparedQuery<T> {
    return Object.assign(super.prepareQuery<T>(...args), {
      queryWithCache: (_sql: string, _params: unknown[], query: () => Promise<unknown>) => query(),
    });
  }
}

const dialect = new SQLiteAsyncDialect();

/** Decides whether a statement may run, and records its failure. */
export type StatementScope = Pick<Scope, 'check' | 'fail' | 'lastStatement'>;

/** Creates queries on one connection. Queries of a transaction work only as long as the transaction is open. */
export function createQueries(
  statements: Statements,
  tables: Tables,
  catalogue: Catalogue,
  scope: StatementScope,
  took?: (milliseconds: number, isDone: boolean) => void,
): Queries {
  let db: Queries['db'] | undefined;
  const guarded = <T>(sql: string, statement: () => T): T => {
    scope.check();
    scope.lastStatement = sql;
    const started = took === undefined ? 0 : performance.now();
    let isDone = false;
    try {
      const answer = statement();
      isDone = true;
      return answer;
    } catch (error) {
      throw scope.fail(fromSqliteError(error, sql, catalogue));
    } finally {
      took?.(performance.now() - started, isDone);
    }
  };
  return {
    dialect: 'sqlite',
    t: tables,
    get db() {
      db ??= openDrizzle((sql, params) => guarded(sql, () => statements.raw(sql, params)));
      return db;
    },
    all: async <Row>(sql: string, params = noParams) => guarded(sql, () => statements.all<Row>(sql, params)),
    run: async (sql, params = noParams) => guarded(sql, () => statements.run(sql, params)),
    insertMany: async (table, columns, rows) =>
      guarded(`insert into ${table}`, () => statements.insertMany(table, columns, rows)),
  };
}

const noParams: readonly never[] = [];

function openDrizzle(raw: (sql: string, params: unknown[]) => unknown[][]): Queries['db'] {
  const session = new PlainErrorSession(
    async (sql, params, method) => {
      const rows = raw(sql, params);
      // For `get`, drizzle expects the row itself, or undefined.
      return { rows: method === 'get' ? (rows[0] as unknown[]) : rows };
    },
    dialect,
    undefined,
  );
  const db = new SqliteRemoteDatabase('async', dialect, session, undefined);
  // This is the same cast as in schema/dialect.ts: the builders of both dialects have the same methods.
  return db as unknown as PgDatabase<PgQueryResultHKT, Record<string, never>>;
}

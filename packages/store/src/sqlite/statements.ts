import type Database from 'better-sqlite3';
import type { SqlValue } from '../types.ts';

type Bound = string | bigint | number | null | Uint8Array;

interface Prepared {
  readonly statement: Database.Statement<unknown[]>;
  /**
   * The index of the parameter for each placeholder. Undefined if the parameters are in the order of the placeholders.
   */
  readonly order: readonly number[] | undefined;
}

/**
 * Runs statements on one connection. The methods are synchronous like those of better-sqlite3: a statement takes
 * microseconds.
 */
export interface Statements {
  /** Returns rows as objects by column name. Parameters are `$1`, `$2` and so on. */
  all<Row>(sql: string, params: readonly unknown[]): Row[];
  /** Returns the number of rows that were changed. */
  run(sql: string, params: readonly unknown[]): number;
  /** Returns rows as arrays, for drizzle. */
  raw(sql: string, params: readonly unknown[]): unknown[][];
  insertMany(table: string, columns: readonly string[], rows: readonly (readonly SqlValue[])[]): void;
}

/**
 * Maximum number of cached statements. It must be limited, because lists of varying length result in any number of
 * different statements.
 */
const maxCached = 1_000;

/** Creates an object that runs statements on a connection. It caches prepared statements by their text. */
export function createStatements(connection: Database.Database): Statements {
  const hot = new Map<string, Prepared>();
  const rawByText = new Map<string, Database.Statement<unknown[]>>();

  const prepare = (sql: string): Prepared => {
    const known = hot.get(sql);
    if (known !== undefined) return known;
    const { text, order } = rewriteParameters(sql);
    const prepared = { statement: connection.prepare<unknown[]>(text), order };
    remember(hot, sql, prepared);
    return prepared;
  };

  return {
    all<Row>(sql: string, params: readonly unknown[]) {
      const { statement, order } = prepare(sql);
      const bound = bind(params, order);
      if (!statement.reader) {
        statement.run(...bound);
        return [];
      }
      // By default, better-sqlite3 returns rows as objects.
      const rows = statement.all(...bound) as Record<string, unknown>[];
      for (const row of rows) {
        for (const key in row) {
          if (Buffer.isBuffer(row[key])) row[key] = plainBytes(row[key]);
        }
      }
      // The type of the rows is the one that the caller declares for its SQL.
      return rows as Row[];
    },
    run(sql, params) {
      const { statement, order } = prepare(sql);
      const bound = bind(params, order);
      if (!statement.reader) return statement.run(...bound).changes;
      return statement.all(...bound).length;
    },
    raw(sql, params) {
      let statement = rawByText.get(sql);
      if (statement === undefined) {
        statement = connection.prepare<unknown[]>(sql);
        if (statement.reader) statement.raw();
        remember(rawByText, sql, statement);
      }
      const bound = bind(params, undefined);
      if (!statement.reader) {
        statement.run(...bound);
        return [];
      }
      // In raw mode, rows are arrays.
      const rows = statement.all(...bound) as unknown[][];
      for (const row of rows) {
        for (let i = 0; i < row.length; i += 1) {
          const value = row[i];
          if (Buffer.isBuffer(value)) row[i] = plainBytes(value);
        }
      }
      return rows;
    },
    insertMany(table, columns, rows) {
      const names = columns.map(quote).join(', ');
      const places = columns.map((_, i) => `$${i + 1}`).join(', ');
      const { statement } = prepare(`insert into ${quote(table)} (${names}) values (${places})`);
      for (const row of rows) statement.run(...bind(row, undefined));
    },
  };
}

/** Adds a statement to a cache. A full cache is cleared; frequently used statements are soon prepared again. */
function remember<T>(cache: Map<string, T>, sql: string, statement: T): void {
  if (cache.size >= maxCached) cache.clear();
  cache.set(sql, statement);
}

/** Quotes a name for SQL. */
function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Replaces `$n` with `?` outside of quoted strings, and records which parameter belongs to which placeholder. */
export function rewriteParameters(sql: string): { text: string; order: readonly number[] | undefined } {
  const order: number[] = [];
  const text = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g, (match: string, number?: string) => {
    if (number === undefined) return match;
    order.push(Number(number) - 1);
    return '?';
  });
  return { text, order: order.every((parameter, place) => parameter === place) ? undefined : order };
}

function bind(params: readonly unknown[], order: readonly number[] | undefined): Bound[] {
  if (order === undefined) return params.map(toBound);
  const used = new Set(order);
  if (used.size !== params.length || order.some((parameter) => parameter >= params.length)) {
    throw new RangeError(`the statement uses ${used.size} parameters, but ${params.length} were given`);
  }
  return order.map((parameter) => toBound(params[parameter]));
}

function toBound(value: unknown): Bound {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      // Whole numbers are bound as bigint, because they must be INTEGER in expressions. better-sqlite3 binds every
      // number as REAL.
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'boolean':
      return value ? 1n : 0n;
    case 'bigint':
      return value;
    default:
      if (value === null || value === undefined) return null;
      if (value instanceof Uint8Array) return value;
      throw new TypeError(`a parameter has the unsupported type ${typeof value}`);
  }
}

function plainBytes(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { StoreError } from './errors.ts';
import { differenceOf } from './installation/identity.ts';
import { readInstallation } from './installation/installation.ts';
import { readIdentity } from './installation/read-identity.ts';
import { moved, moving } from './migrations.ts';
import { createStatementNames, parseTarget, type Target } from './postgres/connection.ts';
import { connected } from './postgres/connections.ts';
import { migratePostgres } from './postgres/migrate.ts';
import { createQueries } from './postgres/queries.ts';
import { buildCatalogue, type TableEntry } from './schema/catalogue.ts';
import { postgresDialect } from './schema/dialect.ts';
import { buildTables } from './schema/index.ts';
import { openWriter } from './sqlite/connections.ts';
import { lockFile } from './sqlite/lock.ts';
import { markSqlite, readMarkedSchema } from './sqlite/migrate.ts';
import { createStatements } from './sqlite/statements.ts';
import { defaultTiming } from './timing.ts';
import type { Queries, SqlValue } from './types.ts';

export interface MovedDatabase {
  /** The target: `host:port/database`. */
  readonly where: string;
  /** Number of rows that this run wrote. It excludes rows that earlier, interrupted runs had written. */
  readonly written: number;
  /**
   * For each table, its number of rows and the SHA-256 (hex) of its rows in key order, which are the same in both
   * databases.
   */
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly sha256: string }>>;
}

export interface MoveOptions {
  /** Path of the SQLite database. No server may have it open. */
  readonly file: string;
  /** URL of the PostgreSQL database: empty, or partly filled by an interrupted move. */
  readonly url: string;
  /** Schema of the target; if undefined, the first one of the role's search path. */
  readonly schema?: string | undefined;
  readonly version?: string | undefined;
  /** Called with a line of text after each table. */
  readonly progress?: (line: string) => void;
  /**
   * Time in milliseconds to wait for servers' connections to the target to be closed, such as those of a server that
   * was just killed. Default 5,000.
   */
  readonly patience?: number | undefined;
}

type Row = Record<string, SqlValue>;
type Read = Pick<Queries, 'all'>;

const rowsAtOnce = 1_000;

/**
 * Moves a SQLite database to PostgreSQL. Until every row is copied and compared, no server of any version opens the
 * target; after that, no server opens the source. The move can be interrupted at any time and started again. It then
 * compares the existing rows, and rewrites only those that differ.
 *
 * @throws StoreError `locked`, `older-schema`, `newer-schema`, `foreign-schema`, `moved`, `misuse` (the target is in
 * use or not empty), `unavailable`
 */
export async function moveToPostgres({
  file,
  url,
  schema,
  version,
  progress,
  patience,
}: MoveOptions): Promise<MovedDatabase> {
  const path = resolve(file);
  if (!existsSync(path)) throw new StoreError('unavailable', `The database ${path} does not exist.`);
  const target = parseTarget({ url, schema }, defaultTiming);
  const lock = lockFile(path);
  try {
    const source = openWriter(path, defaultTiming);
    try {
      const { pending, mark } = await readMarkedSchema(source, path, version);
      if (pending.length > 0) {
        throw new StoreError(
          'older-schema',
          `${path} has an older schema. Update it first: start a server on it, or run \`migrate\`.`,
        );
      }
      const alone = { admission: 'alone', patience } as const;
      await migratePostgres(target, { version, isMove: true, ...alone });
      return await connected(target, alone, async (client, run) => {
        const statements = createStatements(source);
        const from: Read = { all: async (sql, params = []) => statements.all(sql, params) };
        await refuseUnadopted(from, path);
        await begin(client, target, mark);
        const to = createQueries(run, {
          ...{ tables: buildTables(postgresDialect), catalogue: buildCatalogue() },
          ...{ nameOf: createStatementNames(), dialect: new PgDialect() },
        });
        let written = 0;
        for (const table of buildCatalogue().values()) {
          const rows = await copy(table, from, to, (work) => inTransaction(client, work));
          written += rows;
          progress?.(`${table.name}: ${rows} rows written`);
        }
        const tables = await compare(from, to);
        const identity = await readIdentity(to, { file: undefined, address: undefined });
        await client.query('update installation set identity = $1', [JSON.stringify(identity)]);
        // The source is marked before the target is released, because servers must never be able to open both
        // databases.
        if (mark === undefined) markSqlite(source, moved(target.where));
        await client.query('delete from schema_migration where name = $1', [moving.name]);
        return { where: target.where, written, tables };
      });
    } finally {
      source.close();
    }
  } finally {
    lock.release();
  }
}

/**
 * Rejects a copied database that was not adopted, because moving it would make the copy the installation.
 * @throws StoreError `misuse`
 */
async function refuseUnadopted(from: Read, file: string): Promise<void> {
  const installation = await readInstallation(from);
  if (installation === undefined) return;
  const { identity, setBack } = installation;
  const now = await readIdentity(from, { file, address: undefined });
  const difference = setBack ?? (identity === null ? undefined : differenceOf(identity, now));
  if (difference === undefined) return;
  throw new StoreError('misuse', `${file} cannot be moved: ${difference}. Run adopt first.`);
}

/** Marks the target as unfinished, so that no server opens it. */
async function begin(client: pg.Client, { where }: Target, sourceMark: string | undefined): Promise<void> {
  await inTransaction(client, async () => {
    const { rowCount: isMoving } = await client.query('select 1 from schema_migration where name = $1', [
      moving.name,
    ]);
    if (isMoving === 1) return;
    if (sourceMark !== undefined) {
      throw new StoreError('moved', sourceMark);
    }
    for (const { name } of buildCatalogue().values()) {
      const { rowCount } = await client.query(`select 1 from "${name}" limit 1`);
      if (rowCount === 0) continue;
      throw new StoreError(
        'misuse',
        `${where} is not empty: its table ${name} has rows. Use an empty database.`,
      );
    }
    await client.query('insert into schema_migration values ($1, $2, $3, $4, $5)', [
      ...[moving.number, moving.name, moving.hash, Date.now(), null],
    ]);
  });
}

/** Makes a table of the target equal to that of the source. Returns the number of rows that were written. */
async function copy(
  table: TableEntry,
  from: Read,
  to: Queries,
  transaction: (work: () => Promise<void>) => Promise<void>,
): Promise<number> {
  const columns = [...table.columns.keys()];
  let after: Row | undefined;
  let written = 0;
  for (;;) {
    const rows = await page(from, table, after);
    const last = rows.length < rowsAtOnce ? undefined : rows.at(-1);
    const there = await between(to, table, after, last);
    if (digestOf(table, rows) !== digestOf(table, there)) {
      const range = rangeOf(table, after, last);
      await transaction(async () => {
        await to.run(`delete from "${table.name}" ${range.where}`, range.values);
        await to.insertMany(
          table.name,
          columns,
          rows.map((row) => columns.map((column) => cellOf(table, column, row))),
        );
      });
      written += rows.length;
    }
    if (last === undefined) return written;
    after = last;
  }
}

/**
 * Compares all tables of both databases.
 * @throws StoreError if they differ
 */
async function compare(from: Read, to: Read): Promise<MovedDatabase['tables']> {
  const tables: Record<string, { rows: number; sha256: string }> = {};
  for (const table of buildCatalogue().values()) {
    const [here, there] = [await summary(from, table), await summary(to, table)];
    if (here.sha256 !== there.sha256 || here.rows !== there.rows) {
      throw new StoreError(
        'unavailable',
        `The copy of ${table.name} differs from the original (${there.rows} instead of ${here.rows} rows). Run \`move\` again.`,
      );
    }
    tables[table.name] = here;
  }
  return tables;
}

async function summary(read: Read, table: TableEntry): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  let count = 0;
  let after: Row | undefined;
  do {
    const rows = await page(read, table, after);
    for (const row of rows) hash.update(lineOf(table, row));
    count += rows.length;
    after = rows.length < rowsAtOnce ? undefined : rows.at(-1);
  } while (after !== undefined);
  return { rows: count, sha256: hash.digest('hex') };
}

function digestOf(table: TableEntry, rows: readonly Row[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(lineOf(table, row));
  return hash.digest('hex');
}

/** Serializes a row in the same way for both databases. */
function lineOf(table: TableEntry, row: Row): string {
  const values = [...table.columns.keys()].map((column) => {
    const value = cellOf(table, column, row);
    return value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value;
  });
  return `${JSON.stringify(values)}\n`;
}

/** Returns a value of a row. SQLite stores booleans as 0 and 1. */
function cellOf({ columns }: TableEntry, column: string, row: Row): SqlValue {
  const value = row[column] ?? null;
  return columns.get(column) === 'boolean' && typeof value === 'number' ? value === 1 : value;
}

/** Returns a batch of rows in key order, starting after the row `after`. */
function page(read: Read, table: TableEntry, after: Row | undefined): Promise<Row[]> {
  const { where, values } = rangeOf(table, after, undefined);
  return read.all<Row>(
    `select * from "${table.name}" ${where} order by ${keyOf(table).join(', ')} limit ${rowsAtOnce}`,
    values,
  );
}

function between(read: Read, table: TableEntry, after: Row | undefined, to: Row | undefined): Promise<Row[]> {
  const { where, values } = rangeOf(table, after, to);
  return read.all<Row>(`select * from "${table.name}" ${where} order by ${keyOf(table).join(', ')}`, values);
}

/**
 * SQL condition: the key is greater than that of `after`, and not greater than that of `to`. Consecutive ranges cover
 * the whole table.
 */
function rangeOf(table: TableEntry, after: Row | undefined, to: Row | undefined) {
  const key = keyOf(table);
  const values: SqlValue[] = [];
  const bound = (operator: string, row: Row | undefined) => {
    if (row === undefined) return [];
    const places = table.primaryKey.map((column) => `$${values.push(cellOf(table, column, row))}`);
    return [`(${key.join(', ')}) ${operator} (${places.join(', ')})`];
  };
  const conditions = [...bound('>', after), ...bound('<=', to)];
  return { where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`, values };
}

/** Returns the quoted primary-key columns. Every table has a primary key. */
function keyOf({ primaryKey }: TableEntry): string[] {
  return primaryKey.map((column) => `"${column}"`);
}

async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

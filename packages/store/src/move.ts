import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { StoreError } from './errors.ts';
import { moved, moving } from './migrations.ts';
import { defaultPatience, waitUntilAlone } from './postgres/alone.ts';
import { connected, createStatementNames, parseTarget, type Target } from './postgres/connection.ts';
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

/** A database that was moved. */
export interface MovedDatabase {
  /** `host:port/database`. */
  readonly where: string;
  /** Rows that were written now; the others were there from a try before. */
  readonly written: number;
  /** How many rows each table has, and the SHA-256 of them in the order of their key, hex: the same in both databases. */
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly sha256: string }>>;
}

export interface MoveOptions {
  /** Path of the SQLite database; nobody has it open. */
  readonly file: string;
  /** The PostgreSQL database, empty but for what an unfinished move left. */
  readonly url: string;
  readonly version?: string | undefined;
  /** Told of each table. */
  readonly progress?: (line: string) => void;
  /** Milliseconds for which connections of servers to the target may still be there, as of one that was just killed; 5,000. */
  readonly patience?: number;
}

type Row = Record<string, SqlValue>;
type Read = Pick<Queries, 'all'>;

const rowsAtOnce = 1_000;

/**
 * Moves a SQLite database to PostgreSQL. Until all is there and compared, row by row, no server of any version opens the
 * target; from then on none opens the source. It can be ended at any instant and begun again: what is there already is
 * compared, and written only where it differs.
 *
 * @throws StoreError `locked`, `older-schema`, `newer-schema`, `foreign-schema`, `moved`, `misuse` (the target is in use, or
 * holds something), `unavailable`
 */
export async function moveToPostgres({
  file,
  url,
  version,
  progress,
  patience = defaultPatience,
}: MoveOptions): Promise<MovedDatabase> {
  const path = resolve(file);
  if (!existsSync(path)) throw new StoreError('unavailable', `There is no database ${path}.`);
  const target = parseTarget(url, defaultTiming);
  const lock = lockFile(path);
  try {
    const source = openWriter(path, defaultTiming);
    try {
      const { pending, mark } = await readMarkedSchema(source, path, version);
      if (pending.length > 0) {
        throw new StoreError(
          'older-schema',
          `${path} has the schema of an older version: bring it up to this one first (migrate, or a start of a server).`,
        );
      }
      await migratePostgres(target, { version, isMove: true });
      return await connected(target, async (client, run) => {
        await waitUntilAlone(client, target, patience);
        await begin(client, target, mark);
        const statements = createStatements(source);
        const from: Read = { all: async (sql, params = []) => statements.all(sql, params) };
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
        // In this order: never can both be served.
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

/** Marks the target as not whole, so that no server opens it. */
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
        `${where} holds something already (in ${name}): name an empty database.`,
      );
    }
    await client.query('insert into schema_migration values ($1, $2, $3, $4, $5)', [
      ...[moving.number, moving.name, moving.hash, Date.now(), null],
    ]);
  });
}

/** Makes a table of the target that of the source; answers how many rows it wrote. */
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

/** Reads both from their beginning to their end. @throws StoreError where they differ */
async function compare(from: Read, to: Read): Promise<MovedDatabase['tables']> {
  const tables: Record<string, { rows: number; sha256: string }> = {};
  for (const table of buildCatalogue().values()) {
    const [here, there] = [await summary(from, table), await summary(to, table)];
    if (here.sha256 !== there.sha256 || here.rows !== there.rows) {
      throw new StoreError(
        'unavailable',
        `The copy of ${table.name} differs from the original (${there.rows} rows for ${here.rows}): begin again.`,
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

/** A row as text, the same from both databases. */
function lineOf(table: TableEntry, row: Row): string {
  const values = [...table.columns.keys()].map((column) => {
    const value = cellOf(table, column, row);
    return value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value;
  });
  return `${JSON.stringify(values)}\n`;
}

/** SQLite keeps booleans as 0 and 1. */
function cellOf({ columns }: TableEntry, column: string, row: Row): SqlValue {
  const value = row[column] ?? null;
  return columns.get(column) === 'boolean' && typeof value === 'number' ? value === 1 : value;
}

/** Rows in the order of their key, those after one. */
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

/** The keys after one, up to another with it: all ranges together are everything. */
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

/** Columns of the primary key, which every table has. */
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

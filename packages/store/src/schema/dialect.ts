import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  customType as pgCustomType,
  primaryKey as pgPrimaryKey,
  pgTable,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import {
  type AnySQLiteColumn,
  integer,
  customType as sqliteCustomType,
  index as sqliteIndex,
  primaryKey as sqlitePrimaryKey,
  sqliteTable,
  text as sqliteText,
  uniqueIndex as sqliteUniqueIndex,
} from 'drizzle-orm/sqlite-core';

/** Text in the "C" collation. With it, PostgreSQL sorts, compares and searches by prefix exactly as SQLite does. */
const pgText = pgCustomType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' });

const pgBytes = pgCustomType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

const sqliteBytes = sqliteCustomType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'blob',
});

/**
 * Functions with which tables are described once for both dialects: four kinds of columns (text, safe integers,
 * booleans, bytes), indexes and primary keys. Names are always explicit. Everything else (`notNull`, `default`,
 * `primaryKey` on one column, `where` on an index) is drizzle's own API.
 */
export const postgresDialect = {
  table: pgTable,
  text: (name: string) => pgText(name),
  int: (name: string) => bigint(name, { mode: 'number' }),
  bool: (name: string) => boolean(name),
  bytes: (name: string) => pgBytes(name),
  index: (name: string) => index(name),
  uniqueIndex: (name: string) => uniqueIndex(name),
  primaryKey: (...columns: [AnyPgColumn, ...AnyPgColumn[]]) => pgPrimaryKey({ columns }),
};

/** Type of the functions for both dialects. The code uses PostgreSQL's types for both. */
export type Dialect = typeof postgresDialect;

const sqliteBuilders = {
  table: sqliteTable,
  text: (name: string) => sqliteText(name),
  int: (name: string) => integer(name, { mode: 'number' }),
  bool: (name: string) => integer(name, { mode: 'boolean' }),
  bytes: (name: string) => sqliteBytes(name),
  index: (name: string) => sqliteIndex(name),
  uniqueIndex: (name: string) => sqliteUniqueIndex(name),
  primaryKey: (...columns: [AnySQLiteColumn, ...AnySQLiteColumn[]]) => sqlitePrimaryKey({ columns }),
};

/**
 * SQLite's builders, cast to PostgreSQL's types. No type can express that both builders have the same methods and data
 * types for everything that is used here. Tests ensure it: one compares both schemas column by column, and whole suites
 * run on both dialects.
 */
export const sqliteDialect = sqliteBuilders as unknown as Dialect;

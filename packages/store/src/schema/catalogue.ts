import { getTableConfig } from 'drizzle-orm/pg-core';
import { postgresDialect } from './dialect.ts';
import { buildTables } from './index.ts';

/** Description of a table in the database. */
export interface TableEntry {
  readonly name: string;
  /** PostgreSQL type of each column, without its collation, by column name. */
  readonly columns: ReadonlyMap<string, string>;
  /** Names of unique indexes and of the primary key, by their columns (in order, joined by commas). */
  readonly unique: ReadonlyMap<string, string>;
  /** Columns of the primary key, in order. */
  readonly primaryKey: readonly string[];
}

/** Entries by table name. The names are the same in both dialects. */
export type Catalogue = ReadonlyMap<string, TableEntry>;

let catalogue: Catalogue | undefined;

/**
 * Builds the catalogue from the table descriptions. It is used for bulk inserts, and by errors that name the violated
 * constraint.
 */
export function buildCatalogue(): Catalogue {
  catalogue ??= build();
  return catalogue;
}

function build(): Catalogue {
  const entries = Object.values(buildTables(postgresDialect)).map((table): [string, TableEntry] => {
    const config = getTableConfig(table);
    const columns = new Map(
      config.columns.map((column) => [column.name, column.getSQLType().replace(/ collate .*/, '')]),
    );
    const unique = new Map<string, string>();
    for (const { config: index } of config.indexes) {
      if (!index.unique || index.name === undefined) continue;
      const names = index.columns.map((column) =>
        'name' in column && typeof column.name === 'string' ? column.name : '?',
      );
      unique.set(names.join(','), index.name);
    }
    for (const key of config.primaryKeys) {
      unique.set(key.columns.map((column) => column.name).join(','), key.getName());
    }
    for (const column of config.columns) {
      if (column.primary) unique.set(column.name, `${config.name}_pkey`);
    }
    const [key] = config.primaryKeys;
    const primaryKey = (key?.columns ?? config.columns.filter((column) => column.primary)).map(
      (column) => column.name,
    );
    return [config.name, { name: config.name, columns, unique, primaryKey }];
  });
  return new Map(entries);
}

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { StoreError } from './errors.ts';

/** One schema migration. Migrations are numbered from 0 without gaps. A released migration is never edited. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** SHA-256 of the migration's file, in hex. */
  readonly hash: string;
  readonly statements: readonly string[];
}

/** A row of `schema_migration`. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly hash: string;
  /** Version of Ledger Operations that applied the migration; null if the version is unknown. */
  readonly version: string | null;
}

/**
 * The migrations of a database, compared with those that this version knows. Each is a text with number and name, such
 * as `0000_initial`.
 */
export interface SchemaState {
  readonly applied: readonly string[];
  /** Migrations that this version knows and that are not applied yet. */
  readonly pending: readonly string[];
  /** Name of the database in messages. */
  readonly where: string;
}

/**
 * Compares the applied migrations with the known ones.
 * @throws StoreError `newer-schema`, `foreign-schema`
 */
export function schemaState(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  place: SchemaPlace,
): SchemaState {
  const pending = pendingMigrations(known, applied, place);
  return { applied: applied.map(migrationName), pending: pending.map(migrationName), where: place.where };
}

/** Returns a migration's number and name, such as `0000_initial`. */
function migrationName({ number, name }: Pick<Migration, 'number' | 'name'>): string {
  return `${String(number).padStart(4, '0')}_${name}`;
}

/** Separator between the statements of a migration file, as drizzle-kit writes it. */
export const statementBreak = '--> statement-breakpoint';

/**
 * Returns the folder of a dialect's migrations. Its path relative to this module is the same in the sources and in the
 * built package.
 */
export function migrationFolder(dialect: 'sqlite' | 'postgres'): URL {
  return new URL(`../migrations/${dialect}/`, import.meta.url);
}

/** Reads the migrations of a dialect, in order. */
export async function readMigrations(dialect: 'sqlite' | 'postgres'): Promise<Migration[]> {
  const folder = migrationFolder(dialect);
  const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z0-9_-]+\.sql$/.test(file)).sort();
  return await Promise.all(
    files.map(async (file, position) => {
      const text = await readFile(new URL(file, folder), 'utf8');
      if (Number(file.slice(0, 4)) !== position) {
        throw new StoreError(
          'foreign-schema',
          `Migration ${file} should have number ${position}: a migration file is missing.`,
        );
      }
      return {
        number: position,
        name: file.slice(5, -4),
        hash: createHash('sha256').update(text).digest('hex'),
        statements: text
          .split(statementBreak)
          .map((statement) => statement.trim())
          .filter((statement) => statement !== ''),
      };
    }),
  );
}

/**
 * A row in the table of applied migrations that prevents every server from opening the database. No version knows a
 * migration with this row's number, so older versions also refuse the database. `hash` contains a message for the
 * operator.
 */
export interface SchemaMark {
  readonly number: number;
  readonly name: 'moving' | 'moved';
  readonly hash: string;
}

const markNumber = 1_000_000;

/** Marks the target of a move until the move is complete. */
export const moving: SchemaMark = {
  number: markNumber,
  name: 'moving',
  hash: 'An unfinished move is copying data into this database. Run `move` again to complete it.',
};

/** Returns the mark of a database whose content was moved to PostgreSQL. */
export function moved(where: string): SchemaMark {
  const hash = `The database was moved to PostgreSQL at ${where}. Start the server with that database's URL in DATABASE_URL.`;
  return { number: markNumber, name: 'moved', hash };
}

/** Separates the applied migrations from the mark, if there is one. */
export function withoutMark(applied: readonly AppliedMigration[]): {
  migrations: AppliedMigration[];
  mark: AppliedMigration | undefined;
} {
  const mark = applied.find(({ number }) => number === markNumber);
  return { migrations: applied.filter((row) => row !== mark), mark };
}

/** A database, and the version of Ledger Operations that reads it. */
export interface SchemaPlace {
  /** The database as messages name it: a path, or `host:port/database`. */
  readonly where: string;
  readonly version: string | undefined;
}

/**
 * Returns the migrations that are not applied yet. Rejects a database that a newer version migrated, or whose
 * migrations differ from those of this version.
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  { where, version }: SchemaPlace,
): readonly Migration[] {
  const { mark } = withoutMark(applied);
  if (mark !== undefined) throw new StoreError('moved', `${where} is not available. ${mark.hash}`);
  const last = known.at(-1);
  for (const row of applied) {
    const migration = known[row.number];
    if (migration === undefined) {
      throw new StoreError(
        'newer-schema',
        `${where} has migration ${migrationName(row)}${row.version === null ? '' : `, applied by version ${row.version}`}. ${version === undefined ? 'This version' : `This is version ${version}, which`} knows migrations only up to ${last === undefined ? 'none' : migrationName(last)}. Start ${row.version === null ? 'a version at least as new as the one that last migrated this database' : `version ${row.version} or a newer one`}.`,
      );
    }
    if (migration.hash !== row.hash) {
      throw new StoreError(
        'foreign-schema',
        `Migration ${row.number} (${row.name}) of ${where} differs from this version's migration (${migration.name}): an unreleased build created it. Use a new database, or the build that created this one.`,
      );
    }
  }
  return known.slice(applied.length);
}

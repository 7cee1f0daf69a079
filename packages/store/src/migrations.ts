import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { StoreError } from './errors.ts';

/** One step of the schema; numbered from 0 without gaps and never edited once released. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** SHA-256 of the file, hex. */
  readonly hash: string;
  readonly statements: readonly string[];
}

/** A row of `schema_migration`. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly hash: string;
  /** Version of the software that applied it, where it said so. */
  readonly version: string | null;
}

/** Where a schema stands, as this version sees it; migrations by number and name: `0000_initial`. */
export interface SchemaState {
  readonly applied: readonly string[];
  /** Known to this version, and not applied yet. */
  readonly pending: readonly string[];
}

/** The state of a database with these migrations. @throws StoreError `newer-schema`, `foreign-schema` */
export function schemaState(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  place: SchemaPlace,
): SchemaState {
  const pending = pendingMigrations(known, applied, place);
  return { applied: applied.map(migrationName), pending: pending.map(migrationName) };
}

/** A migration as people name it. */
function migrationName({ number, name }: Pick<Migration, 'number' | 'name'>): string {
  return `${String(number).padStart(4, '0')}_${name}`;
}

/** Separates the statements of a migration file, as drizzle-kit does. */
export const statementBreak = '--> statement-breakpoint';

/** Where the migrations of a dialect lie; the same from sources and from the built package. */
export function migrationFolder(dialect: 'sqlite' | 'postgres'): URL {
  return new URL(`../migrations/${dialect}/`, import.meta.url);
}

/** Reads the migrations of a dialect in order. */
export async function readMigrations(dialect: 'sqlite' | 'postgres'): Promise<Migration[]> {
  const folder = migrationFolder(dialect);
  const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z0-9_-]+\.sql$/.test(file)).sort();
  return await Promise.all(
    files.map(async (file, position) => {
      const text = await readFile(new URL(file, folder), 'utf8');
      if (Number(file.slice(0, 4)) !== position) {
        throw new StoreError(
          'foreign-schema',
          `Migration ${file} is not number ${position}: one is missing.`,
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
 * Stands among the applied migrations of a database that nobody may open, under a number that no version knows: so older
 * versions refuse it too. Its `hash` are words that say where the whole one is.
 */
export interface SchemaMark {
  readonly number: number;
  readonly name: 'moving' | 'moved';
  readonly hash: string;
}

const markNumber = 1_000_000;

/** Of a database that is being filled from another one. */
export const moving: SchemaMark = {
  number: markNumber,
  name: 'moving',
  hash: 'It is being filled by a move that has not ended: go on with `move`.',
};

/** Of a database whose content is at another place now. */
export function moved(where: string): SchemaMark {
  const hash = `It was moved to PostgreSQL at ${where}: start the server with its DATABASE_URL.`;
  return { number: markNumber, name: 'moved', hash };
}

/** The mark among what was applied, and the migrations. */
export function withoutMark(applied: readonly AppliedMigration[]): {
  migrations: AppliedMigration[];
  mark: AppliedMigration | undefined;
} {
  const mark = applied.find(({ number }) => number === markNumber);
  return { migrations: applied.filter((row) => row !== mark), mark };
}

/** A database, and the version of the software that looks at it. */
export interface SchemaPlace {
  /** For messages. */
  readonly where: string;
  readonly version: string | undefined;
}

/** The migrations that are still to apply. Refuses a database that is ahead of, or beside, this software. */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  { where, version }: SchemaPlace,
): readonly Migration[] {
  const { mark } = withoutMark(applied);
  if (mark !== undefined) throw new StoreError('moved', `${where} is not to be opened. ${mark.hash}`);
  const last = known.at(-1);
  for (const row of applied) {
    const migration = known[row.number];
    if (migration === undefined) {
      throw new StoreError(
        'newer-schema',
        `${where} has migration ${migrationName(row)}${row.version === null ? '' : `, made by version ${row.version}`}; ${version === undefined ? 'this version' : `this is version ${version}, which`} knows them up to ${last === undefined ? 'none' : migrationName(last)}. Start ${row.version === null ? 'a version at least as new as the one that wrote it' : `version ${row.version} or a newer one`}.`,
      );
    }
    if (migration.hash !== row.hash) {
      throw new StoreError(
        'foreign-schema',
        `Migration ${row.number} (${row.name}) of ${where} is not the one of this version (${migration.name}): it was made by an unreleased build. Start with a fresh database, or with the build that wrote it.`,
      );
    }
  }
  return known.slice(applied.length);
}

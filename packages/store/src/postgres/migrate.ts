import type pg from 'pg';
import { StoreError } from '../errors.ts';
import {
  type AppliedMigration,
  pendingMigrations,
  readMigrations,
  type SchemaState,
  schemaState,
  withoutMark,
} from '../migrations.ts';
import type { Admission } from './admission.ts';
import type { Target } from './connection.ts';
import { connected } from './connections.ts';
import { fromPostgresError } from './errors.ts';
import { demandSchema, type Run, refuseOtherSchema } from './installation.ts';
import { demandRights } from './rights.ts';

/** Key of the advisory lock that is held during a migration. The number is arbitrary. */
const migrationLock = 7_203_114_952;

const readApplied = 'select number, name, hash, version from schema_migration order by number';

export interface MigrateOptions {
  /** Version of Ledger Operations that migrates. */
  readonly version?: string | undefined;
  /** Whether a move is filling the database. If so, the mark that an interrupted move left is accepted. */
  readonly isMove?: boolean;
  readonly admission: Exclude<Admission, 'reader'>;
  readonly patience?: number | undefined;
}

/** The state of a schema before its migration, and the name of the schema. */
export interface MigratedSchema extends SchemaState {
  readonly schema: string;
}

/**
 * Migrates the schema to this version, in one transaction. If several servers start at the same time, one of them
 * migrates. Returns the state before the migration.
 *
 * @throws StoreError `other-schema` if another schema has an installation, because migrating would create a
 * second installation; `misuse` if a server's role may not use all tables
 */
export async function migratePostgres(
  target: Target,
  { version, isMove = false, admission, patience }: MigrateOptions,
): Promise<MigratedSchema> {
  const migrations = await readMigrations('postgres');
  return await connectedForMigration(target, { admission, patience }, async (run) => {
    await run('BEGIN');
    await run('select pg_advisory_xact_lock($1::bigint)', [migrationLock]);
    const schema = await demandSchema(run, target);
    if ((await readTable(run)) === null) {
      await refuseOtherSchema(run, target);
      await runAsOwner(
        run,
        'create table schema_migration (number bigint primary key not null, name text not null, hash text not null, applied_at bigint not null, version text)',
        target,
      );
    }
    const rows = await run<AppliedMigration & pg.QueryResultRow>(readApplied);
    const applied = isMove ? withoutMark(rows).migrations : rows;
    const place = { where: target.where, version };
    for (const migration of pendingMigrations(migrations, applied, place)) {
      for (const text of migration.statements) await runAsOwner(run, text, target);
      await run('insert into schema_migration values ($1, $2, $3, $4, $5)', [
        migration.number,
        migration.name,
        migration.hash,
        Date.now(),
        version ?? null,
      ]);
    }
    if (admission === 'server') await demandRights(run, target);
    await run('COMMIT');
    return { ...schemaState(migrations, applied, place), schema };
  });
}

/**
 * Reads the state of the schema, without changing it.
 * @throws StoreError `other-schema` if only another schema has an installation
 */
export async function readPostgresSchema(target: Target, version?: string): Promise<SchemaState> {
  const known = await readMigrations('postgres');
  return await connectedForMigration(target, { admission: 'reader' }, async (run) => {
    const isThere = (await readTable(run)) !== null;
    if (!isThere) await refuseOtherSchema(run, target);
    const applied = isThere ? await run<AppliedMigration & pg.QueryResultRow>(readApplied) : [];
    return schemaState(known, applied, { where: target.where, version });
  });
}

/** Checks the rights of a server's role, without changing anything. @throws StoreError `misuse` that names the tables */
export async function demandPostgresRights(target: Target): Promise<void> {
  await connectedForMigration(target, { admission: 'reader' }, (run) => demandRights(run, target));
}

/**
 * Returns the table of migrations in the current schema; null if there is none. Ignores other schemas of the search
 * path.
 */
async function readTable(run: Run): Promise<string | null> {
  const [row] = await run<{ table: string | null }>(
    "select to_regclass(quote_ident(current_schema()) || '.schema_migration')::text as table",
  );
  return row?.table ?? null;
}

/** Runs a statement that changes the schema. @throws StoreError `misuse` if the role may not change it */
async function runAsOwner(run: Run, text: string, { where }: Target): Promise<void> {
  await run(text).catch((error: unknown) => {
    const { code, native } = fromPostgresError(error, text);
    if (code !== 'statement' || native !== '42501') throw error;
    throw new StoreError(
      'misuse',
      `The schema of ${where} must be created or updated, and the role of DATABASE_URL may not change it. Run migrate with the URL of the role that owns the schema, then start the server again.`,
    );
  });
}

/**
 * Runs work on a separate connection, without a statement timeout.
 * @throws StoreError
 */
function connectedForMigration<T>(
  target: Target,
  options: { readonly admission: Admission; readonly patience?: number | undefined },
  work: (run: Run) => Promise<T>,
): Promise<T> {
  return connected(target, options, (_, run) =>
    work(async (text, values = []) => (await run({ text, values })).rows),
  );
}

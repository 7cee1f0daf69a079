import type pg from 'pg';
import {
  type AppliedMigration,
  pendingMigrations,
  readMigrations,
  type SchemaState,
  schemaState,
  withoutMark,
} from '../migrations.ts';
import type { Target } from './connection.ts';
import { connected } from './connections.ts';

/** Advisory lock held while migrating. Any fixed number works. */
const migrationLock = 7_203_114_952;

const readApplied = 'select number, name, hash, version from schema_migration order by number';

export interface MigrateOptions {
  /** Version of the software. */
  readonly version?: string | undefined;
  /** Whether a move fills the database, so that the mark of an earlier, interrupted move is accepted. */
  readonly isMove?: boolean;
}

/**
 * Migrates the schema to this version, in one transaction. If several servers start at once, one of them
 * migrates. Returns the state before.
 */
export async function migratePostgres(
  target: Target,
  { version, isMove = false }: MigrateOptions = {},
): Promise<SchemaState> {
  const migrations = await readMigrations('postgres');
  return await connectedForMigration(target, async (run) => {
    await run('BEGIN');
    await run('select pg_advisory_xact_lock($1::bigint)', [migrationLock]);
    await run(
      'create table if not exists schema_migration (number bigint primary key not null, name text not null, hash text not null, applied_at bigint not null, version text)',
    );
    const rows = await run<AppliedMigration & pg.QueryResultRow>(readApplied);
    const applied = isMove ? withoutMark(rows).migrations : rows;
    const place = { where: target.where, version };
    for (const migration of pendingMigrations(migrations, applied, place)) {
      for (const text of migration.statements) await run(text);
      await run('insert into schema_migration values ($1, $2, $3, $4, $5)', [
        migration.number,
        migration.name,
        migration.hash,
        Date.now(),
        version ?? null,
      ]);
    }
    await run('COMMIT');
    return schemaState(migrations, applied, place);
  });
}

/** Reads the state of the schema, without changing it. */
export async function readPostgresSchema(target: Target, version?: string): Promise<SchemaState> {
  const known = await readMigrations('postgres');
  return await connectedForMigration(target, async (run) => {
    const [table] = await run<{ oid: string | null }>("select to_regclass('schema_migration')::text as oid");
    const isThere = table !== undefined && table.oid !== null;
    const applied = isThere ? await run<AppliedMigration & pg.QueryResultRow>(readApplied) : [];
    return schemaState(known, applied, { where: target.where, version });
  });
}

type Run = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

/**
 * Runs work on a connection of its own, without a statement timeout.
 * @throws StoreError
 */
function connectedForMigration<T>(target: Target, work: (run: Run) => Promise<T>): Promise<T> {
  return connected(target, (_, run) => work(async (text, values = []) => (await run({ text, values })).rows));
}

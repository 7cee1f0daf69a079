import pg from 'pg';
import {
  type AppliedMigration,
  pendingMigrations,
  readMigrations,
  type SchemaState,
  schemaState,
  withoutMark,
} from '../migrations.ts';
import type { Target } from './connection.ts';
import { fromPostgresError } from './errors.ts';

/** Any fixed number: whoever migrates this database holds it. */
const migrationLock = 7_203_114_952;

const readApplied = 'select number, name, hash, version from schema_migration order by number';

export interface MigrateOptions {
  /** Of the software. */
  readonly version?: string | undefined;
  /** Whoever asks fills the database from another one, and may have begun before. */
  readonly isMove?: boolean;
}

/**
 * Brings the schema up to this version, in one transaction; of several servers that start at once, one does. Tells how it
 * stood before.
 */
export async function migratePostgres(
  target: Target,
  { version, isMove = false }: MigrateOptions = {},
): Promise<SchemaState> {
  const migrations = await readMigrations('postgres');
  return await connected(target, async (run) => {
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

/** How the schema stands. Changes nothing. */
export async function readPostgresSchema(target: Target, version?: string): Promise<SchemaState> {
  const known = await readMigrations('postgres');
  return await connected(target, async (run) => {
    const [table] = await run<{ oid: string | null }>("select to_regclass('schema_migration')::text as oid");
    const isThere = table !== undefined && table.oid !== null;
    const applied = isThere ? await run<AppliedMigration & pg.QueryResultRow>(readApplied) : [];
    return schemaState(known, applied, { where: target.where, version });
  });
}

type Run = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Work on a connection of its own, without a bound for its statements. @throws StoreError */
async function connected<T>(target: Target, work: (run: Run) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...target.config, statement_timeout: 0, query_timeout: 0 });
  // A connection that breaks fails the statement under way, which tells of it.
  client.on('error', () => undefined);
  let statement = `connect to ${target.where}`;
  try {
    await client.connect();
    return await work(async (text, values = []) => {
      statement = text;
      return (await client.query(text, values)).rows;
    });
  } catch (error) {
    throw fromPostgresError(error, statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}

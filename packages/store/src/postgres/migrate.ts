import pg from 'pg';
import { type AppliedMigration, pendingMigrations, readMigrations } from '../migrations.ts';
import type { Target } from './connection.ts';
import { fromPostgresError } from './errors.ts';

/** Any fixed number: whoever migrates this database holds it. */
const migrationLock = 7_203_114_952;

/** Brings the schema up to this version, in one transaction; of several servers that start at once, one does. */
export async function migratePostgres(target: Target): Promise<void> {
  const known = await readMigrations('postgres');
  const client = new pg.Client({ ...target.config, statement_timeout: 0, query_timeout: 0 });
  // A connection that breaks fails the statement under way, which tells of it.
  client.on('error', () => undefined);
  let statement = `connect to ${target.where}`;
  const run = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
    statement = text;
    return (await client.query<Row>(text, values)).rows;
  };
  try {
    await client.connect();
    await run('BEGIN');
    await run('select pg_advisory_xact_lock($1::bigint)', [migrationLock]);
    await run(
      'create table if not exists schema_migration (number bigint primary key not null, name text not null, hash text not null, applied_at bigint not null)',
    );
    const applied = await run<AppliedMigration & pg.QueryResultRow>(
      'select number, name, hash from schema_migration order by number',
    );
    for (const migration of pendingMigrations(known, applied, target.where)) {
      for (const text of migration.statements) await run(text);
      await run('insert into schema_migration values ($1, $2, $3, $4)', [
        migration.number,
        migration.name,
        migration.hash,
        Date.now(),
      ]);
    }
    await run('COMMIT');
  } catch (error) {
    throw fromPostgresError(error, statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}

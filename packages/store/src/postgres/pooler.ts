import type pg from 'pg';
import { StoreError } from '../errors.ts';
import { breaksConnection, fromPostgresError } from './errors.ts';

/** Name of a session variable that only the probed session has. */
const mark = 'ledger_ops.session';
/** Milliseconds in which a session that has its own connection answers. */
const patience = 5_000;

/**
 * Fails if each transaction of a connection may run in another session of PostgreSQL, as with PgBouncer in transaction mode:
 * prepared statements, settings, advisory locks and notifications belong to a session.
 *
 * Marks the session, and keeps a transaction open on a second connection. A pooler in transaction mode gives the session that is
 * free to the second connection, and another one, or none in time, to the first.
 *
 * @param other opens another connection to the same host
 * @throws StoreError `misuse`
 */
export async function refuseSharedSessions(
  client: pg.ClientBase,
  pid: number,
  other: () => Promise<pg.Client>,
  where: string,
): Promise<void> {
  const token = String(pid);
  await client.query(`select set_config('${mark}', $1, false)`, [token]);
  const second = await other();
  try {
    await second.query('begin');
    await second.query('select 1');
    const read: pg.QueryConfig & { query_timeout: number } = {
      text: `select current_setting('${mark}', true) as token, pg_backend_pid() as pid`,
      query_timeout: patience,
    };
    const { rows } = await client.query(read);
    if (rows[0].token !== token || rows[0].pid !== pid) throw sharesSessions(where);
  } catch (error) {
    const mapped = fromPostgresError(error, 'begin');
    throw breaksConnection(mapped) ? sharesSessions(where) : mapped;
  } finally {
    await second.end().catch(() => undefined);
  }
}

function sharesSessions(where: string): StoreError {
  return new StoreError(
    'misuse',
    `${where} is behind a pooler that gives each transaction another session, such as PgBouncer with pool_mode = transaction or statement. Connect to PostgreSQL directly, or set pool_mode = session for this database.`,
  );
}

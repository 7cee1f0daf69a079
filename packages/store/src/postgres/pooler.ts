import pg from 'pg';
import { StoreError } from '../errors.ts';
import { breaksConnection, fromPostgresError, tooManyConnections } from './errors.ts';

/** Name of a session variable with which the probed session is marked. */
const mark = 'ledger_ops.session';

/** What a probe of a pooler needs. */
interface Probe {
  /** Name of the database in messages. */
  readonly where: string;
  /** Time in milliseconds in which a session responds if it has a connection of its own to PostgreSQL. */
  readonly patience: number;
}

/**
 * Fails if the transactions of a connection may run in different sessions of PostgreSQL, as with PgBouncer in
 * transaction mode. Prepared statements, settings, advisory locks and notifications belong to a session, so they would
 * not work.
 *
 * To find out, the session of the first connection is marked, and a transaction is kept open on a second connection. A
 * pooler in transaction mode assigns the marked session, which is free, to the second connection. The first connection
 * then gets another session, or none in time.
 *
 * @param other opens another connection to the same host
 * @throws StoreError `misuse`; `unavailable` if the pooler has no session for the second connection
 */
export async function refuseSharedSessions(
  client: pg.ClientBase,
  pid: number,
  other: () => Promise<pg.Client>,
  probe: Probe,
): Promise<void> {
  const token = String(pid);
  await client.query(`select set_config('${mark}', $1, false)`, [token]);
  const second = await other();
  try {
    await openTransaction(second, probe);
    await demandOwnSession(client, token, pid, probe);
  } finally {
    await second.end().catch(() => undefined);
  }
}

/**
 * Begins a transaction on the second connection.
 * @throws StoreError `unavailable` if the pooler has no free session for it; `misuse` if the pooler refuses
 * transactions
 */
async function openTransaction(second: pg.Client, { where, patience }: Probe): Promise<void> {
  const begin: pg.QueryConfig & { query_timeout: number } = {
    text: 'begin; select 1',
    query_timeout: patience,
  };
  try {
    await second.query(begin);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw noSession(where);
    const mapped = fromPostgresError(error, 'begin');
    // A pooler in statement mode refuses every transaction.
    throw mapped.native === '08P01' ? sharesSessions(where) : mapped;
  }
}

/**
 * Checks that the first connection still has the marked session.
 * @throws StoreError `misuse` if it has another session or none at all
 */
async function demandOwnSession(
  client: pg.ClientBase,
  token: string,
  pid: number,
  { where, patience }: Probe,
): Promise<void> {
  const read: pg.QueryConfig & { query_timeout: number } = {
    text: `select current_setting('${mark}', true) as token, pg_backend_pid() as pid`,
    query_timeout: patience,
  };
  const { rows } = await client.query(read).catch((error: unknown) => {
    const mapped = fromPostgresError(error, 'select');
    const hasNone = breaksConnection(mapped) || mapped.native === tooManyConnections;
    throw hasNone ? sharesSessions(where) : mapped;
  });
  if (rows[0].token !== token || rows[0].pid !== pid) throw sharesSessions(where);
}

/** Returns the error for a pooler that accepted a connection but has no session for it in time. */
export function noSession(where: string): StoreError {
  return new StoreError(
    'unavailable',
    `The pooler in front of ${where} has no free session for another connection. Allow each server DATABASE_CONNECTIONS plus two.`,
    { native: tooManyConnections },
  );
}

function sharesSessions(where: string): StoreError {
  return new StoreError(
    'misuse',
    `${where} is behind a pooler that gives each transaction a different session, such as PgBouncer with pool_mode = transaction or statement. Connect to PostgreSQL directly, or set pool_mode = session for this database.`,
  );
}

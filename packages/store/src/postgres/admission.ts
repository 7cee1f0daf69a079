import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import type { Target } from './connection.ts';
import { readOnlyServer } from './errors.ts';
import { noSession, refuseSharedSessions } from './pooler.ts';
import {
  demandSession,
  isServerReadOnly,
  sessionSettings,
  sessionStart,
  type Unchangeable,
  unchangeable,
} from './session.ts';

/**
 * Kind of client that opens a connection.
 *
 * - `server`: shares the database with other servers
 * - `alone`: a command that must not run at the same time as servers or another such command
 * - `reader`: only reads, and may run at the same time as all others
 */
export type Admission = 'server' | 'alone' | 'reader';

/**
 * Time in milliseconds to wait until connections of a server that was just killed are closed, or another command has
 * completed.
 */
const defaultPatience = 5_000;

/**
 * Key of the advisory lock that each connection holds until it is closed. Servers hold it in shared mode, and commands
 * in exclusive mode. Unlike an `application_name`, it cannot be changed by the URL. PostgreSQL keeps advisory locks per
 * database.
 */
const key = 7_203_114_953;

const locks: Readonly<Record<Admission, string>> = {
  server: `pg_try_advisory_lock_shared(${key})`,
  alone: `pg_try_advisory_lock(${key})`,
  reader: 'true',
};

/**
 * Query for the other connections that hold the lock. The address of another role's connection is null unless this role
 * may read all statistics.
 */
export const lockHolders = `select a.pid, coalesce(host(a.client_addr), 'a local socket') as address,
    to_char(a.backend_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32) | l.objid::bigint = ${key}
    and a.pid <> pg_backend_pid()
  order by a.backend_start`;

/** SQL for the timeline: the first eight digits of the primary's current WAL file name. */
const timeline = `case when pg_is_in_recovery() then null
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end`;

/**
 * Expressions that show whether the server is the primary, and of which cluster. A hosting service may withhold the
 * system identifier, or even the functions of the write-ahead log, so these lists are tried in order.
 */
const roles = [
  `${timeline} as timeline, (select system_identifier::text from pg_control_system()) as system`,
  `${timeline} as timeline, null as system`,
  'null as timeline, null as system',
];

interface Admitted extends Unchangeable {
  readonly standby: boolean;
  readonly timeline: number | null;
  readonly system: string | null;
  readonly pid: number;
  readonly admitted: boolean;
  readonly read_only: boolean;
}

/**
 * Prepares a new connection: checks that it is to the primary, sets up the session, and takes the lock. This takes two
 * round trips if the lock is free.
 *
 * @param patience milliseconds to wait for the lock
 * @throws StoreError `unavailable` if the server is a standby, or while an exclusive command runs; `misuse` if servers
 * are connected, or if the role or the database is unsuitable; pg.DatabaseError
 */
export async function admit(
  client: pg.ClientBase,
  target: Target,
  hostName: string,
  admission: Admission,
  limits = target.limits,
  patience = defaultPatience,
): Promise<void> {
  const { hosts, schema, where } = target;
  await startSession(client, target);
  const settings = sessionSettings(limits, schema, admission === 'reader');
  const row = await readAdmitted(
    client,
    [
      ...[`${locks[admission]} as admitted`, 'pg_backend_pid() as pid', unchangeable, isServerReadOnly],
      ...settings,
    ].join(', '),
  );
  if (row.read_only && admission !== 'reader') throw acceptsNoWrites(hostName);
  hosts.demandPrimary(hostName, row.standby, row.timeline, row.system);
  demandSession(row, where);
  // The process id that a pooler reports to its client is not that of a PostgreSQL process.
  if (row.pid !== processIdOf(client) && hosts.isUnchecked(hostName)) {
    const second = () => openBare(target, hostName);
    await refuseSharedSessions(client, row.pid, second, { where, patience: sessionPatience(target) });
    hosts.acceptPooler(hostName);
  }
  if (row.admitted) return;
  const until = performance.now() + patience;
  while (performance.now() < until) {
    await delay(100);
    const { rows: again } = await client.query(`select ${locks[admission]} as admitted`);
    if (again[0].admitted === true) return;
  }
  throw admission === 'server'
    ? commandIsRunning(target)
    : serversAreConnected(target, (await client.query(lockHolders)).rows);
}

/**
 * Returns the time limit of the first statement in milliseconds. It is exceeded only if a pooler has no session for the
 * connection. The limit is short, so that waiting requests still have time to try another connection.
 */
function sessionPatience({ config }: Target): number {
  return (config.connectionTimeoutMillis ?? 0) / 2;
}

/** @throws StoreError `unavailable` if a pooler accepted the connection but has no session for it */
async function startSession(client: pg.ClientBase, target: Target): Promise<void> {
  const { where } = target;
  const started: pg.QueryConfig & { query_timeout: number } = {
    text: sessionStart,
    query_timeout: sessionPatience(target),
  };
  try {
    await client.query(started);
  } catch (error) {
    if (error instanceof Error && error.message === 'Query read timeout') throw noSession(where);
    throw error;
  }
}

/** Process id of the session, as PostgreSQL or a pooler reported it when the connection was opened. */
function processIdOf(client: pg.ClientBase): unknown {
  return 'processID' in client ? client.processID : undefined;
}

/** Opens a connection without setting up its session. */
async function openBare({ config, hosts }: Target, hostName: string): Promise<pg.Client> {
  const host = hosts.all.find(({ name }) => name === hostName) ?? hosts.current;
  const client = new pg.Client({ ...config, ...hosts.configOf(host) });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function readAdmitted(
  client: pg.ClientBase,
  taken: string,
  [role = '', ...others] = roles,
): Promise<Admitted> {
  try {
    const { rows } = await client.query(`select pg_is_in_recovery() as standby, ${role}, ${taken}`);
    return rows[0];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || others.length === 0) throw error;
    return await readAdmitted(client, taken, others);
  }
}

function acceptsNoWrites(hostName: string): StoreError {
  return new StoreError(
    'unavailable',
    `${hostName} accepts no writes: default_transaction_read_only is on in its configuration.`,
    { native: readOnlyServer },
  );
}

function commandIsRunning({ where }: Target): StoreError {
  return new StoreError(
    'unavailable',
    `A command that cannot run while servers are connected (end-pending, move) is using ${where}. Start the server when the command has completed.`,
  );
}

function serversAreConnected(
  { where }: Target,
  holders: readonly { pid: number; address: string; since: string }[],
): StoreError {
  const byAddress = [...Map.groupBy(holders, ({ address }) => address)].map(
    ([address, [first, ...more]]) =>
      `${address}, since ${first?.since}, PostgreSQL process ${[first, ...more].map((one) => one?.pid).join(' ')}`,
  );
  const from = byAddress.length === 0 ? '' : ` (from ${byAddress.join('; from ')})`;
  return new StoreError(
    'misuse',
    `Servers or other commands are connected to ${where}${from}. Stop them first. PostgreSQL may take a while to notice that a server was killed or its machine is down; in that case, try again later.`,
  );
}

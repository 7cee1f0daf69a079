import pg from 'pg';
import { StoreError } from '../errors.ts';

/** Time limits that the server applies to a connection, in milliseconds; 0 means no limit. */
export interface SessionLimits {
  readonly statement: number;
  /** Time limit of a transaction between two statements. */
  readonly idleTransaction: number;
}

/**
 * Settings of PostgreSQL that Ledger Operations relies on. Roles, databases and URLs may set other values, so
 * each connection sets them itself. They are set by statements, because poolers refuse them as connection
 * parameters.
 */
const fixed: Readonly<Record<string, string>> = {
  // These defaults apply to statements outside of transactions, and to migrations.
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // The statement timeout limits waits for locks. Idle connections of the pool must stay open.
  lock_timeout: '0',
  idle_session_timeout: '0',
  // If a statement fails, for example because of a duplicate key, only its transaction must end.
  exit_on_error: 'off',
  // A statement from which a row security policy would hide rows must fail instead.
  row_security: 'off',
  // Formats of parameters and results.
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  bytea_output: 'hex',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '1',
};

/**
 * This setting is turned off only if a role, a database or a URL turned it on. If the server's configuration turns it
 * on, even later, it stays on: the operator then wants to stop all writes, for example before a switchover.
 */
const readOnly = 'default_transaction_read_only';
/** SQL: whether the configuration of the server forbids writes. It must be evaluated before the session is set up. */
export const isServerReadOnly = `case when current_setting('${readOnly}') = 'on' then
  (select source in ('configuration file', 'command line') from pg_settings where name = '${readOnly}')
  else false end as read_only`;

/** Settings that older versions of PostgreSQL do not have. */
const fixedIfKnown: Readonly<Record<string, string>> = {
  transaction_timeout: '0',
};

/**
 * SQL for the value of `synchronous_commit`: `on` if it is off for the role or the server, so that commits are durable,
 * even if it is turned off later. Other modes are kept, because deployers choose them for standbys.
 */
const durable = "coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on')";

/**
 * The first statements of a connection. The limits and the isolation of the role still apply to the statements that
 * change them, so these are short and read nothing.
 */
export const sessionStart =
  "set statement_timeout = 0; set default_transaction_isolation = 'read committed'; set lock_timeout = 0";

/**
 * Time limits of a role that can end a session before `sessionStart` has changed them, by the SQLSTATE that the client
 * receives. The next connection turns the limit off with a parameter.
 */
const endedBy: Readonly<Record<string, string>> = {
  '57014': 'statement_timeout',
  '57P05': 'idle_session_timeout',
  '25P04': 'transaction_timeout',
};

/** Returns the role's time limit that ended a session; undefined for any other failure. */
export function limitThatEnded(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? endedBy[error.code ?? ''] : undefined;
}

/** Time limits that close the connection. The message with the reason may be lost. */
export const closingLimits = ['idle_session_timeout', 'transaction_timeout'];

/** Whether a connection was closed without a reported reason. */
export function isCutOff(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'EPIPE' || error.message === 'Connection terminated unexpectedly';
}

/**
 * Returns expressions of a SELECT that sets up the session.
 * @param schema becomes the search path; if undefined, the path of the role remains
 */
export function sessionSettings(
  limits: SessionLimits,
  schema: string | undefined,
  isReader: boolean,
): string[] {
  const set = (name: string, value: string) =>
    `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`;
  return [
    ...Object.entries(fixed).map(([name, value]) => set(name, value)),
    ...Object.entries(fixedIfKnown).map(
      ([name, value]) =>
        `case when current_setting('${name}', true) is not null then ${set(name, value)} end`,
    ),
    `case when current_setting('${readOnly}') = 'on' then ${set(readOnly, 'off')} end`,
    set('statement_timeout', String(limits.statement)),
    set('idle_in_transaction_session_timeout', String(limits.idleTransaction)),
    ...(schema === undefined ? [] : [set('search_path', pg.escapeIdentifier(schema))]),
    ...(isReader ? [] : [`set_config('synchronous_commit', ${durable}, false)`]),
  ];
}

/** Expressions for properties of a session that a role cannot change for itself. */
export const unchangeable = `current_setting('session_replication_role') as replication,
  current_setting('server_encoding') as encoding, current_user as role_name`;

export interface Unchangeable {
  readonly replication: string;
  readonly encoding: string;
  readonly role_name: string;
}

/** @throws StoreError `misuse` if the database's encoding or a setting of the role could corrupt data that is stored */
export function demandSession({ replication, encoding, role_name: role }: Unchangeable, where: string): void {
  if (replication === 'replica') {
    throw new StoreError(
      'misuse',
      `session_replication_role is replica for the role ${role} in ${where}, which turns foreign keys off. Reset it: ALTER ROLE ${pg.escapeIdentifier(role)} RESET session_replication_role.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new StoreError(
      'misuse',
      `The encoding of ${where} is ${encoding}, which cannot store every character. Create the database with ENCODING 'UTF8'.`,
    );
  }
}

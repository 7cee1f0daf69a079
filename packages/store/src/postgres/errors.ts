import pg from 'pg';
import { type ConstraintKind, StoreError, type StoreErrorCode, statementHead } from '../errors.ts';

const constraintKinds: Readonly<Record<string, ConstraintKind>> = {
  '23502': 'not-null',
  '23503': 'foreign-key',
  '23505': 'unique',
  '23514': 'check',
};

/** SQLSTATE of a statement that tries to write on a read-only server. */
export const readOnlyServer = '25006';

/** SQLSTATE of a statement in a transaction in which an earlier statement failed. */
export const failedBefore = '25P02';

/** SQLSTATE of a refused connection: the server, the database, the role or a pooler has too many connections. */
export const tooManyConnections = '53300';
/** SQLSTATE of a refusal by a pooler that has no connection to PostgreSQL. */
const unreachable = '08001';

/** SQLSTATE of a wrong password. */
const refusedPassword = '28P01';

/**
 * SQLSTATEs that PostgreSQL would use for refusals by PgBouncer, which reports almost all of them as 08P01, and some as
 * 08003. The first two kinds are temporary: they end when other clients release connections, or when PostgreSQL works
 * again.
 */
const poolerRefusals: readonly (readonly [RegExp, string])[] = [
  [/no more connections allowed|connections exceeded|query_wait_timeout/, tooManyConnections],
  [
    /server_login_retry|cannot connect to server|server login failed|server down|shutting down|pause failed|suspend_timeout/,
    unreachable,
  ],
  [/authentication failed|auth failed|no such user|login rejected/, refusedPassword],
];

/** Returns the SQLSTATE of a failure. For a pooler's refusal, this is the SQLSTATE that PostgreSQL would use. */
export function sqlStateOf({ code = 'unknown', message }: pg.DatabaseError): string {
  if (!code.startsWith('08')) return code;
  return poolerRefusals.find(([text]) => text.test(message))?.[1] ?? code;
}

const codes: Readonly<Record<string, StoreErrorCode>> = {
  // A transaction was idle for too long.
  '25P03': 'unavailable',
  [readOnlyServer]: 'unavailable',
  '40001': 'conflict',
  '40P01': 'conflict',
  '55P03': 'conflict',
  '57014': 'timeout',
};

/** Whether PostgreSQL or a pooler refused the role of a new connection, or its password. */
export function isRefusedRole(error: unknown): boolean {
  return error instanceof pg.DatabaseError && sqlStateOf(error).startsWith('28');
}

/** Message with which `pg` reports a server without TLS. The error has no code. */
const noTls = 'The server does not support SSL connections';
/** The code of this store for a server without TLS, in the style of Node's codes. */
const tlsNotOffered = 'ERR_TLS_NOT_OFFERED';

/** SQLSTATE classes of errors that the statement itself causes. */
const statementClasses = new Set(['0A', '21', '22', '25', '26', '42']);

/**
 * Converts a `pg` error to a StoreError. PostgreSQL's detail is dropped, because it contains values of the row. Its
 * message is dropped, too, except in class 42, where it describes only the statement's text, and for protocol
 * violations.
 */
export function fromPostgresError(error: unknown, sql: string): StoreError {
  if (error instanceof StoreError) return error;
  const head = statementHead(sql);
  if (error instanceof Error && error.message === noTls) {
    const advice = 'Turn on ssl in PostgreSQL, or set sslmode=disable if its network is trusted';
    const message = `PostgreSQL offers no TLS, which sslmode or PGSSLMODE requires. ${advice}: ${head}`;
    return new StoreError('unavailable', message, { native: tlsNotOffered });
  }
  if (!(error instanceof pg.DatabaseError)) {
    const native = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    const reason = native ?? (error instanceof Error ? error.message : 'unknown');
    return new StoreError('unavailable', `The connection to PostgreSQL failed (${reason}): ${head}`, {
      native,
    });
  }
  const native = sqlStateOf(error);
  const constraintKind = constraintKinds[native];
  if (constraintKind !== undefined) {
    const { constraint, table, column } = error;
    const message =
      constraintKind === 'unique'
        ? `A row with the same ${constraint} already exists.`
        : constraintKind === 'not-null'
          ? `Column ${table}.${column} must not be null.`
          : `A ${constraintKind} constraint was violated.`;
    return new StoreError('constraint', message, { constraintKind, constraint, table, column, native });
  }
  // Poolers report the reason in the message.
  const reason = native === error.code ? native : `${native}: ${error.message}`;
  if (isRefusedRole(error)) {
    // pg_hba.conf may refuse a connection because of the client's address, or because the connection is not encrypted.
    const refused =
      native === '28000'
        ? 'the role, its address or its sslmode'
        : 'the role or the password of the database URL';
    return new StoreError('unavailable', `PostgreSQL refuses ${refused} (${reason}): ${head}`, { native });
  }
  if (native !== error.code) {
    const message = `The pooler of PostgreSQL has no connection (${error.message}): ${head}`;
    return new StoreError('unavailable', message, { native });
  }
  const code = codes[native] ?? (statementClasses.has(native.slice(0, 2)) ? 'statement' : 'unavailable');
  // For a refused parameter, a pooler's message names the parameter.
  const isDescribed = native.startsWith('42') || native === '08P01';
  const described = isDescribed ? `${native}: ${error.message}` : native;
  return new StoreError(code, `PostgreSQL rejected a statement (${described}): ${head}`, { native });
}

/** Whether the connection cannot be used after this error. */
export function breaksConnection(error: StoreError): boolean {
  // Unlike a SQLSTATE, which has five characters, these codes are longer (ECONNRESET) or missing (errors of pg itself).
  return (
    error.code === 'unavailable' && (error.native?.length !== 5 || /^(08|57P|25P03|25006)/.test(error.native))
  );
}

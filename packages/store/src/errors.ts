/** Kind of a database failure. The codes are the same in both dialects. */
export type StoreErrorCode =
  /** The database cannot be reached, the connection broke, or a write failed (disk full, I/O error). */
  | 'unavailable'
  /** A serialization failure or deadlock that retries did not resolve. */
  | 'conflict'
  /** A constraint of the schema was violated. */
  | 'constraint'
  /** A statement exceeded its timeout. */
  | 'timeout'
  /** A newer version of Ledger Operations migrated the database. */
  | 'newer-schema'
  /** A database that is opened only for reading has the schema of an older version. */
  | 'older-schema'
  /** The database's migrations differ from those of this version. */
  | 'foreign-schema'
  /** The database was moved, or an unfinished move is still filling it. */
  | 'moved'
  /** The database contains no installation. */
  | 'no-installation'
  /** The current schema has no installation, but another schema of the same PostgreSQL database has one. */
  | 'other-schema'
  /** Another server has opened the SQLite file. */
  | 'locked'
  /** The statement itself is invalid. */
  | 'statement'
  /** The caller broke a rule of the store, or used it after it was closed. */
  | 'misuse';

/** Kind of the violated constraint; `unique` includes primary keys. */
export type ConstraintKind = 'unique' | 'not-null' | 'foreign-key' | 'check';

export interface StoreErrorDetails {
  readonly constraintKind?: ConstraintKind | undefined;
  /** Name of the violated index or key in the schema. */
  readonly constraint?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  /** The SQLSTATE, or SQLite's result code. */
  readonly native?: string | undefined;
}

/**
 * Every failure of the store. The error never contains parameter values, which may be secrets, or a password from a
 * URL. Driver errors contain both, so its cause is not a driver error.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  readonly constraintKind: ConstraintKind | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;
  readonly native: string | undefined;

  constructor(code: StoreErrorCode, message: string, details: StoreErrorDetails = {}) {
    super(message);
    this.code = code;
    this.constraintKind = details.constraintKind;
    this.constraint = details.constraint;
    this.table = details.table;
    this.column = details.column;
    this.native = details.native;
  }
}

/**
 * Whether the error is the violation of a unique index or primary key, in either dialect.
 * @param indexName if present, the violation must be of this index or key
 */
export function isUniqueViolation(error: unknown, indexName?: string): error is StoreError {
  return (
    error instanceof StoreError &&
    error.code === 'constraint' &&
    error.constraintKind === 'unique' &&
    (indexName === undefined || error.constraint === indexName)
  );
}

/**
 * SQLSTATEs of a refused role (28), a refused parameter (08P01) and a missing database (3D000), and codes for
 * certificates that are not accepted.
 */
const settingFaults = /^28...$|^08P01$|^3D000$|CERT|TLS|UNABLE_TO_/;
/** SQLite's result codes for a disk that is full or does not work. */
const deviceFaults = /^SQLITE_(FULL|IOERR|NOMEM)/;

/**
 * Whether a wrong setting is the reason why the database could not be opened, so that waiting does not help. False if
 * PostgreSQL cannot be reached, is starting, or has no free connection, or if a disk is full.
 */
export function isSettingFault({ code, native = '' }: StoreError): boolean {
  if (native.startsWith('SQLITE_')) return !deviceFaults.test(native);
  if (code === 'unavailable') return settingFaults.test(native);
  return code !== 'timeout' && code !== 'conflict';
}

/**
 * Returns the beginning of a statement, for messages. It cannot contain values, because statements contain placeholders
 * instead.
 */
export function statementHead(sql: string): string {
  const text = sql.replace(/\s+/g, ' ').trim();
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

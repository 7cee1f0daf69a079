/** A failure of the database, the same in both dialects. */
export type StoreErrorCode =
  /** The database cannot be reached, broke off, or cannot write (disk full, I/O). */
  | 'unavailable'
  /** Serialization failure or deadlock that repeating did not resolve. */
  | 'conflict'
  /** A constraint of the schema was violated. */
  | 'constraint'
  /** A statement took longer than it may. */
  | 'timeout'
  /** The database was made by a newer version of this software. */
  | 'newer-schema'
  /** The database was made by an older version, and was to be read only. */
  | 'older-schema'
  /** The database's migrations are not those of this software. */
  | 'foreign-schema'
  /** The database's content is at another place now, or is not whole yet: a move of it has ended, or not. */
  | 'moved'
  /** Another server has the SQLite file open. */
  | 'locked'
  /** The statement itself is wrong. */
  | 'statement'
  /** The store was used against its rules, or after it was closed. */
  | 'misuse';

/** Which kind of constraint was violated; a primary key counts as unique. */
export type ConstraintKind = 'unique' | 'not-null' | 'foreign-key' | 'check';

/** Everything but the message. */
export interface StoreErrorDetails {
  readonly constraintKind?: ConstraintKind | undefined;
  /** Name of the violated index or key, as in the schema. */
  readonly constraint?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  /** SQLSTATE or SQLite's result code. */
  readonly native?: string | undefined;
}

/**
 * Every failure of the store. Carries no parameter values (they hold secrets), no password of a URL, and no
 * driver error as its cause: those do.
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

/** Whether a unique index or primary key was violated, optionally the one of that name; the same in both dialects. */
export function isUniqueViolation(error: unknown, indexName?: string): error is StoreError {
  return (
    error instanceof StoreError &&
    error.code === 'constraint' &&
    error.constraintKind === 'unique' &&
    (indexName === undefined || error.constraint === indexName)
  );
}

/** The head of a statement, for messages: texts hold placeholders, never values. */
export function statementHead(sql: string): string {
  const text = sql.replace(/\s+/g, ' ').trim();
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

import Database from 'better-sqlite3';
import { StoreError, statementHead } from '../errors.ts';
import type { Catalogue } from '../schema/catalogue.ts';

/** Converts a SQLite error to a StoreError. SQLite's messages contain names of tables and columns, but no values. */
export function fromSqliteError(error: unknown, sql: string, catalogue: Catalogue): StoreError {
  if (error instanceof StoreError) return error;
  const head = statementHead(sql);
  if (!(error instanceof Database.SqliteError)) {
    // better-sqlite3 reports a wrong number or type of parameters with plain errors. Their messages contain no values.
    const reason = error instanceof Error ? error.message : 'unknown';
    return new StoreError('statement', `SQLite rejected a statement (${reason}): ${head}`);
  }
  const native = error.code;
  if (native.startsWith('SQLITE_CONSTRAINT')) return constraintError(error.message, native, catalogue);
  if (native.startsWith('SQLITE_BUSY') || native.startsWith('SQLITE_LOCKED')) {
    return new StoreError('unavailable', `The SQLite file is locked by another program: ${head}`, {
      native,
    });
  }
  if (native.startsWith('SQLITE_READONLY')) {
    return new StoreError('misuse', `A write was sent to a read-only connection: ${head}`, { native });
  }
  if (native === 'SQLITE_ERROR' || native === 'SQLITE_RANGE' || native === 'SQLITE_MISMATCH') {
    return new StoreError('statement', `SQLite rejected a statement (${error.message}): ${head}`, { native });
  }
  return new StoreError('unavailable', `SQLite failed (${native}: ${error.message}): ${head}`, { native });
}

function constraintError(message: string, native: string, catalogue: Catalogue): StoreError {
  const subject = message.slice(message.indexOf('failed:') + 7).trim();
  if (native === 'SQLITE_CONSTRAINT_UNIQUE' || native === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    const columns = subject.split(', ').map((part) => part.split('.'));
    const table = columns[0]?.[0];
    const names = columns.map((parts) => parts[1] ?? '').join(',');
    const named = /^index '(.*)'$/.exec(subject)?.[1];
    const constraint = named ?? catalogue.get(table ?? '')?.unique.get(names);
    return new StoreError('constraint', `A row with the same ${constraint ?? subject} already exists.`, {
      constraintKind: 'unique',
      constraint,
      table: named === undefined ? table : undefined,
      native,
    });
  }
  if (native === 'SQLITE_CONSTRAINT_NOTNULL') {
    const [table, column] = subject.split('.');
    return new StoreError('constraint', `Column ${subject} must not be null.`, {
      constraintKind: 'not-null',
      table,
      column,
      native,
    });
  }
  const kind = native === 'SQLITE_CONSTRAINT_FOREIGNKEY' ? 'foreign-key' : 'check';
  return new StoreError('constraint', `A ${kind} constraint was violated.`, { constraintKind: kind, native });
}

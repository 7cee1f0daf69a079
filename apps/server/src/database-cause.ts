import type { StoreError } from '@ledger-ops/store';

/** Native error codes of the database, and their meaning for callers. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/^(SQLITE_FULL|ENOSPC|53100)/, 'The disk of the database is full.'],
  [/^(SQLITE_IOERR|58030)/, 'The disk of the database does not work.'],
  [/^SQLITE_(BUSY|LOCKED)/, 'Another program locks the database.'],
  [/^25006$/, 'The database server became read-only.'],
  [/^53300$/, 'The database has no free connection.'],
  [/^08001$/, 'A pooler in front of the database cannot connect to it.'],
  [/^28/, 'The database refuses the role or the password of this service.'],
  [/^57P0[123]$/, 'The database is stopping or starting.'],
];

/** Returns a sentence for callers about why the database does not work. It names no host, statement or value. */
export function databaseCause({ native = '' }: StoreError): string {
  return causes.find(([code]) => code.test(native))?.[1] ?? 'The database cannot be reached.';
}

import type { Migration } from '../src/migrations.ts';

/**
 * Returns the statements that would break servers of the previous version, not counting the initial migration. New
 * tables, columns that are nullable or have a default, plain indexes, and unique indexes on new tables are allowed.
 */
export function notAdditive(migrations: readonly Pick<Migration, 'number' | 'statements'>[]): string[] {
  return migrations.slice(1).flatMap(({ statements }) => {
    const made = new Set(statements.flatMap((text) => /^CREATE TABLE (\S+)/i.exec(text)?.[1] ?? []));
    return statements.filter((text) => !isAdditive(text.replace(/;$/, ''), made));
  });
}

const table = /^CREATE TABLE \S+ \([^;]*\)$/i;
const plainIndex = /^CREATE INDEX [^;]*$/i;
const uniqueIndex = /^CREATE UNIQUE INDEX \S+ ON (\S+) [^;]*$/i;
const column = /^ALTER TABLE \S+ ADD (?:COLUMN )?\S+ [^;]*$/i;

function isAdditive(text: string, made: ReadonlySet<string>): boolean {
  if (table.test(text) || plainIndex.test(text)) return true;
  const indexed = uniqueIndex.exec(text)?.[1];
  if (indexed !== undefined) return made.has(indexed);
  if (!column.test(text) || /\b(?:UNIQUE|PRIMARY|REFERENCES|CHECK|CONSTRAINT)\b/i.test(text)) return false;
  return !/\bNOT NULL\b/i.test(text) || /\bDEFAULT\b/i.test(text);
}

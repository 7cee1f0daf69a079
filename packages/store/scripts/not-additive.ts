import type { Migration } from '../src/migrations.ts';

/**
 * Statements of migrations, without the initial one, after which a server of the version before could not go on: all but
 * new tables, new columns that it need not know of, and new indexes that refuse nothing which it writes.
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

import type { Queries } from '@ledger-ops/store';

/** Column types that both dialects read from JSON without loss: strings and safe integers. */
type ColumnType = 'text' | 'bigint';

/**
 * Converts a JSON array in one parameter to rows with the alias `j`. One statement then handles a whole batch
 * in both dialects. Null stays null.
 */
export function rowset(
  dialect: Queries['dialect'],
  parameter: string,
  columns: Record<string, ColumnType>,
): string {
  if (dialect === 'postgres') {
    const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
    return `jsonb_to_recordset(${parameter}::jsonb) AS j(${list.join(', ')})`;
  }
  const list = Object.keys(columns).map((name) => `value ->> '${name}' AS ${name}`);
  return `(SELECT ${list.join(', ')} FROM json_each(${parameter})) AS j`;
}

/** Returns a JSON array of strings in one parameter, as the right side of IN. */
export function textList(dialect: Queries['dialect'], parameter: string): string {
  return dialect === 'postgres'
    ? `(SELECT jsonb_array_elements_text(${parameter}::jsonb))`
    : `(SELECT value FROM json_each(${parameter}))`;
}

/**
 * SQL condition: the column equals one of the strings in a JSON array, which is passed as one parameter. On
 * PostgreSQL, the array is converted: `= ANY (ARRAY…)` uses an index, but `IN (SELECT …)` scans the whole
 * table, because the planner cannot estimate its size.
 */
export function among(dialect: Queries['dialect'], column: string, parameter: string): string {
  const list = textList(dialect, parameter);
  return dialect === 'postgres' ? `${column} = ANY (ARRAY${list})` : `${column} IN ${list}`;
}

/** Lock on a table's rows for a later update in the same transaction. SQLite has only one writer and needs none. */
export function forUpdateOf(dialect: Queries['dialect'], table: string): string {
  return dialect === 'postgres' ? ` FOR UPDATE OF ${table}` : '';
}

/** Row lock that blocks concurrent changes until the commit. SQLite has only one writer and needs none. */
export function forShare(dialect: Queries['dialect']): string {
  return dialect === 'postgres' ? ' FOR SHARE' : '';
}

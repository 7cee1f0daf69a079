import type { Queries } from '@ledger-ops/store';

/** Column types that both dialects read from JSON without loss. `bigint` is for safe integers only. */
type ColumnType = 'text' | 'bigint';

/**
 * Converts a JSON array in one parameter to rows with the alias `j`. One statement can then process a whole batch in
 * both dialects. A JSON null becomes NULL.
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

/** SQL: a JSON array of strings, passed as one parameter, in a form that can follow IN. */
export function textList(dialect: Queries['dialect'], parameter: string): string {
  return dialect === 'postgres'
    ? `(SELECT jsonb_array_elements_text(${parameter}::jsonb))`
    : `(SELECT value FROM json_each(${parameter}))`;
}

/**
 * SQL condition: the column equals one of the strings in a JSON array, which is passed as one parameter. On PostgreSQL,
 * the JSON array is converted to an SQL array: `= ANY (ARRAY…)` uses an index, but `IN (SELECT …)` scans the whole
 * table, because the planner cannot estimate the size of the list.
 */
export function among(dialect: Queries['dialect'], column: string, parameter: string): string {
  const list = textList(dialect, parameter);
  return dialect === 'postgres' ? `${column} = ANY (ARRAY${list})` : `${column} IN ${list}`;
}

/**
 * Clause that locks rows of a table for a later update in the same transaction. Empty on SQLite, which has only one
 * writer.
 */
export function forUpdateOf(dialect: Queries['dialect'], table: string): string {
  return dialect === 'postgres' ? ` FOR UPDATE OF ${table}` : '';
}

/**
 * Clause that blocks concurrent changes of the selected rows until the commit. Empty on SQLite, which has only one
 * writer.
 */
export function forShare(dialect: Queries['dialect']): string {
  return dialect === 'postgres' ? ' FOR SHARE' : '';
}

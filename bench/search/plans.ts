import type { Queries, SqlValue, Store } from '@ledger-ops/store';

/** An executed statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Rows that query plans read, and pages that they read from memory or disk. Neither number depends on the machine. */
export interface PlanCost {
  readonly rows: number;
  readonly pages: number;
}

/** The members of PostgreSQL's JSON plans that are used here. Counts are averages per loop. */
interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** Wraps the store and records each reading statement. */
export function watched(of: Store, statements: Statement[]): Store {
  const all: Queries['all'] = (sql, params = []) => {
    statements.push({ sql, params });
    return of.read.all(sql, params);
  };
  return Object.assign(Object.create(of), { read: Object.assign(Object.create(of.read), { all }) });
}

/** Returns lines for printing: each statement, and its plan. */
export async function plansOf(read: Queries, statements: readonly Statement[]): Promise<string[]> {
  const plans: string[] = [];
  const explain = read.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF)';
  for (const { sql, params } of statements) {
    const rows = await read.all<{ detail: string; 'QUERY PLAN': string }>(`${explain} ${sql}`, params);
    plans.push(`    ${sql.replaceAll(/\s+/g, ' ').slice(0, 160)}`);
    plans.push(...rows.map((row) => `        ${row.detail ?? row['QUERY PLAN']}`));
  }
  return plans;
}

/** Runs statements on PostgreSQL again with EXPLAIN. Returns the sums of rows and pages. */
export async function costOf(read: Queries, statements: readonly Statement[]): Promise<PlanCost> {
  const total = { rows: 0, pages: 0 };
  for (const { sql, params } of statements) {
    const rows: readonly object[] = await read.all(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${sql}`,
      params,
    );
    // The result is one row. The driver has already parsed its JSON.
    const [{ 'QUERY PLAN': explained } = { 'QUERY PLAN': [] }] = rows as {
      'QUERY PLAN': { Plan: PlanNode }[];
    }[];
    const [found] = explained;
    if (found === undefined) throw new TypeError('PostgreSQL returned no plan for a statement.');
    const { Plan: plan } = found;
    total.rows += rowsOf(plan);
    total.pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  return total;
}

function rowsOf(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), 0);
  if (node['Relation Name'] === undefined) return below;
  const each =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return below + Math.round(each * node['Actual Loops']);
}

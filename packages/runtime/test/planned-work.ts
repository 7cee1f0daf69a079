import type { Queries, Store } from '@ledger-ops/store';

/** The row counts of a node in a PostgreSQL query plan. */
interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Wraps a PostgreSQL store. `work` returns the number of rows that reads have processed since its last call, according
 * to their query plans.
 */
export function withWork(store: Store): { store: Store; work(): Promise<number> } {
  const statements: { sql: string; params: readonly unknown[] }[] = [];
  const all: Queries['all'] = (sql, params = []) => {
    statements.push({ sql, params });
    return store.read.all(sql, params);
  };
  const read = Object.assign(Object.create(store.read), { all });
  return {
    store: Object.assign(Object.create(store), { read }),
    async work() {
      let sum = 0;
      for (const { sql, params } of statements.splice(0)) {
        const rows: readonly object[] = await store.read.all(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
          Array.from(params, String),
        );
        // EXPLAIN returns one row, whose JSON the driver has parsed.
        const [{ 'QUERY PLAN': plans } = { 'QUERY PLAN': [] }] = rows as {
          'QUERY PLAN': { Plan: PlanNode }[];
        }[];
        const [explained] = plans;
        if (explained === undefined) throw new TypeError('PostgreSQL returned no query plan.');
        sum += workOf(explained.Plan);
      }
      return sum;
    },
  };
}

function workOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  const below = (node.Plans ?? []).reduce((sum, one) => sum + workOf(one), 0);
  return below + (node['Actual Rows'] + removed) * node['Actual Loops'];
}

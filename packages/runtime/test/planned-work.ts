import type { Queries, Store } from '@ledger-ops/store';

/** Of a plan: rows that were read, and pairs of rows that were compared and did not match. */
interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A store of PostgreSQL whose statements that read are noted, and the work of their plans: rows, whatever the machine does. */
export function withWork(store: Store): { store: Store; work(): Promise<number> } {
  const asked: { sql: string; params: readonly unknown[] }[] = [];
  const all: Queries['all'] = (sql, params = []) => {
    asked.push({ sql, params });
    return store.read.all(sql, params);
  };
  const read = Object.assign(Object.create(store.read), { all });
  return {
    store: Object.assign(Object.create(store), { read }),
    async work() {
      let sum = 0;
      for (const { sql, params } of asked.splice(0)) {
        const rows: readonly object[] = await store.read.all(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
          Array.from(params, String),
        );
        // One row, of which the driver has read the JSON already.
        const [{ 'QUERY PLAN': plans } = { 'QUERY PLAN': [] }] = rows as {
          'QUERY PLAN': { Plan: PlanNode }[];
        }[];
        const [explained] = plans;
        if (explained === undefined) throw new TypeError('PostgreSQL explains each statement.');
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

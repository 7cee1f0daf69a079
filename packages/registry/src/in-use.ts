import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';

/** The counts that are not zero, in words. */
export function usesInWords(counts: readonly (readonly [number, string, string])[]): string[] {
  return counts.flatMap(([count, one, many]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`],
  );
}

/** A refusal to delete. @throws Problem `in-use` when there are uses */
export function refuseInUse(what: string, uses: readonly string[], advice: string): void {
  if (uses.length === 0) return;
  throw new Problem('in-use', `${what} is in use by ${uses.join(', ')}. ${advice}`, {
    extensions: { usedBy: uses },
  });
}

/** How many rows there are. */
export async function countWhere(
  queries: Queries,
  table: string,
  column: string,
  value: string,
): Promise<number> {
  const [row] = await queries.all<{ n: number }>(`select count(*) as n from ${table} where ${column} = $1`, [
    value,
  ]);
  return Number(row?.n ?? 0);
}

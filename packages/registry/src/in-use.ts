import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';

/** Describes the counts that are not zero, such as `2 wallets`. */
export function usesInWords(counts: readonly (readonly [number, string, string])[]): string[] {
  return counts.flatMap(([count, one, many]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? one : many}`],
  );
}

/**
 * Rejects the deletion of a record in use.
 * @throws Problem `in-use` if there are uses
 */
export function refuseInUse(what: string, uses: readonly string[], advice: string): void {
  if (uses.length === 0) return;
  throw new Problem('in-use', `${what} is in use by ${uses.join(', ')}. ${advice}`, {
    extensions: { usedBy: uses },
  });
}

/** Counts the rows whose column has the value. */
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

import { sql } from 'drizzle-orm';
import { StoreError } from './errors.ts';
import type { Tx } from './types.ts';

/**
 * Reserves `count` consecutive ids of the counter `name` and returns the first. Ids start at 1. A rollback makes them
 * available again. On PostgreSQL the counter's row stays locked until the transaction ends.
 */
export async function nextId(tx: Tx, name: string, count = 1): Promise<number> {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new StoreError('misuse', `nextId requires a count of at least 1, not ${count}.`);
  }
  const { counter } = tx.t;
  const [row] = await tx.db
    .insert(counter)
    .values({ name, value: count })
    .onConflictDoUpdate({ target: counter.name, set: { value: sql`${counter.value} + ${count}` } })
    .returning({ value: counter.value });
  if (row === undefined) throw new StoreError('statement', `The counter ${name} returned no row.`);
  return row.value - count + 1;
}

import { sql } from 'drizzle-orm';
import { StoreError } from './errors.ts';
import type { Tx } from './types.ts';

/**
 * Takes `count` ids of the counter `name` and answers the first; the rest follow without gaps. Ids start at 1.
 * Taken in the transaction: a rollback gives them back, and on PostgreSQL others wait for the row until then.
 */
export async function nextId(tx: Tx, name: string, count = 1): Promise<number> {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new StoreError('misuse', `nextId takes a count of at least 1, not ${count}.`);
  }
  const { counter } = tx.t;
  const [row] = await tx.db
    .insert(counter)
    .values({ name, value: count })
    .onConflictDoUpdate({ target: counter.name, set: { value: sql`${counter.value} + ${count}` } })
    .returning({ value: counter.value });
  if (row === undefined) throw new StoreError('statement', `The counter ${name} answered no row.`);
  return row.value - count + 1;
}

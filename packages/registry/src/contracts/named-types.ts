import { nextId, type Queries, type Tx } from '@ledger-ops/store';
import { and, eq, inArray } from 'drizzle-orm';

/** Returns the numeric ids of names in deprecated records. A new name gets the next number. */
export async function numberNames(
  tx: Tx,
  scope: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  const { namedType } = tx.t;
  const known = await namesOf(tx, scope, names);
  for (const name of new Set(names)) {
    if (known.has(name)) continue;
    await tx.db
      .insert(namedType)
      .values({ id: await nextId(tx, 'named_type'), scope, name })
      .onConflictDoNothing({ target: [namedType.scope, namedType.name] });
  }
  return await namesOf(tx, scope, names);
}

/** Returns the numeric ids of the names that already have one. */
export async function namesOf(
  queries: Queries,
  scope: string,
  names: readonly string[],
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const { namedType } = queries.t;
  const rows = await queries.db
    .select()
    .from(namedType)
    .where(and(eq(namedType.scope, scope), inArray(namedType.name, [...new Set(names)])));
  return new Map(rows.map(({ id, name }) => [name, id]));
}

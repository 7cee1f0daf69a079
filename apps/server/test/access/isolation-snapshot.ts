import type { Installation } from '../stage/api.ts';

/** Tables whose rows change although no record changes, each with a description of its rows. */
const moving: Readonly<Record<string, string>> = {
  counter: 'counters of ids and versions',
  idempotency: 'stored responses of callers',
};

/**
 * Columns to ignore, because they change without a request: `seq` is assigned when a stream first reads past
 * a timeline record; `owned_until` is a subscription's lease.
 */
const movingColumns: ReadonlySet<string> = new Set(['seq', 'owned_until']);

/** Returns every row of the database that contains one of these strings, by table. */
export async function rowsAbout(
  { server: { store } }: Installation,
  texts: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const tables = await store.read.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  const wanted = [...new Set(texts)].filter((text) => text.length > 6);
  const found = new Map<string, readonly string[]>();
  for (const { name } of tables) {
    if (moving[name] !== undefined) continue;
    const rows = await store.read.all(`SELECT * FROM "${name}"`);
    const about = rows
      .map((row) => JSON.stringify(row, (key, value) => (movingColumns.has(key) ? undefined : value)))
      .filter((row) => wanted.some((text) => row.includes(text)))
      .toSorted();
    found.set(name, about);
  }
  return found;
}

/** Returns the rows that exist only in the first or only in the second snapshot. */
export function changesOf(
  before: ReadonlyMap<string, readonly string[]>,
  after: ReadonlyMap<string, readonly string[]>,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((table) => {
    const [had, has] = [new Set(before.get(table)), new Set(after.get(table))];
    return [
      ...[...had].filter((row) => !has.has(row)).map((row) => `${table} lost ${row.slice(0, 400)}`),
      ...[...has].filter((row) => !had.has(row)).map((row) => `${table} got ${row.slice(0, 400)}`),
    ];
  });
}

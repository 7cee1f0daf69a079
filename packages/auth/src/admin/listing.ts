import type { ListResult, Paging } from '@ledger-ops/base';
import { type Listing, listPage, type Queries } from '@ledger-ops/store';
import type { PgTable } from 'drizzle-orm/pg-core';

/** A listing of the administration: its table, and how rows become records. */
export interface RecordListing<T extends PgTable, Item> extends Listing<T> {
  readonly present: (rows: T['$inferSelect'][]) => Promise<Item[]>;
}

/**
 * Returns one page of records.
 *
 * @throws Problem `invalid-request` with the pointer `sort`
 */
export async function listRecords<T extends PgTable, Item>(
  queries: Queries,
  listing: RecordListing<T, Item>,
  paging: Paging,
): Promise<ListResult<Item>> {
  const { items, total } = await listPage(queries, listing, paging);
  return { items: await listing.present(items), total };
}

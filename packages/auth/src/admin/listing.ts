import { type PageBody, type Paging, pageBody } from '@ledger-ops/base';
import { type Listing, listPage, type Queries } from '@ledger-ops/store';
import type { PgTable } from 'drizzle-orm/pg-core';

/** A listing of the administration: its page type, its table, and how rows become records. */
export interface RecordListing<T extends PgTable, Item> extends Listing<T> {
  readonly contentType: string;
  readonly present: (rows: T['$inferSelect'][]) => Promise<Item[]>;
}

/**
 * One page of records in its envelope.
 *
 * @throws Problem `invalid-request` with the pointer `sort`
 */
export async function listRecords<T extends PgTable, Item>(
  queries: Queries,
  listing: RecordListing<T, Item>,
  paging: Paging,
): Promise<PageBody<Item>> {
  const { items, total } = await listPage(queries, listing, paging);
  return pageBody(listing.contentType, paging, total, await listing.present(items));
}

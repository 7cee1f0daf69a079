import { longestContent } from '@ledger-ops/adapter';

/** Maximum number of characters stored per event: of its content (see `withoutLongContent`), its ids and its names. */
export const mostEventCharacters = longestContent + 32_768;
/**
 * Storage that each event needs in addition to its content, as measured: its row, its timeline record and their
 * indexes. It is counted so that many small events do not use more storage than the limits allow.
 */
export const bytesOfRows = 1_024;

/** Maximum number of bytes of events per page. */
export const mostPageBytes = 1_048_576;

/** Returns the number of bytes that these events are counted as when they are stored. */
export function storedBytes(events: readonly { readonly data: string }[]): number {
  return events.reduce((sum, { data }) => sum + Buffer.byteLength(data) + bytesOfRows, 0);
}

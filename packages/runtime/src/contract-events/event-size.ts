import { longestContent } from '@ledger-ops/adapter';

/** Maximum number of characters stored per event: its content (see `withoutLongContent`), and its ids and names. */
export const mostEventCharacters = longestContent + 32_768;
/**
 * Measured overhead of an event in bytes: its row, its timeline record and their indexes. Counted so that
 * many small events do not use more storage than the limits allow.
 */
export const bytesOfRows = 1_024;

/** Maximum number of bytes of events per page. */
export const mostPageBytes = 1_048_576;

/** Returns the number of bytes that storing these events costs, given their data as JSON. */
export function storedBytes(events: readonly { readonly data: string }[]): number {
  return events.reduce((sum, { data }) => sum + Buffer.byteLength(data) + bytesOfRows, 0);
}

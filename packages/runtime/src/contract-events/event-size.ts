import { longestContent } from '@ledger-ops/adapter';

/** Maximum number of characters stored per event: its content (see `withoutLongContent`), and its ids and names. */
export const mostEventCharacters = longestContent + 32_768;
/** Maximum number of bytes of events per page. */
export const mostPageBytes = 1_048_576;

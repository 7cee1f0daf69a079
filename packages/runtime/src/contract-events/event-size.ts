import { longestContent } from '@ledger-ops/adapter';

/** Maximum characters stored per event: its content (see `withoutLongContent`), and its ids and names. */
export const mostEventCharacters = longestContent + 32_768;
/** Maximum bytes of events per page. */
export const mostPageBytes = 1_048_576;

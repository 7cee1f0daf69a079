import type { DeliveryFilter } from '../api/webhooks.ts';
import { filled } from '../lib/filled.ts';

const statuses = ['PENDING', 'DELIVERED', 'DEAD'] as const;

/** Reads the filter from the page's address and ignores invalid values. */
export function readDeliveryFilter(search: Record<string, unknown>): DeliveryFilter {
  const status = statuses.find((one) => one === search.status);
  // The router parses a numeric cursor as a number.
  return filled({ status, cursor: search.cursor === undefined ? '' : String(search.cursor) });
}

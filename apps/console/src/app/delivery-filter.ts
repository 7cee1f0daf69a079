import type { DeliveryFilter } from '../api/webhooks.ts';

const statuses = ['PENDING', 'DELIVERED', 'DEAD'] as const;

/** Reads the filter in an address; what is none is left out. */
export function readDeliveryFilter(search: Record<string, unknown>): DeliveryFilter {
  const status = statuses.find((one) => one === search.status);
  // The router reads numbers as such.
  const cursor = search.cursor === undefined ? '' : String(search.cursor);
  return { ...(status === undefined ? {} : { status }), ...(cursor === '' ? {} : { cursor }) };
}

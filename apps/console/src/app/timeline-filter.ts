import { resourceTypes } from '@ledger-ops/client/text';
import { spans, type TimelineFilter } from '../api/timeline.ts';
import { filled } from '../lib/filled.ts';

/** Reads the filter from the page's address and ignores invalid values. */
export function readTimelineFilter(search: Record<string, unknown>): TimelineFilter {
  const type = resourceTypes.find((one) => one === search.type);
  const days = spans.find((one) => String(one) === String(search.days));
  return filled({ type, days });
}

import { resourceTypes, spans, type TimelineFilter } from '../api/timeline.ts';

/** Reads the filter in an address; what is none is left out. */
export function readTimelineFilter(search: Record<string, unknown>): TimelineFilter {
  const type = resourceTypes.find((one) => one === search.type);
  const days = spans.find((one) => String(one) === String(search.days));
  return { ...(type === undefined ? {} : { type }), ...(days === undefined ? {} : { days }) };
}

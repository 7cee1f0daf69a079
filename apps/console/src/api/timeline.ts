import type { Activity, resourceTypes } from '@ledger-ops/client/text';
import { queryOptions } from '@tanstack/react-query';
import { get } from './client.ts';
import type { Schemas } from './types.ts';

type Page = Schemas['AdminActivityPage'];

/** Selectable periods, in days. */
export const spans = [1, 7, 30] as const;

/** The page's filter, as in its address. Without a type, all types are shown. */
export interface TimelineFilter {
  readonly type?: (typeof resourceTypes)[number];
  readonly days?: (typeof spans)[number];
}

/** The newest changes of the period, newest first. */
export interface Newest {
  readonly activities: readonly Activity[];
  /** Whether older changes exist that were not loaded. */
  readonly hasMore: boolean;
}

const most = 200;
/**
 * Maximum number of pages to request. The service hides changes that the user may not see, so a page can be short or
 * empty.
 */
const mostRequests = 5;

export const timelineQuery = ({ type, days = 1 }: TimelineFilter) =>
  queryOptions({
    queryKey: ['timeline', type, days],
    refetchInterval: 15_000,
    async queryFn({ signal }): Promise<Newest> {
      const from = new Date(Date.now() - days * 86_400_000).toISOString();
      const query = { from, resourceType: type, order: 'newest', size: 100 };
      const activities: Activity[] = [];
      let cursor: string | undefined;
      for (let asked = 0; asked < mostRequests && activities.length < most; asked += 1) {
        const page: Page = await get('/v1/admin/timeline', { ...query, cursor }, signal);
        activities.push(...page.items);
        if (page.next === null) return { activities, hasMore: false };
        cursor = page.next;
      }
      return { activities, hasMore: true };
    },
  });

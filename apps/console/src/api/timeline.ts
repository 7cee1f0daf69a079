import { queryOptions } from '@tanstack/react-query';
import { get } from './client.ts';
import type { Schemas } from './types.ts';

export type Activity = Schemas['AdminActivity'];
type Page = Schemas['AdminActivityPage'];

/** Types of what the timeline tells of. */
export const resourceTypes = [
  'organization',
  'project',
  'app',
  'service-account',
  'identity',
  'wallet',
  'ledger',
  'node',
  'plugin',
  'contract-group',
  'smart-contract-instance',
  'smart-contract-template',
] as const;

/** How far back a page looks, in days. */
export const spans = [1, 7, 30] as const;

/** The filter of a page, as its address has it; without a type all of them are shown. */
export interface TimelineFilter {
  readonly type?: (typeof resourceTypes)[number];
  readonly days?: (typeof spans)[number];
}

/** The newest changes of the last days, newest first. */
export interface Newest {
  readonly activities: readonly Activity[];
  /** Older ones were not looked through. */
  readonly hasMore: boolean;
}

/** As many as a person reads. */
const most = 200;
/** A page may have few of those that the person sees, or none. */
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

import { queryOptions } from '@tanstack/react-query';
import { all } from './client.ts';
import type { Schemas } from './types.ts';

export type Activity = Schemas['AdminActivity'];

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

/** The changes of the last days, newest first. */
export const timelineQuery = ({ type, days = 1 }: TimelineFilter) =>
  queryOptions({
    queryKey: ['timeline', type, days],
    refetchInterval: 15_000,
    async queryFn({ signal }): Promise<Activity[]> {
      const from = new Date(Date.now() - days * 86_400_000).toISOString();
      const query: Record<string, string> = type === undefined ? { from } : { from, resourceType: type };
      return (await all<Activity>('/v1/admin/timeline', query, { signal })).reverse();
    },
  });

import { queryOptions } from '@tanstack/react-query';
import { get } from './client.ts';
import type { Schemas } from './types.ts';

export type Summary = Schemas['ActionSummary'];

/** Periods that the overview offers. */
export const ranges = [
  ['15m', '15 min'],
  ['24h', '24 h'],
  ['7d', '7 d'],
  ['30d', '30 d'],
] as const;
export type Range = (typeof ranges)[number][0];

export const summaryQuery = (range: Range) =>
  queryOptions({
    queryKey: ['actions', 'summary', range],
    refetchInterval: 30_000,
    queryFn: ({ signal }) => get<Summary>('/v1/ledger-ops/actions/summary', { range }, signal),
  });

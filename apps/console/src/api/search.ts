import { queryOptions } from '@tanstack/react-query';
import { get } from './client.ts';
import type { Schemas } from './types.ts';

export type SearchResult = Schemas['FoundRecord'];

export const searchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    enabled: text !== '',
    queryFn: async ({ signal }): Promise<readonly SearchResult[]> =>
      (await get<Schemas['FoundRecords']>('/v1/search', { q: text }, signal)).items,
  });

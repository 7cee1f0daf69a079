import { shortText } from '@ledger-ops/client/text';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from './client.ts';
import { personQuery } from './queries.ts';
import type { Schemas } from './types.ts';

/** Maximum number of pages of identities to request. Further people are shown by a shortened id. */
const mostPages = 5;

/** Addresses and account ids of the identities that the user may see, by service id. */
const peopleQuery = () =>
  queryOptions({
    queryKey: ['people'],
    staleTime: 300_000,
    async queryFn({ signal }): Promise<ReadonlyMap<string, string>> {
      const names = new Map<string, string>();
      let cursor: string | undefined;
      for (let page = 0; page < mostPages; page += 1) {
        const read: Schemas['AdminIdentityPage'] = await get(
          '/v1/admin/identities',
          { size: 100, cursor },
          signal,
        );
        for (const { serviceId, identifier } of read.items) names.set(serviceId, identifier);
        if (read.next === null) break;
        cursor = read.next;
      }
      return names;
    },
  });

/**
 * Returns the addresses and account ids of the identities that the user may see, by service id. Empty until
 * they are loaded.
 */
export function usePeople(): ReadonlyMap<string, string> {
  return useQuery(peopleQuery()).data ?? new Map();
}

/**
 * Returns a function that names an identity: its address or account id, or its shortened service id if they
 * are not known.
 */
export function usePersonName(): (serviceId: string) => string {
  const person = useQuery(personQuery()).data;
  const people = useQuery(peopleQuery()).data;
  return (serviceId) => {
    if (serviceId === person?.serviceId) return person.identifier;
    return people?.get(serviceId) ?? shortText(serviceId);
  };
}

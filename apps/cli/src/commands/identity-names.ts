import { answer, type LedgerClient, ProblemError } from '@ledger-ops/client';

/** Maximum number of pages of identities to request. Further identities are shown by their service id. */
const mostPages = 5;

/** Returns the addresses and account ids of the identities that the caller may see, by service id. */
export async function identityNames(http: LedgerClient['http']): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let cursor: string | undefined;
  try {
    for (let page = 0; page < mostPages; page += 1) {
      const query = { size: 100, ...(cursor !== undefined && { cursor }) };
      const read = await answer(http.GET('/v1/admin/identities', { params: { query } }));
      for (const { serviceId, identifier } of read.items) names.set(serviceId, identifier);
      if (read.next === null) break;
      cursor = read.next;
    }
  } catch (error) {
    // Names are optional: a caller who may not list identities still gets the rest of the output.
    if (!(error instanceof ProblemError)) throw error;
  }
  return names;
}

const serviceId = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** Replaces service ids in a text from the service with names. */
export function withNames(text: string, names: ReadonlyMap<string, string>): string {
  return text.replaceAll(serviceId, (id) => names.get(id) ?? id);
}

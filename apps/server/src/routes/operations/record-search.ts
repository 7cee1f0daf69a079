import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import type { Runtime } from '@ledger-ops/runtime';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { overviewBody, overviewSchema } from '../../present/overview.ts';

const kinds = ['action', 'wallet', 'contract', 'template', 'ledger', 'intent', 'tag', 'person'] as const;

const resultSchema = z
  .object({
    kind: z.enum(kinds),
    id: z
      .string()
      .openapi({ description: 'Id of the record. For an intent or a tag, the intent or tag itself.' }),
    name: z.string().nullable().openapi({ description: 'Null for actions.' }),
    detail: z.string().nullable().openapi({
      description: 'Address of a wallet or contract, technology of a ledger, name of a person.',
    }),
    action: overviewSchema.optional().openapi({ description: 'Present for actions.' }),
  })
  .openapi('FoundRecord');

/** Maximum number of people that a search returns. */
const mostPeople = 5;

/** Finds records of every kind. */
export function recordSearchRoute(
  records: Runtime['records'],
  identities: Pick<Admin['identities'], 'page'>,
): Route {
  return defineRoute({
    method: 'get',
    path: '/v1/search',
    operationId: 'search',
    summary: 'Search all records',
    description:
      'Finds actions by id or transaction, intents, wallets and contracts by name or address, templates, ledgers, tags, and people, in the caller’s project. Ids, addresses and hashes also match from their first six characters, names from any part. At most five results per kind, only those that the caller may read.',
    service: 'ledger-operations',
    permission: { needs: '<type>:read', on: 'record' },
    query: z.strictObject({
      q: text(256).openapi({
        description: 'The text to find. The case of letters is ignored, except in tags.',
      }),
    }),
    answers: {
      200: {
        description: 'The results, by kind.',
        schema: z.object({ items: z.array(resultSchema) }).openapi('FoundRecords'),
      },
    },
    async handle({ principal, query }) {
      const sought = query.q.trim();
      if (sought === '') return ok({ items: [] });
      const [found, people] = await Promise.all([
        records.find(principal, sought),
        identities.page(principal, { search: sought }, { page: 0, size: mostPeople, sort: [] }),
      ]);
      return ok({
        items: [
          ...found.map((one) =>
            one.kind === 'action'
              ? { kind: one.kind, id: one.id, name: null, detail: null, action: overviewBody(one.action) }
              : one,
          ),
          ...people.items.map(({ serviceId, identifier, name }) => ({
            ...{ kind: 'person', id: serviceId, name: identifier, detail: name },
          })),
        ],
      });
    },
  });
}

import { z } from '@hono/zod-openapi';
import type { LedgerNodes } from '@ledger-ops/registry';
import { created, noContent, ok } from '../../http/answer.ts';
import { given } from '../../http/given.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import {
  chosenId,
  givenProperties,
  idAndNameSchema,
  ofProject,
  projectQuery,
  propertySchema,
  recordName,
} from './properties.ts';

const service = 'ledger-nodes';

const explorerSchema = z
  .object({
    explorerID: z.string(),
    id: z.int(),
    implementations: z.array(
      z.object({
        id: z.int(),
        properties: z.array(propertySchema),
        type: idAndNameSchema,
      }),
    ),
    ledgerID: z.string(),
    name: z.string(),
    nodeID: z.string().nullable(),
    resourceId: z.string(),
    projectId: z.string().openapi({ description: '`system`: of the deployer, shown in every project.' }),
  })
  .openapi('Explorer');

const implementations = z
  .array(
    z
      .object({ type: z.object({ name: text(64) }), properties: givenProperties.nullish() })
      .openapi('GivenImplementation'),
  )
  .max(64)
  .openapi({
    description:
      'Of type `cloud-explorer` or `external-explorer`; links are templates in `transaction_url` (with `{locator}`), `address_url` (`{address}`) and `block_url` (`{block}`).',
  });
const newExplorerSchema = z
  .object({
    explorerID: chosenId.nullish(),
    ledgerID: text(64),
    nodeID: text(64).nullish(),
    name: recordName,
    projectId: ofProject.nullish(),
    implementations: implementations.nullish(),
  })
  .openapi('CreateExplorerBody');
// Members of the record that cannot change may stand in a body that was read before: they are ignored.
const updateSchema = z
  .strictObject({
    name: recordName.optional(),
    nodeID: text(64).nullish(),
    implementations: implementations.optional().openapi({ description: 'Replaces all.' }),
    id: z.unknown().optional(),
    explorerID: z.unknown().optional(),
    ledgerID: z.unknown().optional(),
    resourceId: z.unknown().optional(),
    projectId: z.unknown().optional(),
  })
  .openapi('ExplorerUpdate');

const newExample = {
  explorerID: 'main-explorer',
  ledgerID: 'main',
  name: 'Explorer',
  implementations: [
    {
      type: { name: 'external-explorer' },
      properties: [{ type: { name: 'transaction_url' }, value: 'https://explorer.example/tx/{locator}' }],
    },
  ],
};
const explorerPath = z.object({ explorerId: pathId('Id of the explorer.') });
const explorerPage = pageKind('ExplorerPage', explorerSchema, 'A page of explorers.');
const explorerAnswer = { 200: { description: 'The explorer.', schema: explorerSchema } };
const read = {
  method: 'get',
  service,
  permission: { needs: 'explorer:read', on: 'record' },
  deprecated: true,
} as const;

/** Explorers, of section 4.6. */
export function explorerRoutes({ explorers }: Pick<LedgerNodes, 'explorers'>): Route[] {
  return [...readings(explorers), ...changes(explorers)];
}

function readings(explorers: LedgerNodes['explorers']): Route[] {
  return [
    defineRoute({
      ...read,
      path: '/v1/explorers',
      operationId: 'listExplorers',
      summary: 'List the explorers of a project',
      description: 'Those of the project, and those of the deployer.',
      query: projectQuery([...['id', 'explorerID', 'name', 'projectId', 'ledgerID', 'nodeID', 'resourceId']]),
      answers: explorerPage.answers,
      handle: async ({ principal, query }) =>
        explorerPage.answer(query, await explorers.list(principal, query)),
    }),
    defineRoute({
      ...read,
      path: '/v1/explorers/{explorerId}',
      operationId: 'getExplorer',
      summary: 'Get an explorer',
      params: explorerPath,
      answers: explorerAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(await explorers.get(principal, params.explorerId)),
    }),
    defineRoute({
      ...read,
      path: '/v1/explorers/ledgers/{ledgerId}/default',
      operationId: 'getDefaultExplorer',
      permission: { needs: 'explorer:read', on: 'record', also: ['ledger:read'] },
      summary: 'Get the default explorer of a ledger',
      description: 'The first of the caller’s project, else of the deployer.',
      params: z.object({ ledgerId: pathId('Id of the ledger.') }),
      answers: explorerAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(await explorers.defaultOf(principal, params.ledgerId)),
    }),
  ];
}

function changes(explorers: LedgerNodes['explorers']): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/explorers',
      operationId: 'createExplorer',
      summary: 'Create an explorer of a ledger',
      service,
      permission: { needs: 'explorer:create', on: 'record', also: ['ledger:read', 'node:read'] },
      body: jsonBody(newExplorerSchema, newExample),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The explorer.', schema: explorerSchema } },
      problems: ['not-found', 'already-exists'],
      handle: async ({ principal, body, claim }) =>
        created(await explorers.create(principal, given(body), claim)),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/explorers/{explorerId}',
      operationId: 'updateExplorer',
      summary: 'Change an explorer',
      description: 'What is absent stays.',
      service,
      permission: { needs: 'explorer:update', on: 'record', also: ['node:read'] },
      params: explorerPath,
      body: jsonBody(updateSchema, { name: 'Explorer' }),
      answers: explorerAnswer,
      problems: ['not-found'],
      async handle({ principal, params, body }) {
        const { name, nodeID, implementations } = body;
        const change = given({ name, nodeID, implementations });
        return ok(await explorers.update(principal, params.explorerId, change));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/explorers/{explorerId}',
      operationId: 'deleteExplorer',
      summary: 'Delete an explorer',
      service,
      permission: { needs: 'explorer:delete', on: 'record' },
      params: explorerPath,
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found'],
      async handle({ principal, params }) {
        await explorers.delete(principal, params.explorerId);
        return noContent;
      },
    }),
  ];
}

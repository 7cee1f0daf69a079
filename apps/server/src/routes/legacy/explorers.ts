import { z } from '@hono/zod-openapi';
import {
  type ExplorerView,
  implementationProperties,
  implementationTypes,
  type LedgerNodes,
} from '@ledger-ops/registry';
import { created, noContent, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { chosenId, ofProject, pathId, recordName, text } from '../../http/schemas.ts';
import { createdAs } from './answers.ts';
import {
  givenProperties,
  idAndNameSchema,
  projectQuery,
  propertiesByName,
  propertyPointers,
  propertySchema,
} from './properties.ts';
import { shapeOf, withoutNulls } from './shape.ts';

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
    projectId: z.string().openapi({
      description: 'Id of the project; `system`: the deployer’s record, shown in every project.',
    }),
  })
  .openapi('Explorer');

const typeNames: readonly string[] = implementationTypes;
const shape = shapeOf<ExplorerView>()({
  explorerID: 'explorerId',
  id: 'id',
  implementations: ({ id, implementations }) =>
    implementations.map(({ type, properties }, index) => {
      const number = id * 16 + index + 1;
      return {
        id: number,
        properties: implementationProperties.flatMap((name, place) => {
          const value = properties[name];
          if (value === undefined) return [];
          return [{ id: number * 16 + place + 1, type: { id: place + 1, name }, value }];
        }),
        type: { id: typeNames.indexOf(type) + 1, name: type },
      };
    }),
  ledgerID: 'ledgerId',
  name: 'name',
  nodeID: 'nodeId',
  resourceId: 'explorerId',
  projectId: 'projectId',
});

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
type Implementations = z.infer<typeof implementations> | null | undefined;

const knownProperties: readonly string[] = implementationProperties;
const unknownProperty = () => `must be one of ${knownProperties.join(', ')}, each once`;

function currentImplementations(all: Implementations) {
  return all?.map(({ type, properties }, index) => ({
    type: type.name,
    properties: propertiesByName(properties ?? [], `/implementations/${index}`, unknownProperty),
  }));
}

function pointersOf(all: Implementations): PointerMap {
  return [
    ...shape.pointers,
    ...(all ?? []).flatMap(({ properties }, index) => {
      const at = `/implementations/${index}`;
      const memberOf = (name: string) => (knownProperties.includes(name) ? 'value' : 'type/name');
      return [[`${at}/type`, `${at}/type/name`] as const, ...propertyPointers(properties, at, memberOf)];
    }),
  ];
}

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
// Read-only members of a record are accepted and ignored, so that a record can be read, changed and sent back.
const updateSchema = z
  .strictObject({
    name: recordName.optional(),
    nodeID: text(64).nullish(),
    implementations: implementations.optional().openapi({ description: 'Replaces the whole list.' }),
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
      description: 'Explorers of the project and of the deployer.',
      query: projectQuery(
        shape.sortKeys('id', 'explorerID', 'name', 'projectId', 'ledgerID', 'nodeID', 'resourceId'),
      ),
      answers: explorerPage.answers,
      async handle({ principal, query: { project, ...query } }) {
        const found = await explorers.list(principal, { ...query, projectId: project });
        return explorerPage.answer(query, found, shape.present);
      },
    }),
    defineRoute({
      ...read,
      path: '/v1/explorers/{explorerId}',
      operationId: 'getExplorer',
      summary: 'Get an explorer',
      params: explorerPath,
      answers: explorerAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(shape.present(await explorers.get(principal, params.explorerId))),
    }),
    defineRoute({
      ...read,
      path: '/v1/explorers/ledgers/{ledgerId}/default',
      operationId: 'getDefaultExplorer',
      permission: { needs: 'explorer:read', on: 'record', also: ['ledger:read'] },
      summary: 'Get the default explorer of a ledger',
      description:
        'The first explorer of the caller’s project; if the project has none, the first explorer of the deployer.',
      params: z.object({ ledgerId: pathId('Id of the ledger.') }),
      answers: explorerAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(shape.present(await explorers.defaultOf(principal, params.ledgerId))),
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
      ...createdAs(explorerSchema, shape.present, 'The explorer.'),
      pointers: ({ body }) => pointersOf(body.implementations),
      problems: ['not-found', 'already-exists'],
      async handle({
        principal,
        body: { explorerID, ledgerID, nodeID, name, projectId, implementations },
        claim,
      }) {
        const input = {
          ...withoutNulls({ explorerId: explorerID, projectId }),
          ledgerId: ledgerID,
          nodeId: nodeID,
          name,
          implementations: currentImplementations(implementations),
        };
        return created(shape.present(await explorers.create(principal, input, claim)));
      },
    }),
    defineRoute({
      method: 'put',
      path: '/v1/explorers/{explorerId}',
      operationId: 'updateExplorer',
      summary: 'Change an explorer',
      description: 'Absent members remain unchanged.',
      service,
      permission: { needs: 'explorer:update', on: 'record', also: ['node:read'] },
      params: explorerPath,
      body: jsonBody(updateSchema, { name: 'Explorer' }),
      answers: explorerAnswer,
      problems: ['not-found'],
      pointers: ({ body }) => pointersOf(body.implementations),
      async handle({ principal, params, body: { name, nodeID, implementations } }) {
        const change = { name, nodeId: nodeID, implementations: currentImplementations(implementations) };
        return ok(shape.present(await explorers.update(principal, params.explorerId, change)));
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
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found'],
      async handle({ principal, params }) {
        await explorers.delete(principal, params.explorerId);
        return noContent;
      },
    }),
  ];
}

import { z } from '@hono/zod-openapi';
import { isCommonLedgerProperty, type LedgerNodes, type LedgerView } from '@ledger-ops/registry';
import { created, noContent, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { chosenId, ofProject, pathId, recordName, technologyName, text } from '../../http/schemas.ts';
import { ledgerProblems } from '../ledger-problems.ts';
import { createdAs } from './answers.ts';
import { currentNode, nodePointers } from './nodes.ts';
import {
  givenProperties,
  projectQuery,
  propertiesByName,
  propertyList,
  propertyPointers,
  propertySchema,
} from './properties.ts';
import { shapeOf, withoutNulls } from './shape.ts';
import { stableNumber } from './stable-number.ts';

const service = 'ledger-nodes';

const ledgerSchema = z
  .object({
    active: z.boolean(),
    id: z.int(),
    ledgerID: z.string(),
    ledgerTechnology: z.object({ id: z.int(), ledgerTechnologyID: z.string(), name: z.string() }),
    name: z.string(),
    properties: z.array(propertySchema),
    resourceId: z.string(),
    type: z.object({ name: z.string() }),
    uid: z
      .string()
      .openapi({ description: 'Globally unique, unlike `ledgerID`, which several projects may use.' }),
    projectId: z.string().openapi({
      description: 'Id of the project; `system`: the deployer’s record, usable in every project.',
    }),
    featured: z.boolean(),
  })
  .openapi('Ledger');

const shape = shapeOf<LedgerView>()({
  active: 'active',
  id: 'id',
  ledgerID: 'ledgerId',
  ledgerTechnology: ({ technology, technologyTitle }) => ({
    id: stableNumber(technology),
    ledgerTechnologyID: technology,
    name: technologyTitle,
  }),
  name: 'name',
  properties: ({ id, technology, properties }) =>
    propertyList(id, properties, (name) => (isCommonLedgerProperty(name) ? 'common' : technology)),
  resourceId: 'ledgerId',
  type: ({ type }) => ({ name: type }),
  uid: 'uid',
  projectId: 'projectId',
  featured: 'featured',
});

const newNodeSchema = z.object({
  nodeID: chosenId.nullish(),
  name: recordName.nullish(),
  client: text(256).nullish(),
  options: z.object({ uri: text(2_048) }),
  properties: givenProperties.nullish(),
});
const newLedgerSchema = z
  .object({
    ledgerID: chosenId.nullish(),
    name: recordName,
    ledgerTechnology: z.object({ ledgerTechnologyID: technologyName() }),
    properties: givenProperties.nullish(),
    type: z.object({ name: text(64) }).nullish(),
    active: z.boolean().nullish(),
    featured: z.boolean().nullish(),
    projectId: ofProject.nullish(),
    nodes: z
      .array(newNodeSchema)
      .max(64)
      .nullish()
      .openapi({ description: 'Initial nodes, the default node first.' }),
  })
  .openapi('CreateLedgerBody');
// Read-only members of a record are accepted and ignored, so that a record can be read, changed and sent back.
const updateSchema = z
  .strictObject({
    name: recordName.optional(),
    properties: givenProperties.optional().openapi({ description: 'Replaces all properties.' }),
    type: z.object({ name: text(64) }).optional(),
    active: z.boolean().optional(),
    featured: z.boolean().optional(),
    id: z.unknown().optional(),
    ledgerID: z.unknown().optional(),
    ledgerTechnology: z.unknown().optional(),
    resourceId: z.unknown().optional(),
    uid: z.unknown().optional(),
    projectId: z.unknown().optional(),
  })
  .openapi('LedgerUpdate');

function pointersOf({
  properties,
  nodes,
}: Partial<Pick<z.infer<typeof newLedgerSchema>, 'properties' | 'nodes'>>): PointerMap {
  return [
    ...shape.pointers,
    ['/technology', '/ledgerTechnology/ledgerTechnologyID'],
    ['/type', '/type/name'],
    ...propertyPointers(properties),
    ...(nodes ?? []).flatMap((node, index) => nodePointers(node.properties, `/nodes/${index}`)),
  ];
}

const newExample = {
  ledgerID: 'main',
  name: 'Main chain',
  ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
  properties: [
    { type: { name: 'chain_id' }, value: 1 },
    { type: { name: 'confirmations' }, value: 12 },
  ],
};
const sortable = shape.sortKeys(
  'id',
  'uid',
  'ledgerID',
  'name',
  'projectId',
  'resourceId',
  'active',
  'featured',
);
const ledgerPath = z.object({ ledgerId: pathId('Id of the ledger.') });
const ledgerPage = pageKind('LedgerPage', ledgerSchema, 'A page of ledgers.');
const ledgerAnswer = { 200: { description: 'The ledger.', schema: ledgerSchema } };

export function ledgerRoutes({ ledgers }: Pick<LedgerNodes, 'ledgers'>): Route[] {
  return [...listings(ledgers), ...records(ledgers)];
}

function listings(ledgers: LedgerNodes['ledgers']): Route[] {
  const spec = {
    method: 'get',
    service,
    permission: { needs: 'ledger:read', on: 'record' },
    deprecated: true,
    query: projectQuery(sortable),
    answers: ledgerPage.answers,
  } as const;
  return [
    defineRoute({
      ...spec,
      path: '/v1/ledgers',
      operationId: 'listActiveLedgers',
      summary: 'List the active ledgers of a project',
      description: 'Ledgers of the project and of the deployer.',
      async handle({ principal, query: { project, ...query } }) {
        const found = await ledgers.listActive(principal, { ...query, projectId: project });
        return ledgerPage.answer(query, found, shape.present);
      },
    }),
    defineRoute({
      ...spec,
      path: '/v1/ledgers/featured',
      operationId: 'listFeaturedLedgers',
      summary: 'List the featured ledgers of a project',
      async handle({ principal, query: { project, ...query } }) {
        const found = await ledgers.listFeatured(principal, { ...query, projectId: project });
        return ledgerPage.answer(query, found, shape.present);
      },
    }),
  ];
}

function records(ledgers: LedgerNodes['ledgers']): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/ledgers',
      operationId: 'createLedger',
      contacts: ['ledger'],
      summary: 'Create a ledger',
      description:
        'The service queries the initial nodes first and refuses a node on another chain. Without a `chain_id`, the first node determines the chain. The ledger can be used immediately.',
      service,
      permission: { needs: 'ledger:create', on: 'record' },
      deprecated: true,
      body: jsonBody(newLedgerSchema, newExample),
      ...createdAs(ledgerSchema, shape.present, 'The ledger.'),
      pointers: ({ body }) => pointersOf(body),
      problems: ['not-found', 'already-exists', 'conflict', ...ledgerProblems],
      async handle({ principal, body, claim }) {
        const { ledgerID, name, ledgerTechnology, type, properties, nodes, active, featured, projectId } =
          body;
        const input = {
          ...withoutNulls({ ledgerId: ledgerID, active, featured, projectId }),
          name,
          technology: ledgerTechnology.ledgerTechnologyID,
          type: type?.name,
          properties: propertiesByName(properties ?? []),
          nodes: nodes?.map((node, index) => currentNode(node, `/nodes/${index}`)),
        };
        return created(shape.present(await ledgers.create(principal, input, claim)));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledgers/{ledgerId}',
      operationId: 'getLedger',
      summary: 'Get a ledger',
      service,
      permission: { needs: 'ledger:read', on: 'record' },
      deprecated: true,
      params: ledgerPath,
      answers: ledgerAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(shape.present(await ledgers.get(principal, params.ledgerId))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/ledgers/{ledgerId}',
      operationId: 'updateLedger',
      contacts: ['plugin'],
      summary: 'Change a ledger',
      description:
        'Absent members remain unchanged. The change takes effect without a restart, for operations accepted from now on.',
      service,
      permission: { needs: 'ledger:update', on: 'record', also: ['ledger:create'] },
      params: ledgerPath,
      body: jsonBody(updateSchema, { name: 'Main chain', active: true }),
      answers: ledgerAnswer,
      problems: ['not-found', 'conflict', ...ledgerProblems],
      pointers: ({ body }) => pointersOf(body),
      async handle({ principal, params, body: { name, properties, type, active, featured } }) {
        const change = {
          name,
          type: type?.name,
          active,
          featured,
          properties: properties === undefined ? undefined : propertiesByName(properties),
        };
        return ok(shape.present(await ledgers.update(principal, params.ledgerId, change)));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/ledgers/{ledgerId}',
      operationId: 'deleteLedger',
      summary: 'Delete a ledger with its nodes',
      service,
      permission: { needs: 'ledger:delete', on: 'record' },
      params: ledgerPath,
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params }) {
        await ledgers.delete(principal, params.ledgerId);
        return noContent;
      },
    }),
  ];
}

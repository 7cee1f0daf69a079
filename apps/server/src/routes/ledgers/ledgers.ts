import { z } from '@hono/zod-openapi';
import type { LedgerNodes } from '@ledger-ops/registry';
import { created, noContent, ok } from '../../http/answer.ts';
import { given } from '../../http/given.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, technologyName, text } from '../../http/schemas.ts';
import {
  chosenId,
  givenProperties,
  ofProject,
  projectQuery,
  propertySchema,
  recordName,
} from './properties.ts';

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
      .openapi({ description: 'No other ledger has it: those of several projects may have one id.' }),
    projectId: z.string().openapi({ description: '`system`: of the deployer, usable in every project.' }),
    featured: z.boolean(),
  })
  .openapi('Ledger');

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
      .openapi({ description: 'Nodes that it begins with, the default node first.' }),
  })
  .openapi('CreateLedgerBody');
// Members of the record that cannot change may stand in a body that was read before: they are ignored.
const updateSchema = z
  .strictObject({
    name: recordName.optional(),
    properties: givenProperties.optional().openapi({ description: 'Replaces all.' }),
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

const newExample = {
  ledgerID: 'main',
  name: 'Main chain',
  ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
  properties: [
    { type: { name: 'chain_id' }, value: 1 },
    { type: { name: 'confirmations' }, value: 12 },
  ],
};
const sortable = ['id', 'uid', 'ledgerID', 'name', 'projectId', 'resourceId', 'active', 'featured'];
const ledgerPath = z.object({ ledgerId: pathId('Id of the ledger.') });
const ledgerPage = pageKind('LedgerPage', ledgerSchema, 'A page of ledgers.');
const ledgerAnswer = { 200: { description: 'The ledger.', schema: ledgerSchema } };

/** Ledgers, of section 4.6. */
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
      description: 'Those of the project, and those of the deployer.',
      handle: async ({ principal, query }) =>
        ledgerPage.answer(query, await ledgers.listActive(principal, query)),
    }),
    defineRoute({
      ...spec,
      path: '/v1/ledgers/featured',
      operationId: 'listFeaturedLedgers',
      summary: 'List the featured ledgers of a project',
      handle: async ({ principal, query }) =>
        ledgerPage.answer(query, await ledgers.listFeatured(principal, query)),
    }),
  ];
}

function records(ledgers: LedgerNodes['ledgers']): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/ledgers',
      operationId: 'createLedger',
      summary: 'Create a ledger',
      description:
        'Nodes that it begins with are asked first: one on another chain is refused, and without a `chain_id` the ledger is on the chain of the first. Usable at once.',
      service,
      permission: { needs: 'ledger:create', on: 'record' },
      deprecated: true,
      body: jsonBody(newLedgerSchema, newExample),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The ledger.', schema: ledgerSchema } },
      problems: [
        'not-found',
        'already-exists',
        'conflict',
        'no-plugin',
        'plugin-fault',
        'address-not-opened',
        'ledger-unavailable',
      ],
      async handle({ principal, body, claim }) {
        const { nodes, ...ledger } = body;
        const input = { ...given(ledger), nodes: nodes?.map(given) ?? null };
        return created(await ledgers.create(principal, input, claim));
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
      handle: async ({ principal, params }) => ok(await ledgers.get(principal, params.ledgerId)),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/ledgers/{ledgerId}',
      operationId: 'updateLedger',
      summary: 'Change a ledger',
      description:
        'What is absent stays. Takes effect without a restart, for operations accepted from now on.',
      service,
      permission: { needs: 'ledger:update', on: 'record', also: ['ledger:create'] },
      params: ledgerPath,
      body: jsonBody(updateSchema, { name: 'Main chain', active: true }),
      answers: ledgerAnswer,
      problems: ['not-found', 'conflict', 'no-plugin', 'plugin-fault'],
      handle: async ({ principal, params, body }) => {
        const { name, properties, type, active, featured } = body;
        const change = given({ name, properties, type, active, featured });
        return ok(await ledgers.update(principal, params.ledgerId, change));
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
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params }) {
        await ledgers.delete(principal, params.ledgerId);
        return noContent;
      },
    }),
  ];
}

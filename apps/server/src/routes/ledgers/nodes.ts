import { z } from '@hono/zod-openapi';
import type { LedgerNodes } from '@ledger-ops/registry';
import { created, noContent, ok } from '../../http/answer.ts';
import { given } from '../../http/given.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { chosenId, givenProperties, projectQuery, propertySchema, recordName } from './properties.ts';

const service = 'ledger-nodes';

const nodeSchema = z
  .object({
    client: z.string().nullable(),
    id: z.int(),
    name: z.string(),
    nodeID: z.string(),
    properties: z.array(propertySchema),
    resourceId: z.string(),
    uri: z.string().openapi({
      description: 'Scheme, host and port; `/…` stands for the rest, which may hold credentials.',
    }),
    ledgerID: z.string(),
  })
  .openapi('LedgerNode');

const options = z.object({ uri: text(2_048).openapi({ description: 'Absolute URL.' }) });
const newNodeSchema = z
  .object({
    nodeID: chosenId.nullish(),
    ledgerID: text(64),
    name: recordName.nullish(),
    client: text(256).nullish(),
    options,
    properties: givenProperties.nullish(),
    default: z.boolean().nullish().openapi({ description: 'Makes it the default node of its ledger.' }),
  })
  .openapi('CreateNodeBody');
// Members of the record that cannot change may stand in a body that was read before: they are ignored.
const updateSchema = z
  .strictObject({
    name: recordName.optional(),
    client: text(256).nullish(),
    options: options.optional(),
    uri: text(2_048).optional().openapi({ description: 'As it was answered: it stays as it is.' }),
    properties: givenProperties.optional().openapi({ description: 'Replaces all.' }),
    default: z.boolean().optional(),
    id: z.unknown().optional(),
    nodeID: z.unknown().optional(),
    ledgerID: z.unknown().optional(),
    resourceId: z.unknown().optional(),
  })
  .openapi('NodeUpdate');

const newExample = {
  nodeID: 'main-1',
  ledgerID: 'main',
  name: 'First node',
  client: 'geth',
  options: { uri: 'https://node.example:8545' },
};
const sortable = ['id', 'nodeID', 'name', 'client', 'uri', 'ledgerID', 'resourceId'];
const nodePath = z.object({ nodeId: pathId('Id of the node.') });
const ledgerPath = z.object({ ledgerId: pathId('Id of the ledger.') });
const nodePage = pageKind('NodePage', nodeSchema, 'A page of nodes.');
const nodeAnswer = { 200: { description: 'The node.', schema: nodeSchema } };
const read = {
  method: 'get',
  service,
  permission: { needs: 'node:read', on: 'record' },
  deprecated: true,
} as const;

/** Nodes, of section 4.6. */
export function nodeRoutes({ nodes }: Pick<LedgerNodes, 'nodes'>): Route[] {
  return [...listings(nodes), ...records(nodes)];
}

function listings(nodes: LedgerNodes['nodes']): Route[] {
  const spec = {
    ...read,
    query: projectQuery(sortable),
    answers: nodePage.answers,
  };
  return [
    defineRoute({
      ...spec,
      path: '/v1/nodes',
      operationId: 'listNodes',
      summary: 'List the nodes of a project’s ledgers',
      handle: async ({ principal, query }) => nodePage.answer(query, await nodes.list(principal, query)),
    }),
    defineRoute({
      ...spec,
      path: '/v1/nodes/ledgers/{ledgerId}',
      operationId: 'listNodesOfLedger',
      permission: { needs: 'node:read', on: 'record', also: ['ledger:read'] },
      summary: 'List the nodes of a ledger',
      params: ledgerPath,
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        nodePage.answer(query, await nodes.listOfLedger(principal, params.ledgerId, query)),
    }),
    defineRoute({
      ...read,
      path: '/v1/nodes/ledgers/{ledgerId}/default',
      operationId: 'getDefaultNode',
      permission: { needs: 'node:read', on: 'record', also: ['ledger:read'] },
      summary: 'Get the default node of a ledger',
      params: ledgerPath,
      answers: nodeAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(await nodes.defaultOf(principal, params.ledgerId)),
    }),
  ];
}

function records(nodes: LedgerNodes['nodes']): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/nodes',
      operationId: 'createNode',
      summary: 'Add a node to a ledger',
      description:
        'The node is asked first: one on another chain than its ledger is refused. Used from then on, also for what is under way.',
      service,
      permission: { needs: 'ledger:manage', on: 'record' },
      deprecated: true,
      body: jsonBody(newNodeSchema, newExample),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The node.', schema: nodeSchema } },
      problems: [
        'not-found',
        'already-exists',
        'conflict',
        'no-plugin',
        'plugin-fault',
        'address-not-opened',
        'ledger-unavailable',
      ],
      handle: async ({ principal, body, claim }) =>
        created(await nodes.create(principal, given(body), claim)),
    }),
    defineRoute({
      ...read,
      path: '/v1/nodes/{nodeId}',
      operationId: 'getNode',
      summary: 'Get a node',
      params: nodePath,
      answers: nodeAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(await nodes.get(principal, params.nodeId)),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/nodes/{nodeId}',
      operationId: 'updateNode',
      summary: 'Change a node',
      description: 'What is absent stays. A new address is asked first, and needs `ledger:manage`.',
      service,
      permission: { needs: 'node:update', on: 'record' },
      params: nodePath,
      body: jsonBody(updateSchema, { name: 'First node', default: true }),
      answers: nodeAnswer,
      problems: [
        'not-found',
        'conflict',
        'no-plugin',
        'plugin-fault',
        'address-not-opened',
        'ledger-unavailable',
      ],
      async handle({ principal, params, body }) {
        const { name, client, options, uri, properties } = body;
        const change = given({ name, client, options, uri, properties, default: body.default });
        return ok(await nodes.update(principal, params.nodeId, change));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/nodes/{nodeId}',
      operationId: 'deleteNode',
      summary: 'Delete a node',
      service,
      permission: { needs: 'node:delete', on: 'record' },
      params: nodePath,
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params }) {
        await nodes.delete(principal, params.nodeId);
        return noContent;
      },
    }),
  ];
}

import { z } from '@hono/zod-openapi';
import type { LedgerNodes, NodeView } from '@ledger-ops/registry';
import { created, noContent, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { chosenId, pathId, recordName, text } from '../../http/schemas.ts';
import { ledgerProblems } from '../ledger-problems.ts';
import { createdAs } from './answers.ts';
import {
  givenProperties,
  projectQuery,
  propertiesByName,
  propertyList,
  propertyPointers,
  propertySchema,
} from './properties.ts';
import { shapeOf, withoutNulls } from './shape.ts';

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
      description: 'Scheme, host and port. `/…` replaces the path and query, which may contain credentials.',
    }),
    ledgerID: z.string(),
  })
  .openapi('LedgerNode');

const shape = shapeOf<NodeView>()({
  client: 'client',
  id: 'id',
  name: 'name',
  nodeID: 'nodeId',
  properties: ({ id, properties }) => propertyList(id, properties),
  resourceId: 'nodeId',
  uri: 'uri',
  ledgerID: 'ledgerId',
});

const options = z.object({ uri: text(2_048).openapi({ description: 'Absolute URL.' }) });
const newNodeSchema = z
  .object({
    nodeID: chosenId.nullish(),
    ledgerID: text(64),
    name: recordName.nullish(),
    client: text(256).nullish(),
    options,
    properties: givenProperties.nullish(),
    default: z.boolean().nullish().openapi({ description: 'Makes the node the default node of its ledger.' }),
  })
  .openapi('CreateNodeBody');
type NewNode = Omit<z.infer<typeof newNodeSchema>, 'ledgerID'>;

/** Converts a new node, except its ledger, to the current form. `at`: pointer of the node in the body. */
export function currentNode(
  { nodeID, options: { uri }, properties, client, name, ...node }: NewNode,
  at = '',
) {
  return {
    ...withoutNulls({ nodeId: nodeID, name, default: node.default }),
    client,
    uri,
    properties: propertiesByName(properties ?? [], at),
  };
}

/** Maps pointers of {@link currentNode} to its body. */
export function nodePointers(properties: NewNode['properties'], at = '', uri = '/options/uri'): PointerMap {
  return [
    ...shape.pointers.map(([from, to]) => [at + from, at + to] as const),
    [`${at}/uri`, at + uri],
    ...propertyPointers(properties, at),
  ];
}

// Read-only members of a record are accepted and ignored, so that a record can be read, changed and sent back.
const updateSchema = z
  .strictObject({
    name: recordName.optional(),
    client: text(256).nullish(),
    options: options.optional(),
    uri: text(2_048).optional().openapi({
      description: 'Absolute URL. The form in responses (`/…`) leaves the stored URL unchanged.',
    }),
    properties: givenProperties.optional().openapi({ description: 'Replaces all properties.' }),
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
const sortable = shape.sortKeys('id', 'nodeID', 'name', 'client', 'uri', 'ledgerID', 'resourceId');
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
      handle: async ({ principal, query: { project, ...query } }) =>
        nodePage.answer(query, await nodes.list(principal, { ...query, projectId: project }), shape.present),
    }),
    defineRoute({
      ...spec,
      path: '/v1/nodes/ledgers/{ledgerId}',
      operationId: 'listNodesOfLedger',
      permission: { needs: 'node:read', on: 'record', also: ['ledger:read'] },
      summary: 'List the nodes of a ledger',
      params: ledgerPath,
      problems: ['not-found'],
      async handle({ principal, params, query: { project, ...query } }) {
        const found = await nodes.listOfLedger(principal, params.ledgerId, { ...query, projectId: project });
        return nodePage.answer(query, found, shape.present);
      },
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
      handle: async ({ principal, params }) =>
        ok(shape.present(await nodes.defaultOf(principal, params.ledgerId))),
    }),
  ];
}

function records(nodes: LedgerNodes['nodes']): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/nodes',
      operationId: 'createNode',
      contacts: ['ledger'],
      summary: 'Add a node to a ledger',
      description:
        'The service queries the node first, and refuses a node on another chain than its ledger. It then uses the node immediately, also for pending actions.',
      service,
      permission: { needs: 'ledger:manage', on: 'record' },
      deprecated: true,
      body: jsonBody(newNodeSchema, newExample),
      ...createdAs(nodeSchema, shape.present, 'The node.'),
      pointers: ({ body }) => nodePointers(body.properties),
      problems: ['not-found', 'already-exists', 'conflict', ...ledgerProblems],
      async handle({ principal, body: { ledgerID: ledgerId, ...body }, claim }) {
        const node = await nodes.create(principal, { ledgerId, ...currentNode(body) }, claim);
        return created(shape.present(node));
      },
    }),
    defineRoute({
      ...read,
      path: '/v1/nodes/{nodeId}',
      operationId: 'getNode',
      summary: 'Get a node',
      params: nodePath,
      answers: nodeAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(shape.present(await nodes.get(principal, params.nodeId))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/nodes/{nodeId}',
      operationId: 'updateNode',
      contacts: ['ledger'],
      summary: 'Change a node',
      description:
        'Absent members remain unchanged. The service queries a new address first; changing the address needs `ledger:manage`.',
      service,
      permission: { needs: 'node:update', on: 'record' },
      params: nodePath,
      body: jsonBody(updateSchema, { name: 'First node', default: true }),
      answers: nodeAnswer,
      problems: ['not-found', 'conflict', ...ledgerProblems],
      pointers: ({ body: { options, uri, properties } }) =>
        nodePointers(properties, '', options === undefined && uri !== undefined ? '/uri' : '/options/uri'),
      async handle({ principal, params, body: { name, client, options, uri, properties, ...body } }) {
        const change = {
          name,
          client,
          uri: options?.uri ?? uri,
          properties: properties === undefined ? undefined : propertiesByName(properties),
          default: body.default,
        };
        return ok(shape.present(await nodes.update(principal, params.nodeId, change)));
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
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params }) {
        await nodes.delete(principal, params.nodeId);
        return noContent;
      },
    }),
  ];
}

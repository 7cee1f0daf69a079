import { z } from '@hono/zod-openapi';
import type { LedgerNodes, NodeView } from '@ledger-ops/registry';
import { noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { chosenId, pathId, recordName, text } from '../../http/schemas.ts';
import { ledgerProblems } from '../ledger-problems.ts';
import { answered } from './answers.ts';
import { at, creation } from './creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { fields } from './fields.ts';
import { givenProperties, properties } from './properties.ts';

const service = 'administration';
const path = '/v1/admin/nodes';
const params = z.object({ nodeId: pathId('Id of the node.') });
const read = { needs: 'node:read', on: 'record' } as const;

export const nodeSchema = z
  .object({
    nodeId: z.string(),
    ledgerId: z.string(),
    name: z.string(),
    client: z.string().nullable(),
    uri: z.string().openapi({
      description: 'Scheme, host and port. `/…` replaces the path and query, which may contain credentials.',
    }),
    properties,
  })
  .openapi('AdminNode');
export function nodeBody({ id: _id, ...node }: NodeView) {
  return node;
}

const uri = text(2_048).openapi({ description: 'Absolute URL.' });
const client = text(256).nullish();

/** Members of a new node, except its ledger. */
export const newNode = {
  nodeId: chosenId.optional(),
  name: recordName.optional(),
  client,
  uri,
  properties: givenProperties.optional(),
};
export function nodeRoutes({ nodes }: Pick<LedgerNodes, 'nodes'>): Route[] {
  return [...collection(nodes), ...records(nodes)];
}

function collection(nodes: LedgerNodes['nodes']): Route[] {
  const { answer, ...created } = creation(nodeSchema, nodeBody, ({ nodeId }) => at(path, nodeId));
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListNodes',
      summary: 'List the nodes of a ledger, or of a project’s ledgers',
      service,
      permission: { ...read, also: ['ledger:read'] },
      query: z.strictObject({
        ...pageQuery,
        ledgerId: fields.id.optional(),
        projectId: fields.id.optional().describe('Default: the caller’s project.'),
      }),
      answers: answered(pageOfSchema('AdminNodePage', nodeSchema)),
      problems: ['not-found'],
      async handle({ principal, query: { ledgerId, projectId, ...page } }) {
        const query = { ...pagingOf(page), projectId };
        const found =
          ledgerId === undefined
            ? nodes.list(principal, query)
            : nodes.listOfLedger(principal, ledgerId, query);
        return ok(pageOf(await found, nodeBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'adminCreateNode',
      contacts: ['ledger'],
      summary: 'Add a node to a ledger',
      description:
        'The service queries the node first, and refuses a node on another chain than its ledger. It then uses the node immediately, also for pending actions.',
      service,
      permission: { needs: 'ledger:manage', on: 'record' },
      body: jsonBody(
        z
          .strictObject({
            ...newNode,
            ledgerId: text(64),
            default: z
              .boolean()
              .optional()
              .openapi({ description: 'Makes the node the default node of its ledger.' }),
          })
          .openapi('AdminNewNode'),
        {
          nodeId: 'main-1',
          ledgerId: 'main',
          name: 'First node',
          client: 'geth',
          uri: 'https://node.example:8545',
        },
      ),
      ...created,
      problems: ['not-found', 'already-exists', 'conflict', ...ledgerProblems],
      handle: async ({ principal, body, claim }) => answer(await nodes.create(principal, body, claim)),
    }),
  ];
}

function records(nodes: LedgerNodes['nodes']): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${path}/{nodeId}`,
      operationId: 'adminGetNode',
      summary: 'Get a node',
      service,
      permission: read,
      params,
      answers: answered(nodeSchema),
      problems: ['not-found'],
      handle: async ({ principal, params: { nodeId } }) => ok(nodeBody(await nodes.get(principal, nodeId))),
    }),
    defineRoute({
      method: 'put',
      path: `${path}/{nodeId}`,
      operationId: 'adminUpdateNode',
      contacts: ['ledger'],
      summary: 'Change a node',
      description:
        'Absent members are not changed. If `uri` is sent as responses show it (shortened to `https://host/…`), the address is not changed either. `properties` replaces all properties. To change the address you need `ledger:manage`; the service queries the new address before it stores it.',
      service,
      permission: { needs: 'node:update', on: 'record' },
      params,
      body: jsonBody(
        z
          .strictObject({
            name: recordName.optional(),
            client,
            uri: uri.optional(),
            properties: givenProperties.optional(),
            default: z.boolean().optional(),
          })
          .openapi('AdminNodeChange'),
        { name: 'First node', default: true },
      ),
      answers: answered(nodeSchema),
      problems: ['not-found', 'conflict', ...ledgerProblems],
      handle: async ({ principal, params: { nodeId }, body }) =>
        ok(nodeBody(await nodes.update(principal, nodeId, body))),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{nodeId}`,
      operationId: 'adminDeleteNode',
      summary: 'Delete a node',
      service,
      permission: { needs: 'node:delete', on: 'record' },
      params,
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params: { nodeId } }) {
        await nodes.delete(principal, nodeId);
        return noContent;
      },
    }),
  ];
}

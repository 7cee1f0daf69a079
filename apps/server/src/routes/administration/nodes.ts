import { z } from '@hono/zod-openapi';
import type { LedgerNodes, NodeView } from '@ledger-ops/registry';
import { noContent, ok } from '../../http/answer.ts';
import { given } from '../../http/given.ts';
import { type PointerMap, withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { answered } from '../admin/answers.ts';
import { fields } from '../admin/fields.ts';
import { chosenId, recordName } from '../ledgers/properties.ts';
import { at, creation } from './creation.ts';
import { listed, pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { byName, givenProperties, listOf, placesOf, properties } from './properties.ts';

const service = 'administration';
const path = '/v1/admin/nodes';
const params = z.object({ nodeId: pathId('Id of the node.') });
const read = { needs: 'node:read', on: 'record' } as const;

export const nodeSchema = z
  .object({
    ...{ nodeId: z.string(), ledgerId: z.string(), name: z.string(), client: z.string().nullable() },
    uri: z.string().openapi({
      description: 'Scheme, host and port; `/…` stands for the rest, which may hold credentials.',
    }),
    properties,
  })
  .openapi('AdminNode');
export function nodeBody(node: NodeView) {
  const { nodeID: nodeId, ledgerID: ledgerId, name, client, uri } = node;
  return { nodeId, ledgerId, name, client, uri, properties: byName(node.properties) };
}

const uri = text(2_048).openapi({ description: 'Absolute URL.' });
const client = text(256).nullish();

/** Members of a new node, without its ledger. */
export const newNode = {
  ...{ nodeId: chosenId.optional(), name: recordName.optional(), client, uri },
  properties: givenProperties.optional(),
};
type NewNode = z.infer<z.ZodObject<typeof newNode>>;

/** A new node as the functions take it. */
export function nodeInput({ nodeId: nodeID, uri, properties, ...more }: NewNode) {
  return {
    ...given({ ...more, nodeID }),
    options: { uri },
    ...(properties === undefined ? {} : { properties: listOf(properties) }),
  };
}

/** Where issues of {@link nodeInput} stand in its body. */
export function nodePointers({ properties }: Pick<NewNode, 'properties'>, at = ''): PointerMap {
  return [
    [`${at}/options/uri`, `${at}/uri`],
    [`${at}/nodeID`, `${at}/nodeId`],
    [`${at}/ledgerID`, `${at}/ledgerId`],
    ...placesOf(properties, at),
  ];
}

/** Nodes by current paths, over the same functions as the older ones. */
export function nodeRoutes({ nodes }: Pick<LedgerNodes, 'nodes'>): Route[] {
  return [...collection(nodes), ...records(nodes)];
}

function collection(nodes: LedgerNodes['nodes']): Route[] {
  const { answer, ...created } = creation(nodeSchema, nodeBody, ({ nodeID }) => at(path, nodeID));
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
        projectId: fields.id.optional().describe('Absent: that of the caller.'),
      }),
      answers: answered(pageOfSchema('AdminNodePage', nodeSchema)),
      problems: ['not-found'],
      async handle({ principal, query: { ledgerId, projectId: project, ...page } }) {
        const query = { ...pagingOf(page), project };
        const found =
          ledgerId === undefined
            ? nodes.list(principal, query)
            : nodes.listOfLedger(principal, ledgerId, query);
        return ok(pageOf(listed(await found), nodeBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'adminCreateNode',
      summary: 'Add a node to a ledger',
      description:
        'The node is asked first: one on another chain than its ledger is refused. Used from then on, also for what is under way.',
      service,
      permission: { needs: 'ledger:manage', on: 'record' },
      body: jsonBody(
        z
          .strictObject({
            ...{ ...newNode, ledgerId: text(64) },
            default: z
              .boolean()
              .optional()
              .openapi({ description: 'Makes it the default node of its ledger.' }),
          })
          .openapi('AdminNewNode'),
        {
          ...{ nodeId: 'main-1', ledgerId: 'main', name: 'First node', client: 'geth' },
          uri: 'https://node.example:8545',
        },
      ),
      ...created,
      problems: [
        ...(['not-found', 'already-exists', 'conflict', 'no-plugin', 'plugin-fault'] as const),
        ...(['address-not-opened', 'ledger-unavailable'] as const),
      ],
      handle: ({ principal, body: { ledgerId: ledgerID, ...body }, claim }) =>
        withPointers(nodePointers(body), async () =>
          answer(
            await nodes.create(
              principal,
              { ...nodeInput(body), ledgerID, ...given({ default: body.default }) },
              claim,
            ),
          ),
        ),
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
      summary: 'Change a node',
      description:
        'Members that are absent stay as they are, as does a `uri` as it was answered; `properties` replaces all. A new address is asked first, and needs `ledger:manage`.',
      service,
      permission: { needs: 'node:update', on: 'record' },
      params,
      body: jsonBody(
        z
          .strictObject({
            ...{ name: recordName.optional(), client, uri: uri.optional() },
            ...{ properties: givenProperties.optional(), default: z.boolean().optional() },
          })
          .openapi('AdminNodeChange'),
        { name: 'First node', default: true },
      ),
      answers: answered(nodeSchema),
      problems: [
        ...(['not-found', 'conflict', 'no-plugin', 'plugin-fault'] as const),
        ...(['address-not-opened', 'ledger-unavailable'] as const),
      ],
      handle: ({ principal, params: { nodeId }, body: { uri, properties, ...more } }) =>
        withPointers(nodePointers({ properties }), async () => {
          const change = {
            ...given(more),
            ...(uri === undefined ? {} : { options: { uri } }),
            ...(properties === undefined ? {} : { properties: listOf(properties) }),
          };
          return ok(nodeBody(await nodes.update(principal, nodeId, change)));
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{nodeId}`,
      operationId: 'adminDeleteNode',
      summary: 'Delete a node',
      service,
      permission: { needs: 'node:delete', on: 'record' },
      params,
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params: { nodeId } }) {
        await nodes.delete(principal, nodeId);
        return noContent;
      },
    }),
  ];
}

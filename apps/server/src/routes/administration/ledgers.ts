import { z } from '@hono/zod-openapi';
import type { LedgerNodes, LedgerView } from '@ledger-ops/registry';
import { noContent, ok } from '../../http/answer.ts';
import { given } from '../../http/given.ts';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, technologyName, text } from '../../http/schemas.ts';
import { answered } from '../admin/answers.ts';
import { fields } from '../admin/fields.ts';
import { chosenId, ofProject, recordName } from '../ledgers/properties.ts';
import { at, creation } from './creation.ts';
import { listed, pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { explorerBody, explorerSchema } from './explorers.ts';
import { newNode, nodeBody, nodeInput, nodePointers, nodeSchema } from './nodes.ts';
import { byName, givenProperties, listOf, placesOf, properties } from './properties.ts';

const service = 'administration';
const path = '/v1/admin/ledgers';
const params = z.object({ ledgerId: pathId('Id of the ledger.') });
const read = { needs: 'ledger:read', on: 'record' } as const;

const ledgerSchema = z
  .object({
    uid: z
      .string()
      .openapi({ description: 'No other ledger has it: those of several projects may have one id.' }),
    ...{ ledgerId: z.string(), name: z.string(), technology: z.string(), type: z.string() },
    ...{ active: z.boolean(), featured: z.boolean() },
    projectId: z.string().openapi({ description: '`system`: of the deployer, usable in every project.' }),
    properties,
  })
  .openapi('AdminLedger');
function ledgerBody(ledger: LedgerView) {
  const { uid, ledgerID: ledgerId, name, ledgerTechnology, type, active, featured, projectId } = ledger;
  return {
    ...{ uid, ledgerId, name, technology: ledgerTechnology.ledgerTechnologyID, type: type.name },
    ...{ active, featured, projectId, properties: byName(ledger.properties) },
  };
}

const changeable = {
  ...{ properties: givenProperties, type: text(64), active: z.boolean(), featured: z.boolean() },
};

/** Ledgers by current paths, over the same functions as the older ones. */
export function ledgerRoutes(deps: LedgerNodes): Route[] {
  return [...collection(deps.ledgers), ...records(deps.ledgers), ...defaults(deps)];
}

function collection(ledgers: LedgerNodes['ledgers']): Route[] {
  const { answer, ...created } = creation(ledgerSchema, ledgerBody, ({ ledgerID }) => at(path, ledgerID));
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListLedgers',
      summary: 'List the active ledgers of a project',
      description: 'Those of the project, and those of the deployer.',
      service,
      permission: read,
      query: z.strictObject({
        ...pageQuery,
        projectId: fields.id.optional().describe('Absent: that of the caller.'),
        featured: fields.flag(false).describe('Only those that are featured.'),
      }),
      answers: answered(pageOfSchema('AdminLedgerPage', ledgerSchema)),
      async handle({ principal, query: { projectId: project, featured, ...page } }) {
        const query = { ...pagingOf(page), project };
        const found = featured
          ? ledgers.listFeatured(principal, query)
          : ledgers.listActive(principal, query);
        return ok(pageOf(listed(await found), ledgerBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'adminCreateLedger',
      summary: 'Create a ledger',
      description:
        'Nodes that it begins with are asked first: one on another chain is refused, and without a `chain_id` the ledger is on the chain of the first. Usable at once.',
      service,
      permission: { needs: 'ledger:create', on: 'record' },
      body: jsonBody(
        z
          .strictObject({
            ...{ ledgerId: chosenId.optional(), name: recordName, technology: technologyName() },
            ...z.object(changeable).partial().shape,
            projectId: ofProject.optional(),
            nodes: z
              .array(z.strictObject(newNode))
              .max(64)
              .optional()
              .openapi({ description: 'Nodes that it begins with, the default node first.' }),
          })
          .openapi('AdminNewLedger'),
        {
          ...{ ledgerId: 'main', name: 'Main chain', technology: 'ethereum' },
          properties: { chain_id: 1, confirmations: 12 },
        },
      ),
      ...created,
      problems: [
        ...(['not-found', 'already-exists', 'conflict', 'no-plugin', 'plugin-fault'] as const),
        ...(['address-not-opened', 'ledger-unavailable'] as const),
      ],
      handle: ({ principal, body, claim }) => {
        const { ledgerId, technology, type, properties, nodes = [], ...more } = body;
        const places = [
          ...([
            ['/ledgerID', '/ledgerId'],
            ['/ledgerTechnology', '/technology', 'whole'],
          ] as const),
          ...([['/type/name', '/type'], ...placesOf(properties)] as const),
          ...nodes.flatMap((node, index) => nodePointers(node, `/nodes/${index}`)),
        ];
        const input = {
          ...given({ ...more, ledgerID: ledgerId }),
          ledgerTechnology: { ledgerTechnologyID: technology },
          ...(type === undefined ? {} : { type: { name: type } }),
          ...(properties === undefined ? {} : { properties: listOf(properties) }),
          nodes: nodes.map(nodeInput),
        };
        return withPointers(places, async () => answer(await ledgers.create(principal, input, claim)));
      },
    }),
  ];
}

function records(ledgers: LedgerNodes['ledgers']): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${path}/{ledgerId}`,
      operationId: 'adminGetLedger',
      summary: 'Get a ledger',
      service,
      permission: read,
      params,
      answers: answered(ledgerSchema),
      problems: ['not-found'],
      handle: async ({ principal, params: { ledgerId } }) =>
        ok(ledgerBody(await ledgers.get(principal, ledgerId))),
    }),
    defineRoute({
      method: 'put',
      path: `${path}/{ledgerId}`,
      operationId: 'adminUpdateLedger',
      summary: 'Change a ledger',
      description:
        'Members that are absent stay as they are; `properties` replaces all. Takes effect without a restart, for operations accepted from now on.',
      service,
      permission: { needs: 'ledger:update', on: 'record', also: ['ledger:create'] },
      params,
      body: jsonBody(
        z
          .strictObject({ name: recordName, ...changeable })
          .partial()
          .openapi('AdminLedgerChange'),
        { name: 'Main chain', active: true },
      ),
      answers: answered(ledgerSchema),
      problems: ['not-found', 'conflict', 'no-plugin', 'plugin-fault'],
      handle: ({ principal, params: { ledgerId }, body: { type, properties, ...more } }) => {
        const change = {
          ...given(more),
          ...(type === undefined ? {} : { type: { name: type } }),
          ...(properties === undefined ? {} : { properties: listOf(properties) }),
        };
        return withPointers([['/type/name', '/type'], ...placesOf(properties)], async () =>
          ok(ledgerBody(await ledgers.update(principal, ledgerId, change))),
        );
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{ledgerId}`,
      operationId: 'adminDeleteLedger',
      summary: 'Delete a ledger with its nodes',
      service,
      permission: { needs: 'ledger:delete', on: 'record' },
      params,
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params: { ledgerId } }) {
        await ledgers.delete(principal, ledgerId);
        return noContent;
      },
    }),
  ];
}

function defaults({ nodes, explorers }: LedgerNodes): Route[] {
  const common = { method: 'get', service, params, problems: ['not-found'] } as const;
  return [
    defineRoute({
      ...common,
      path: `${path}/{ledgerId}/default-node`,
      operationId: 'adminGetDefaultNode',
      summary: 'Get the default node of a ledger',
      permission: { needs: 'node:read', on: 'record', also: ['ledger:read'] },
      answers: answered(nodeSchema),
      handle: async ({ principal, params: { ledgerId } }) =>
        ok(nodeBody(await nodes.defaultOf(principal, ledgerId))),
    }),
    defineRoute({
      ...common,
      path: `${path}/{ledgerId}/default-explorer`,
      operationId: 'adminGetDefaultExplorer',
      summary: 'Get the default explorer of a ledger',
      description: 'The first of the caller’s project, else of the deployer.',
      permission: { needs: 'explorer:read', on: 'record', also: ['ledger:read'] },
      answers: answered(explorerSchema),
      handle: async ({ principal, params: { ledgerId } }) =>
        ok(explorerBody(await explorers.defaultOf(principal, ledgerId))),
    }),
  ];
}

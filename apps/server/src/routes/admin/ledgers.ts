import { z } from '@hono/zod-openapi';
import type { LedgerNodes, LedgerView } from '@ledger-ops/registry';
import { noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { chosenId, ofProject, pathId, recordName, technologyName, text } from '../../http/schemas.ts';
import { ledgerProblems } from '../ledger-problems.ts';
import { answered } from './answers.ts';
import { at, creation } from './creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { explorerBody, explorerSchema } from './explorers.ts';
import { fields } from './fields.ts';
import { newNode, nodeBody, nodeSchema } from './nodes.ts';
import { givenProperties, properties } from './properties.ts';

const service = 'administration';
const path = '/v1/admin/ledgers';
const params = z.object({ ledgerId: pathId('Id of the ledger.') });
const read = { needs: 'ledger:read', on: 'record' } as const;

const ledgerSchema = z
  .object({
    uid: z
      .string()
      .openapi({ description: 'Globally unique, unlike `ledgerId`, which several projects may use.' }),
    ledgerId: z.string(),
    name: z.string(),
    technology: z.string(),
    type: z.string(),
    active: z.boolean(),
    featured: z.boolean(),
    projectId: z.string().openapi({
      description: 'Id of the project; `system`: the deployer’s record, usable in every project.',
    }),
    properties,
  })
  .openapi('AdminLedger');
function ledgerBody({ id: _id, technologyTitle: _title, ...ledger }: LedgerView) {
  return ledger;
}

const changeable = {
  properties: givenProperties,
  type: text(64),
  active: z.boolean(),
  featured: z.boolean(),
};

export function ledgerRoutes(deps: LedgerNodes): Route[] {
  return [...collection(deps.ledgers), ...records(deps.ledgers), ...defaults(deps)];
}

function collection(ledgers: LedgerNodes['ledgers']): Route[] {
  const { answer, ...created } = creation(ledgerSchema, ledgerBody, ({ ledgerId }) => at(path, ledgerId));
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListLedgers',
      summary: 'List the active ledgers of a project',
      description: 'Ledgers of the project and of the deployer.',
      service,
      permission: read,
      query: z.strictObject({
        ...pageQuery,
        projectId: fields.id.optional().describe('Default: the caller’s project.'),
        featured: fields.flag(false).describe('Only featured ledgers.'),
      }),
      answers: answered(pageOfSchema('AdminLedgerPage', ledgerSchema)),
      async handle({ principal, query: { projectId, featured, ...page } }) {
        const query = { ...pagingOf(page), projectId };
        const found = featured
          ? ledgers.listFeatured(principal, query)
          : ledgers.listActive(principal, query);
        return ok(pageOf(await found, ledgerBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'adminCreateLedger',
      contacts: ['ledger'],
      summary: 'Create a ledger',
      description:
        'The service queries the initial nodes first and refuses a node on another chain. Without a `chain_id`, the first node determines the chain. The ledger can be used immediately.',
      service,
      permission: { needs: 'ledger:create', on: 'record' },
      body: jsonBody(
        z
          .strictObject({
            ledgerId: chosenId.optional(),
            name: recordName,
            technology: technologyName(),
            ...z.object(changeable).partial().shape,
            projectId: ofProject.optional(),
            nodes: z
              .array(z.strictObject(newNode))
              .max(64)
              .optional()
              .openapi({ description: 'Initial nodes, the default node first.' }),
          })
          .openapi('AdminNewLedger'),
        {
          ledgerId: 'main',
          name: 'Main chain',
          technology: 'ethereum',
          properties: { chain_id: 1, confirmations: 12 },
        },
      ),
      ...created,
      problems: ['not-found', 'already-exists', 'conflict', ...ledgerProblems],
      handle: async ({ principal, body, claim }) => answer(await ledgers.create(principal, body, claim)),
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
      contacts: ['plugin'],
      summary: 'Change a ledger',
      description:
        'Absent members remain unchanged; `properties` replaces all properties. The change takes effect without a restart, for operations accepted from now on.',
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
      problems: ['not-found', 'conflict', ...ledgerProblems],
      handle: async ({ principal, params: { ledgerId }, body }) =>
        ok(ledgerBody(await ledgers.update(principal, ledgerId, body))),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{ledgerId}`,
      operationId: 'adminDeleteLedger',
      summary: 'Delete a ledger with its nodes',
      service,
      permission: { needs: 'ledger:delete', on: 'record' },
      params,
      answers: { 204: { description: 'Deleted.' } },
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
      description:
        'The first explorer of the caller’s project; if the project has none, the first explorer of the deployer.',
      permission: { needs: 'explorer:read', on: 'record', also: ['ledger:read'] },
      answers: answered(explorerSchema),
      handle: async ({ principal, params: { ledgerId } }) =>
        ok(explorerBody(await explorers.defaultOf(principal, ledgerId))),
    }),
  ];
}

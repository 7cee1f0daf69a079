import { z } from '@hono/zod-openapi';
import type { ExplorerView, LedgerNodes } from '@ledger-ops/registry';
import { noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { chosenId, ofProject, pathId, recordName, text } from '../../http/schemas.ts';
import { answered } from './answers.ts';
import { at, creation } from './creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { fields } from './fields.ts';
import { givenProperties, properties } from './properties.ts';

const service = 'administration';
const path = '/v1/admin/explorers';
const params = z.object({ explorerId: pathId('Id of the explorer.') });
const read = { needs: 'explorer:read', on: 'record' } as const;

export const explorerSchema = z
  .object({
    explorerId: z.string(),
    ledgerId: z.string(),
    nodeId: z.string().nullable(),
    name: z.string(),
    projectId: z.string().openapi({
      description: 'Id of the project; `system`: the deployer’s record, shown in every project.',
    }),
    implementations: z.array(z.object({ type: z.string(), properties })),
  })
  .openapi('AdminExplorer');
export function explorerBody({ id: _id, ...explorer }: ExplorerView) {
  return explorer;
}

const implementations = z
  .array(
    z
      .strictObject({ type: text(64), properties: givenProperties.optional() })
      .openapi('AdminNewImplementation'),
  )
  .max(64)
  .openapi({
    description:
      'Of type `cloud-explorer` or `external-explorer`; links are templates in `transaction_url` (with `{locator}`), `address_url` (`{address}`) and `block_url` (`{block}`).',
  });
export function explorerRoutes({ explorers }: Pick<LedgerNodes, 'explorers'>): Route[] {
  return [...collection(explorers), ...records(explorers)];
}

function collection(explorers: LedgerNodes['explorers']): Route[] {
  const { answer, ...created } = creation(explorerSchema, explorerBody, ({ explorerId }) =>
    at(path, explorerId),
  );
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListExplorers',
      summary: 'List the explorers of a project',
      description: 'Explorers of the project and of the deployer.',
      service,
      permission: read,
      query: z.strictObject({
        ...pageQuery,
        projectId: fields.id.optional().describe('Default: the caller’s project.'),
      }),
      answers: answered(pageOfSchema('AdminExplorerPage', explorerSchema)),
      async handle({ principal, query: { projectId, ...page } }) {
        const query = { ...pagingOf(page), projectId };
        return ok(pageOf(await explorers.list(principal, query), explorerBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'adminCreateExplorer',
      summary: 'Create an explorer of a ledger',
      service,
      permission: { needs: 'explorer:create', on: 'record', also: ['ledger:read', 'node:read'] },
      body: jsonBody(
        z
          .strictObject({
            explorerId: chosenId.optional(),
            ledgerId: text(64),
            nodeId: text(64).nullish(),
            name: recordName,
            projectId: ofProject.optional(),
            implementations: implementations.optional(),
          })
          .openapi('AdminNewExplorer'),
        {
          explorerId: 'main-explorer',
          ledgerId: 'main',
          name: 'Explorer',
          implementations: [
            {
              type: 'external-explorer',
              properties: { transaction_url: 'https://explorer.example/tx/{locator}' },
            },
          ],
        },
      ),
      ...created,
      problems: ['not-found', 'already-exists'],
      handle: async ({ principal, body, claim }) => answer(await explorers.create(principal, body, claim)),
    }),
  ];
}

function records(explorers: LedgerNodes['explorers']): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${path}/{explorerId}`,
      operationId: 'adminGetExplorer',
      summary: 'Get an explorer',
      service,
      permission: read,
      params,
      answers: answered(explorerSchema),
      problems: ['not-found'],
      handle: async ({ principal, params: { explorerId } }) =>
        ok(explorerBody(await explorers.get(principal, explorerId))),
    }),
    defineRoute({
      method: 'put',
      path: `${path}/{explorerId}`,
      operationId: 'adminUpdateExplorer',
      summary: 'Change an explorer',
      description: 'Absent members remain unchanged; `implementations` replaces the whole list.',
      service,
      permission: { needs: 'explorer:update', on: 'record', also: ['node:read'] },
      params,
      body: jsonBody(
        z
          .strictObject({
            name: recordName.optional(),
            nodeId: text(64).nullish(),
            implementations: implementations.optional(),
          })
          .openapi('AdminExplorerChange'),
        { name: 'Explorer' },
      ),
      answers: answered(explorerSchema),
      problems: ['not-found'],
      handle: async ({ principal, params: { explorerId }, body }) =>
        ok(explorerBody(await explorers.update(principal, explorerId, body))),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{explorerId}`,
      operationId: 'adminDeleteExplorer',
      summary: 'Delete an explorer',
      service,
      permission: { needs: 'explorer:delete', on: 'record' },
      params,
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found'],
      async handle({ principal, params: { explorerId } }) {
        await explorers.delete(principal, explorerId);
        return noContent;
      },
    }),
  ];
}

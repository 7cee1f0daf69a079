import { z } from '@hono/zod-openapi';
import type { ExplorerView, LedgerNodes } from '@ledger-ops/registry';
import { noContent, ok } from '../../http/answer.ts';
import { given } from '../../http/given.ts';
import { type PointerMap, withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { answered } from '../admin/answers.ts';
import { fields } from '../admin/fields.ts';
import { chosenId, ofProject, recordName } from '../ledgers/properties.ts';
import { at, creation } from './creation.ts';
import { listed, pageOf, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { byName, givenProperties, listOf, placesOf, properties } from './properties.ts';

const service = 'administration';
const path = '/v1/admin/explorers';
const params = z.object({ explorerId: pathId('Id of the explorer.') });
const read = { needs: 'explorer:read', on: 'record' } as const;

export const explorerSchema = z
  .object({
    ...{ explorerId: z.string(), ledgerId: z.string(), nodeId: z.string().nullable(), name: z.string() },
    projectId: z.string().openapi({ description: '`system`: of the deployer, shown in every project.' }),
    implementations: z.array(z.object({ type: z.string(), properties })),
  })
  .openapi('AdminExplorer');
export function explorerBody(explorer: ExplorerView) {
  const { explorerID: explorerId, ledgerID: ledgerId, nodeID: nodeId, name, projectId } = explorer;
  return {
    ...{ explorerId, ledgerId, nodeId, name, projectId },
    implementations: explorer.implementations.map(({ type, properties }) => ({
      type: type.name,
      properties: byName(properties),
    })),
  };
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
type Given = z.infer<typeof implementations>;

function inputOf(all: Given | undefined) {
  if (all === undefined) return {};
  return {
    implementations: all.map(({ type, properties = {} }) => ({
      type: { name: type },
      properties: listOf(properties),
    })),
  };
}

function pointersOf(all: Given = []): PointerMap {
  return [
    ['/explorerID', '/explorerId'],
    ['/ledgerID', '/ledgerId'],
    ['/nodeID', '/nodeId'],
    ...all.flatMap(({ properties }, index) => {
      const at = `/implementations/${index}`;
      return [[`${at}/type/name`, `${at}/type`] as const, ...placesOf(properties, at)];
    }),
  ];
}

/** Explorers by current paths, over the same functions as the older ones. */
export function explorerRoutes({ explorers }: Pick<LedgerNodes, 'explorers'>): Route[] {
  return [...collection(explorers), ...records(explorers)];
}

function collection(explorers: LedgerNodes['explorers']): Route[] {
  const { answer, ...created } = creation(explorerSchema, explorerBody, ({ explorerID }) =>
    at(path, explorerID),
  );
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListExplorers',
      summary: 'List the explorers of a project',
      description: 'Those of the project, and those of the deployer.',
      service,
      permission: read,
      query: z.strictObject({
        ...pageQuery,
        projectId: fields.id.optional().describe('Absent: that of the caller.'),
      }),
      answers: answered(pageOfSchema('AdminExplorerPage', explorerSchema)),
      async handle({ principal, query: { projectId: project, ...page } }) {
        const query = { ...pagingOf(page), project };
        return ok(pageOf(listed(await explorers.list(principal, query)), explorerBody));
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
            ...{ explorerId: chosenId.optional(), ledgerId: text(64), nodeId: text(64).nullish() },
            ...{ name: recordName, projectId: ofProject.optional() },
            implementations: implementations.optional(),
          })
          .openapi('AdminNewExplorer'),
        {
          ...{ explorerId: 'main-explorer', ledgerId: 'main', name: 'Explorer' },
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
      handle: ({ principal, body, claim }) =>
        withPointers(pointersOf(body.implementations), async () => {
          const { explorerId: explorerID, ledgerId: ledgerID, nodeId: nodeID, name, projectId } = body;
          const input = {
            ...given({ explorerID, nodeID, projectId, name, ledgerID }),
            ...inputOf(body.implementations),
          };
          return answer(await explorers.create(principal, input, claim));
        }),
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
      description: 'Members that are absent stay as they are; `implementations` replaces all.',
      service,
      permission: { needs: 'explorer:update', on: 'record', also: ['node:read'] },
      params,
      body: jsonBody(
        z
          .strictObject({
            ...{ name: recordName.optional(), nodeId: text(64).nullish() },
            implementations: implementations.optional(),
          })
          .openapi('AdminExplorerChange'),
        { name: 'Explorer' },
      ),
      answers: answered(explorerSchema),
      problems: ['not-found'],
      handle: ({ principal, params: { explorerId }, body: { name, nodeId: nodeID, implementations } }) =>
        withPointers(pointersOf(implementations), async () => {
          const change = { ...given({ name, nodeID }), ...inputOf(implementations) };
          return ok(explorerBody(await explorers.update(principal, explorerId, change)));
        }),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{explorerId}`,
      operationId: 'adminDeleteExplorer',
      summary: 'Delete an explorer',
      service,
      permission: { needs: 'explorer:delete', on: 'record' },
      params,
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found'],
      async handle({ principal, params: { explorerId } }) {
        await explorers.delete(principal, explorerId);
        return noContent;
      },
    }),
  ];
}

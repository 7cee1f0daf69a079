import { z } from '@hono/zod-openapi';
import type { LegacyPlugins } from '@ledger-ops/registry';
import { created, noContent, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { listingOfProject } from '../ledgers/properties.ts';

const service = 'plugins';

const tagSchema = z.object({ id: z.int(), name: z.string() }).openapi('LegacyPluginTag');
const pluginSchema = z
  .object({
    id: z.int().openapi({ format: 'int64' }),
    name: z.string(),
    pluginId: z.string(),
    pluginURL: z.string(),
    project: z.string().openapi({ description: '`system`: of the deployer, usable in every project.' }),
    resourceId: z.string(),
    tags: z.array(tagSchema),
  })
  .openapi('LegacyPlugin');

const input = { name: text(256), pluginURL: text(2_048) };
const newPluginSchema = z
  .object({
    ...input,
    pluginId: text(64).nullish().openapi({ description: 'Generated when absent.' }),
    project: text(64)
      .nullish()
      .openapi({ description: 'Id of the project; absent: of the caller’s application.' }),
    tags: z
      .array(z.object({ name: z.string().max(256) }))
      .max(64)
      .nullish(),
  })
  .openapi('CreateLegacyPluginBody');
const updateSchema = z.object(input).openapi('LegacyPluginUpdate');
const newTagSchema = z.object({ name: z.string().max(256) }).openapi('CreateLegacyPluginTagBody');

const example = {
  id: 1,
  name: 'ethereum',
  pluginId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14',
  pluginURL: 'npm:@ledger-ops/plugin-ethereum',
  project: 'dev-project',
  resourceId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14',
  tags: [{ id: 1, name: 'ethereum' }],
};
const pluginPage = pageKind('PluginPage', pluginSchema, 'A page of plugins.');
const pluginAnswer = { 200: { description: 'The plugin.', schema: pluginSchema, example } };
const params = z.object({ pluginId: pathId('Id of the plugin.') });
const update = { needs: 'plugin:update', on: 'record' } as const;
const read = { needs: 'plugin:read', on: 'record' } as const;

/** The deprecated operations of section 4.4, over the same plugins. */
export function legacyPluginRoutes(plugins: LegacyPlugins): Route[] {
  return [...recordRoutes(plugins), ...tagRoutes(plugins)];
}

function recordRoutes(plugins: LegacyPlugins): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/legacy-plugins',
      operationId: 'legacyListPlugins',
      successor: '/v1/plugins',
      summary: 'List plugins by project, and by tags',
      service,
      permission: read,
      deprecated: true,
      query: z.object({
        ...listingOfProject(['id', 'name', 'pluginId', 'pluginURL', 'project', 'resourceId']),
        tags: z
          .array(text(256, 0))
          .max(64)
          .default([])
          .openapi({ description: 'Only plugins that have all of them.' }),
      }),
      answers: pluginPage.answers,
      handle: async ({ principal, query: { resourceId = '', ...query } }) =>
        pluginPage.answer(query, await plugins.list(principal, { ...query, resourceId })),
    }),
    defineRoute({
      method: 'post',
      path: '/v1/legacy-plugins',
      operationId: 'legacyCreatePlugin',
      successor: '/v1/plugins',
      summary: 'Create a plugin',
      service,
      permission: { needs: 'plugin:create', on: 'record' },
      deprecated: true,
      body: jsonBody(newPluginSchema, {
        name: 'ethereum',
        pluginURL: example.pluginURL,
        project: 'dev-project',
        tags: [{ name: 'ethereum' }],
      }),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The plugin, active.', schema: pluginSchema, example } },
      problems: ['not-found', 'already-exists', 'conflict', 'plugin-refused'],
      async handle({ principal, body, claim }) {
        const { name, pluginURL, pluginId = null, project = null, tags = null } = body;
        const given = { name, pluginURL, pluginId, project, tags };
        return created(await plugins.create(principal, given, claim));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/legacy-plugins/{pluginId}',
      operationId: 'legacyGetPlugin',
      successor: '/v1/plugins/{pluginId}',
      summary: 'Get a plugin by its id',
      service,
      permission: read,
      deprecated: true,
      params,
      answers: pluginAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params: { pluginId } }) => ok(await plugins.get(principal, pluginId)),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/legacy-plugins/{pluginId}',
      operationId: 'legacyUpdatePlugin',
      successor: '/v1/plugins/{pluginId}',
      summary: 'Change a plugin’s name and URL',
      service,
      permission: { ...update, also: ['plugin:create'] },
      deprecated: true,
      params,
      body: jsonBody(updateSchema, { name: 'ethereum', pluginURL: example.pluginURL }),
      answers: pluginAnswer,
      problems: ['not-found', 'conflict', 'plugin-refused'],
      handle: async ({ principal, params: { pluginId }, body }) =>
        ok(await plugins.update(principal, pluginId, body)),
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/legacy-plugins/{pluginId}',
      operationId: 'legacyDeletePlugin',
      successor: '/v1/plugins/{pluginId}',
      summary: 'Delete a plugin',
      service,
      permission: { needs: 'plugin:delete', on: 'record' },
      deprecated: true,
      params,
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found', 'conflict', 'in-use'],
      async handle({ principal, params: { pluginId } }) {
        await plugins.delete(principal, pluginId);
        return noContent;
      },
    }),
  ];
}

function tagRoutes(plugins: LegacyPlugins): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/legacy-plugins/{pluginId}/tags',
      operationId: 'legacyAddPluginTag',
      successor: '/v1/plugins/{pluginId}/tags',
      summary: 'Add one tag to a plugin',
      description: 'The tag’s id is given by the service.',
      service,
      permission: update,
      deprecated: true,
      params,
      body: jsonBody(newTagSchema, { name: 'ethereum' }),
      answers: pluginAnswer,
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params: { pluginId }, body }) =>
        ok(await plugins.addTag(principal, pluginId, body)),
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/legacy-plugins/tags',
      operationId: 'legacyRemovePluginTag',
      summary: 'Remove one tag from a plugin',
      service,
      permission: update,
      deprecated: true,
      query: z.object({ pluginId: text(256), tagName: text(256, 0) }),
      answers: pluginAnswer,
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, query: { pluginId, tagName } }) =>
        ok(await plugins.removeTag(principal, pluginId, tagName)),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/legacy-plugins/tags',
      operationId: 'legacyListPluginTags',
      summary: 'List the tags of a plugin',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ plugin: text(256).openapi({ description: 'Id of the plugin.' }) }),
      answers: { 200: { description: 'The tags, oldest first.', schema: z.array(tagSchema) } },
      problems: ['not-found'],
      handle: async ({ principal, query: { plugin } }) => ok(await plugins.listTags(principal, plugin)),
    }),
  ];
}

import { z } from '@hono/zod-openapi';
import { invalidRequest, pagingParameters } from '@ledger-ops/base';
import type { PluginStatus } from '@ledger-ops/runtime';
import { created, noContent, ok } from '../http/answer.ts';
import { given } from '../http/given.ts';
import { defineRoute, jsonBody, optionalBody, type Route } from '../http/route.ts';
import { longText, pathId, text } from '../http/schemas.ts';
import type { LedgerSelection, PluginPort } from '../ports/plugin-port.ts';

const service = 'plugins';

const pluginShape = {
  active: z.boolean(),
  id: z.string(),
  implementationVersion: z.string().openapi({
    description:
      'Version of the adapter interface that the plugin implements (semantic versioning). Of several matching plugins, the one with the highest interface version is selected; among equals, the one with the highest `version`.',
  }),
  version: z.string().nullable().openapi({
    description:
      'Version of the plugin itself (semantic versioning). Null if it is unknown, which counts as lower than any version.',
  }),
  name: z.string(),
  pluginType: z.string(),
  projectId: z
    .string()
    .openapi({ description: 'Id of the project; `system`: the deployer’s record, usable in every project.' }),
  tags: z.array(z.string()).openapi({
    description: 'A ledger selects plugins of its technology whose tags include all of its `plugin_tags`.',
  }),
  url: z.string().openapi({
    description: '`npm:<package>[@range]`, `file:<path>` or the address of a remote plugin.',
  }),
  integrity: z.string().nullable().openapi({
    description: 'Required hash of the module’s file, `sha512-…`; null if any file is accepted.',
  }),
  hasCredentials: z.boolean().openapi({
    description:
      'Whether the server authenticates to the remote plugin with `credentials` from its registration.',
  }),
};
const pluginSchema = z.object(pluginShape).openapi('LedgerPlugin');
const healthSchema = z
  .object({
    loaded: z.boolean().openapi({ description: 'Whether the plugin was loaded and responds.' }),
    technology: z.string().nullable().openapi({
      description: 'Technology of the plugin’s ledgers; null before the plugin was loaded.',
    }),
    version: z.string().nullable().openapi({ description: 'The plugin’s own version.' }),
    ledgers: z.array(z.string()).nullable().openapi({
      description:
        'Ids of the ledgers that the plugin serves; null if it serves all ledgers of its technology, or was not loaded. `GET /v1/plugins/selection` shows whether the plugin can serve a ledger.',
    }),
    changed: z.string().nullable().openapi({
      description:
        'How `ledgers` differs from what was accepted when the plugin was registered, changed or activated, and what to do; null if it does not differ.',
    }),
    lastError: z.object({ at: z.string().openapi({ format: 'date-time' }), detail: z.string() }).nullable(),
    latency: z.number().nullable().openapi({
      description: 'Moving average of the duration of calls in milliseconds; null before the first call.',
    }),
    restarts: z.int().openapi({ description: 'Number of restarts of the plugin’s process.' }),
    isolation: z.enum(['isolated', 'restricted']).nullable().openapi({
      description:
        'How the plugin’s process is isolated. `isolated`: kernel namespaces and Node’s permission model; `restricted`: only Node’s permission model; null if it has no separate process on this server.',
    }),
  })
  .openapi('PluginHealth', { description: 'Health of the plugin on the responding server.' });
const writtenSchema = z
  .object({
    ...pluginShape,
    warnings: z.array(z.string()).openapi({
      description:
        'Probable mistakes, such as a remote plugin that does not respond, or a technology without ledgers.',
    }),
  })
  .openapi('WrittenPlugin');
const selectionSchema = z
  .object({
    ledgerId: z.string(),
    tags: z
      .array(z.string())
      .openapi({ description: 'Tags that the plugin must have, the technology first.' }),
    chosen: z
      .object({
        id: z.string(),
        canServe: z.boolean(),
        fault: z.string().nullable().openapi({
          description:
            'Why the plugin cannot serve the ledger on this server: the plugin cannot be loaded or cannot open the ledger, or no node reports the chain.',
        }),
      })
      .nullable()
      .openapi({ description: 'The selected plugin; null if none matches.' }),
    candidates: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          builtIn: z.boolean(),
          isChosen: z.boolean(),
          reason: z.string().nullable().openapi({ description: 'Why the plugin is not selected.' }),
        }),
      )
      .openapi({ description: 'All plugins that the project may use, matching ones first.' }),
  })
  .openapi('PluginSelection');
const healthyPluginSchema = z.object({ ...pluginShape, health: healthSchema }).openapi('PluginWithHealth');

const pageSchema = z
  .object({
    contentType: z.literal('PluginPagedResult'),
    hasMore: z.boolean(),
    nextPage: z.int().openapi({
      description: 'Number of the next page, from 0; on the last page, the number of this page.',
    }),
    previousPage: z.int().openapi({
      description: 'Number of the previous page, from 0; on the first page, the number of this page.',
    }),
    pageContent: z.array(pluginSchema),
  })
  .openapi('PluginPagedResult');

const tags = z.array(z.string().max(256)).max(64);
// Read-only members of a record are accepted and ignored, so that a record can be read, changed and sent back.
const ignored = {
  id: z.unknown().optional(),
  pluginType: z.unknown().optional(),
  health: z.unknown().optional(),
  warnings: z.unknown().optional(),
  hasCredentials: z.unknown().optional(),
};
const pem = longText(65_536);
const credentials = z
  .strictObject({
    bearerToken: text(4_096).optional(),
    clientCertificate: pem
      .optional()
      .openapi({ description: 'Client certificate with its chain, in PEM, for mutual TLS.' }),
    clientKey: pem.optional().openapi({ description: 'Private key of the certificate, in PEM.' }),
    certificateAuthority: pem.optional().openapi({
      description:
        'PEM certificate of the CA that issued the plugin’s certificate. If set, it is trusted instead of the public CAs.',
    }),
  })
  .nullable()
  .openapi('PluginCredentials', {
    writeOnly: true,
    description:
      'Credentials that the server sends to a remote plugin. Stored encrypted, never returned, and required again when `url` changes. Null means no credentials.',
  })
  .optional();
const takeOver = z.boolean().optional().openapi({
  description:
    'Whether the request may change which plugin serves existing ledgers: the plugin takes over ledgers of other plugins, or no longer serves its own. If true (the default), `warnings` names these ledgers. If false, the request fails with `conflict`, which names them.',
});
const newPluginSchema = z
  .strictObject({
    name: text(256),
    projectId: text(64),
    url: text(2_048),
    implementationVersion: text(64)
      .nullish()
      .openapi({ description: 'Version of the adapter interface. Default: from the module.' }),
    version: text(128)
      .nullish()
      .openapi({ description: 'Version of the plugin itself. Default: from the module.' }),
    tags: tags.nullish().openapi({
      description: 'Ledgers select the plugin by its tags, so they should include its technology.',
    }),
    integrity: text(128).nullish().openapi({
      description: '`sha512-` followed by the base64 of the SHA-512 of the module’s file, as in npm.',
    }),
    credentials,
    takeOver,
    active: z.unknown().optional(),
    ...ignored,
  })
  .openapi('CreatePluginBody');
const updateSchema = z
  .strictObject({
    active: z.boolean(),
    name: text(256),
    url: text(2_048),
    implementationVersion: text(64).nullish(),
    version: text(128).nullish().openapi({
      description:
        'Version of the plugin itself. Default: from the module if it is loaded again or the version is unknown; otherwise unchanged.',
    }),
    integrity: text(128).nullish(),
    credentials,
    takeOver,
    projectId: z.unknown().optional(),
    tags: z.unknown().optional(),
    ...ignored,
  })
  .openapi('PluginUpdate');
const tagsSchema = z.strictObject({ tags }).openapi('PluginTags');
const newTagsSchema = z.strictObject({ tags, takeOver }).openapi('AddPluginTagsBody');

const example = {
  active: true,
  id: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14',
  implementationVersion: '0.1.0',
  version: '1.0.0',
  name: 'ethereum',
  pluginType: 'BLOCKCHAIN_PLUGIN',
  projectId: 'dev-project',
  tags: ['ethereum'],
  url: 'npm:@ledger-ops/plugin-ethereum',
  integrity: null,
  hasCredentials: false,
};
const newExample = { name: 'ethereum', projectId: 'dev-project', url: example.url, tags: ['ethereum'] };
const writtenExample = { ...example, warnings: [] };
const pluginAnswer = { 200: { description: 'The plugin.', schema: pluginSchema, example } };
const params = z.object({ pluginId: pathId('Id of the plugin.') });

/** Plugins (specification, section 4.4). */
export function pluginRoutes(plugins: PluginPort): Route[] {
  return [...recordRoutes(plugins), ...tagRoutes(plugins)];
}

function recordRoutes(plugins: PluginPort): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/plugins',
      operationId: 'listPlugins',
      summary: 'List plugins',
      description: 'Plugins of the project, and plugins of the deployer that it may use.',
      service,
      permission: { needs: 'plugin:read', on: 'record' },
      query: z.strictObject({
        project: text(64).openapi({ description: 'Id of the project.' }),
        tags: tags.default([]).openapi({ description: 'Only plugins that have all of these tags.' }),
        ...pagingParameters([
          'id',
          'name',
          'url',
          'active',
          'pluginType',
          'implementationVersion',
          'version',
          'projectId',
          'integrity',
          'hasCredentials',
        ]),
      }),
      answers: { 200: { description: 'A page of plugins.', schema: pageSchema } },
      async handle({ principal, query }) {
        return ok(pageBody(query, await plugins.list(principal, query)));
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/plugins',
      operationId: 'createPlugin',
      contacts: ['plugin'],
      summary: 'Register a plugin',
      description:
        'The service loads the module or queries the remote plugin. If it cannot be used, registration fails with `plugin-refused` and the reason.',
      service,
      permission: { needs: 'plugin:create', on: 'record' },
      body: jsonBody(newPluginSchema, newExample),
      creates: { present: (stored) => stored },
      answers: {
        201: { description: 'The active plugin.', schema: writtenSchema, example: writtenExample },
      },
      problems: ['not-found', 'conflict', 'plugin-refused'],
      async handle({ principal, body, claim }) {
        const { name, projectId, url, implementationVersion, version, integrity } = body;
        const { tags, credentials, takeOver } = body;
        const input = { name, projectId, url, tags: tags ?? [], credentials: credentials ?? null };
        const chosen = given({ implementationVersion, version, integrity, takeOver });
        return created(await plugins.create(principal, { ...input, ...chosen }, claim));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/plugins/selection',
      operationId: 'getPluginSelection',
      contacts: ['ledger'],
      summary: 'Get the plugin that serves a ledger',
      description:
        'Shows the plugin that serves wallets of the caller’s project if a request names no plugin, why the other plugins are not selected, and whether the selected one can serve the ledger. To find this out, the responding server opens the ledger.',
      service,
      permission: { needs: 'plugin:read', on: 'record', also: ['ledger:read'] },
      query: z.strictObject({ ledgerId: text(64) }),
      answers: { 200: { description: 'The selection.', schema: selectionSchema } },
      problems: ['not-found'],
      async handle({ principal, query: { ledgerId } }) {
        return ok(selectionBody(await plugins.selection(principal, ledgerId)));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/plugins/{pluginId}',
      operationId: 'getPlugin',
      summary: 'Get a plugin and its health',
      service,
      permission: { needs: 'plugin:read', on: 'record' },
      params,
      answers: { 200: { description: 'The plugin.', schema: healthyPluginSchema } },
      problems: ['not-found'],
      async handle({ principal, params: { pluginId } }) {
        const plugin = await plugins.get(principal, pluginId);
        return ok({ ...plugin, health: healthBody(await plugins.health(principal, pluginId)) });
      },
    }),
    defineRoute({
      method: 'put',
      path: '/v1/plugins/{pluginId}',
      operationId: 'updatePlugin',
      contacts: ['plugin'],
      summary: 'Change a plugin',
      description:
        'The change takes effect without a restart; a new module is loaded and checked as at registration. Transactions signed through it are tracked until they are final, even if it is deactivated.',
      service,
      permission: { needs: 'plugin:update', on: 'record', also: ['plugin:create'] },
      params,
      body: jsonBody(updateSchema, { active: true, name: 'ethereum', url: example.url }),
      answers: { 200: { description: 'The plugin.', schema: writtenSchema, example: writtenExample } },
      problems: ['not-found', 'conflict', 'plugin-refused'],
      async handle({ principal, params: { pluginId }, body }) {
        const { active, name, url, implementationVersion, version, integrity, credentials, takeOver } = body;
        const chosen = given({ implementationVersion, version, integrity, credentials, takeOver });
        return ok(await plugins.update(principal, pluginId, { active, name, url, ...chosen }));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/plugins/{pluginId}',
      operationId: 'deletePlugin',
      summary: 'Delete a plugin',
      service,
      permission: { needs: 'plugin:delete', on: 'record' },
      params,
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found', 'conflict', 'in-use'],
      async handle({ principal, params: { pluginId } }) {
        await plugins.delete(principal, pluginId);
        return noContent;
      },
    }),
  ];
}

function pageBody(
  { page, size }: { page: number; size: number },
  { items, total }: { items: unknown; total: number },
) {
  const hasMore = (page + 1) * size < total;
  return {
    contentType: 'PluginPagedResult',
    hasMore,
    nextPage: hasMore ? page + 1 : page,
    previousPage: Math.max(0, page - 1),
    pageContent: items,
  };
}

function tagRoutes(plugins: PluginPort): Route[] {
  const spec = {
    path: '/v1/plugins/{pluginId}/tags',
    service,
    permission: { needs: 'plugin:update', on: 'record' },
    params,
    answers: pluginAnswer,
    problems: ['not-found', 'conflict'],
  } as const;
  return [
    defineRoute({
      ...spec,
      method: 'post',
      operationId: 'addPluginTags',
      summary: 'Add tags to a plugin',
      body: jsonBody(newTagsSchema, { tags: ['ethereum'] }),
      handle: async ({ principal, params: { pluginId }, body }) =>
        ok(await plugins.addTags(principal, pluginId, body.tags, body.takeOver)),
    }),
    defineRoute({
      ...spec,
      method: 'delete',
      operationId: 'removePluginTags',
      summary: 'Remove tags from a plugin',
      description: 'Pass the tags in the body, or in the query if a proxy drops bodies of DELETE.',
      query: z.strictObject({ tags: tags.default([]) }),
      body: optionalBody(jsonBody(tagsSchema, { tags: ['ethereum'] })),
      async handle({ principal, params: { pluginId }, query, body }) {
        const all = [...query.tags, ...(body?.tags ?? [])];
        if (all.length === 0) {
          throw invalidRequest([{ pointer: '/tags', detail: 'is required, in the body or in the query' }]);
        }
        return ok(await plugins.removeTags(principal, pluginId, all));
      },
    }),
  ];
}

function selectionBody({ ledgerId, tags: wanted, chosen, candidates }: LedgerSelection) {
  return {
    ledgerId,
    tags: wanted,
    chosen:
      chosen === null ? null : { id: chosen.pluginId, canServe: chosen.fault === null, fault: chosen.fault },
    candidates: candidates.map(({ pluginId, name, builtIn, why }) => {
      return { id: pluginId, name, builtIn, isChosen: why === null, reason: why };
    }),
  };
}

function healthBody(status: PluginStatus | null) {
  if (status === null) {
    const unmeasured = { lastError: null, latency: null, restarts: 0, isolation: null };
    return { loaded: false, technology: null, version: null, ledgers: null, changed: null, ...unmeasured };
  }
  const { lastError } = status;
  return {
    ...status,
    lastError:
      lastError === null ? null : { at: new Date(lastError.at).toISOString(), detail: lastError.detail },
  };
}

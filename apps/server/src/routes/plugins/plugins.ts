import { z } from '@hono/zod-openapi';
import { invalidRequest, pagingParameters } from '@ledger-ops/base';
import type { PluginStatus } from '@ledger-ops/runtime';
import { created, noContent, ok } from '../../http/answer.ts';
import { given } from '../../http/given.ts';
import { defineRoute, jsonBody, optionalBody, type Route } from '../../http/route.ts';
import { longText, pathId, text } from '../../http/schemas.ts';
import type { LedgerSelection, PluginPort } from '../../ports/plugin-port.ts';

const service = 'plugins';

const pluginShape = {
  active: z.boolean(),
  id: z.string(),
  implementationVersion: z.string().openapi({
    description:
      'Version of the adapter interface that it implements (semantic versioning). Of several plugins that fit a ledger the highest is chosen.',
  }),
  name: z.string(),
  pluginType: z.string(),
  projectId: z.string().openapi({ description: '`system`: of the deployer, usable in every project.' }),
  tags: z.array(z.string()).openapi({
    description:
      'A ledger chooses plugins that have its technology and each of its `plugin_tags` among their tags.',
  }),
  url: z.string().openapi({
    description: '`npm:<package>[@range]`, `file:<path>` or the address of a remote plugin.',
  }),
  integrity: z
    .string()
    .nullable()
    .openapi({ description: '`sha512-…` that the file of its module must have; null: not pinned.' }),
  hasCredentials: z
    .boolean()
    .openapi({ description: 'A remote plugin is shown who calls: see `credentials` of its registration.' }),
};
const pluginSchema = z.object(pluginShape).openapi('LedgerPlugin');
const healthSchema = z
  .object({
    loaded: z.boolean().openapi({ description: 'It was loaded and answers.' }),
    technology: z
      .string()
      .nullable()
      .openapi({ description: 'It can serve ledgers of this technology; null before it was loaded.' }),
    version: z.string().nullable().openapi({ description: 'The plugin’s own version.' }),
    ledgers: z.array(z.string()).nullable().openapi({
      description:
        'Ids of the only ledgers that it serves; null: all of its technology, or it was not loaded. Whether it can serve one says `GET /v1/plugins/selection`.',
    }),
    lastError: z.object({ at: z.string().openapi({ format: 'date-time' }), detail: z.string() }).nullable(),
    latency: z
      .number()
      .nullable()
      .openapi({ description: 'Milliseconds of a call, a moving average; null before the first.' }),
    restarts: z.int().openapi({ description: 'Times that its process was started again.' }),
    isolation: z.enum(['isolated', 'restricted']).nullable().openapi({
      description:
        'How its process is shut off: `isolated` by namespaces of the kernel and Node’s permission model, `restricted` by the latter alone; null: it has no process of its own on the server.',
    }),
  })
  .openapi('PluginHealth', { description: 'How it is doing on the server that answers.' });
const writtenSchema = z
  .object({
    ...pluginShape,
    warnings: z.array(z.string()).openapi({
      description:
        'What is likely not meant, or can be known only later: a remote plugin that does not answer, a technology that no ledger has.',
    }),
  })
  .openapi('WrittenPlugin');
const selectionSchema = z
  .object({
    ledgerId: z.string(),
    tags: z.array(z.string()).openapi({ description: 'What the plugin must have, the technology first.' }),
    chosen: z
      .object({
        id: z.string(),
        canServe: z.boolean(),
        fault: z.string().nullable().openapi({
          description:
            'Why it cannot serve the ledger on this server: it cannot be loaded, or does not open this ledger, or no node says which chain it is.',
        }),
      })
      .nullable()
      .openapi({ description: 'Null: none fits.' }),
    candidates: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          builtIn: z.boolean(),
          isChosen: z.boolean(),
          reason: z.string().nullable().openapi({ description: 'Why it is not chosen.' }),
        }),
      )
      .openapi({ description: 'All that the project may use, those that fit first.' }),
  })
  .openapi('PluginSelection');
const healthyPluginSchema = z.object({ ...pluginShape, health: healthSchema }).openapi('PluginWithHealth');

const pageSchema = z
  .object({
    contentType: z.literal('PluginPagedResult'),
    hasMore: z.boolean(),
    nextPage: z.int().openapi({ description: 'Zero-based; on the last page the page itself.' }),
    previousPage: z.int().openapi({ description: 'Zero-based; on the first page the page itself.' }),
    pageContent: z.array(pluginSchema),
  })
  .openapi('PluginPagedResult');

const tags = z.array(z.string().max(256)).max(64);
// Members of the record that cannot be set may stand in a body that was read before: they are ignored.
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
    clientCertificate: pem.optional().openapi({ description: 'PEM, with its chain: mutual TLS.' }),
    clientKey: pem.optional().openapi({ description: 'PEM, of the certificate.' }),
    certificateAuthority: pem
      .optional()
      .openapi({ description: 'PEM, in place of public ones: who signed the plugin’s own certificate.' }),
  })
  .nullable()
  .openapi('PluginCredentials', {
    writeOnly: true,
    description:
      'Of a remote plugin: what shows it who calls. Kept sealed, never answered, and given anew when `url` changes. Null: none.',
  })
  .optional();
const newPluginSchema = z
  .strictObject({
    name: text(256),
    projectId: text(64),
    url: text(2_048),
    implementationVersion: text(64)
      .nullish()
      .openapi({ description: 'Default: what the module says of itself.' }),
    tags: tags.nullish().openapi({ description: 'Its technology, to be chosen by ledgers.' }),
    integrity: text(128).nullish().openapi({
      description: '`sha512-` and the base64 of the SHA-512 of the module’s file, as npm writes it.',
    }),
    credentials,
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
    integrity: text(128).nullish(),
    credentials,
    projectId: z.unknown().optional(),
    tags: z.unknown().optional(),
    ...ignored,
  })
  .openapi('PluginUpdate');
const tagsSchema = z.strictObject({ tags }).openapi('PluginTags');

const example = {
  active: true,
  id: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14',
  implementationVersion: '0.1.0',
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

/** Section 4.4. */
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
      description: 'Those of the project, and those of the deployer that it may use.',
      service,
      permission: { needs: 'plugin:read', on: 'record' },
      query: z.strictObject({
        project: text(64).openapi({ description: 'Id of the project.' }),
        tags: tags.default([]).openapi({ description: 'Only plugins that have all of them.' }),
        ...pagingParameters([
          ...['id', 'name', 'url', 'active', 'pluginType', 'implementationVersion'],
          ...['projectId', 'integrity', 'hasCredentials'],
        ]),
      }),
      answers: { 200: { description: 'A page of plugins.', schema: pageSchema } },
      async handle({ principal, query }) {
        const { items, total } = await plugins.list(principal, query);
        const { page, size } = query;
        const hasMore = (page + 1) * size < total;
        return ok({
          contentType: 'PluginPagedResult',
          hasMore,
          nextPage: hasMore ? page + 1 : page,
          previousPage: Math.max(0, page - 1),
          pageContent: items,
        });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/plugins',
      operationId: 'createPlugin',
      summary: 'Register a plugin',
      description:
        'Its module is loaded, or the remote plugin asked what it is: what cannot be used is refused with `plugin-refused`, and why.',
      service,
      permission: { needs: 'plugin:create', on: 'record' },
      body: jsonBody(newPluginSchema, newExample),
      creates: { present: (stored) => stored },
      answers: {
        201: { description: 'The plugin, active.', schema: writtenSchema, example: writtenExample },
      },
      problems: ['not-found', 'conflict', 'plugin-refused'],
      async handle({ principal, body, claim }) {
        const { name, projectId, url, implementationVersion, integrity } = body;
        const { credentials: its = null } = body;
        const input = { name, projectId, url, tags: body.tags ?? [] };
        return created(
          await plugins.create(
            principal,
            { ...input, ...given({ implementationVersion, integrity }), credentials: its },
            claim,
          ),
        );
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/plugins/selection',
      operationId: 'getPluginSelection',
      summary: 'Which plugin serves a ledger',
      description:
        'For wallets of the caller’s project, when a request names no plugin; why each other is not chosen, and whether the chosen one can serve the ledger on the server that answers, which opens it for that.',
      service,
      permission: { needs: 'plugin:read', on: 'record', also: ['ledger:read'] },
      query: z.strictObject({ ledgerId: text(64) }),
      answers: { 200: { description: 'The choice.', schema: selectionSchema } },
      problems: ['not-found'],
      async handle({ principal, query: { ledgerId } }) {
        return ok(selectionBody(await plugins.selection(principal, ledgerId)));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/plugins/{pluginId}',
      operationId: 'getPlugin',
      summary: 'Get a plugin, and how it is doing',
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
      summary: 'Change a plugin',
      description:
        'Takes effect without a restart; another module is asked what it is, as at the registration. What was signed through it is followed to its end, also when it is deactivated.',
      service,
      permission: { needs: 'plugin:update', on: 'record', also: ['plugin:create'] },
      params,
      body: jsonBody(updateSchema, { active: true, name: 'ethereum', url: example.url }),
      answers: { 200: { description: 'The plugin.', schema: writtenSchema, example: writtenExample } },
      problems: ['not-found', 'conflict', 'plugin-refused'],
      async handle({ principal, params: { pluginId }, body }) {
        const { active, name, url, implementationVersion, integrity } = body;
        const more = body.credentials === undefined ? {} : { credentials: body.credentials };
        const input = { active, name, url, ...given({ implementationVersion, integrity }), ...more };
        return ok(await plugins.update(principal, pluginId, input));
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
      answers: { 204: { description: 'It is gone.' } },
      problems: ['not-found', 'conflict', 'in-use'],
      async handle({ principal, params: { pluginId } }) {
        await plugins.delete(principal, pluginId);
        return noContent;
      },
    }),
  ];
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
      body: jsonBody(tagsSchema, { tags: ['ethereum'] }),
      handle: async ({ principal, params: { pluginId }, body }) =>
        ok(await plugins.addTags(principal, pluginId, body.tags)),
    }),
    defineRoute({
      ...spec,
      method: 'delete',
      operationId: 'removePluginTags',
      summary: 'Remove tags from a plugin',
      description: 'In the body, or in the query where a proxy drops the bodies of DELETE.',
      query: z.strictObject({ tags: tags.default([]) }),
      body: optionalBody(jsonBody(tagsSchema, { tags: ['ethereum'] })),
      async handle({ principal, params: { pluginId }, query, body }) {
        const all = [...query.tags, ...(body?.tags ?? [])];
        if (all.length === 0) {
          throw invalidRequest([{ pointer: '/tags', detail: 'is needed, in the body or in the query' }]);
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
    return { loaded: false, technology: null, version: null, ledgers: null, ...unmeasured };
  }
  const { lastError } = status;
  return {
    ...status,
    lastError:
      lastError === null ? null : { at: new Date(lastError.at).toISOString(), detail: lastError.detail },
  };
}

import { OpenAPIHono, z } from '@hono/zod-openapi';
import { type ProblemName, problemCatalogue, problemType } from '@ledger-ops/base';
import { gloJsonSchema } from '@ledger-ops/glo-core';
import { pause } from '../http/pause.ts';
import { problemSchema } from '../http/problems/problem-schema.ts';
import { changesSomething } from '../http/read-only.ts';
import { inWords } from '../http/request/body-limits.ts';
import { neededOf, type Route } from '../http/route.ts';
import { services } from '../http/services.ts';
import { finishDocument } from './finish.ts';
import { registerSchemas, schemaOf } from './json-schema.ts';
import { describeWebhook } from './webhooks.ts';

/** The document's members about the service itself. */
export interface DocumentOptions {
  readonly baseUrl: string;
  /** The project's version. */
  readonly version: string;
}

export type ApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

const openapi = '3.1.0';
/** Number of routes that are described in one turn of the event loop. */
const atOnce = 8;

/**
 * Generates the OpenAPI 3.1 document of a route table. It yields between pieces, because a running server generates it
 * on request and must not block other requests.
 */
export async function buildDocument(
  routes: readonly Route[],
  { baseUrl, version }: DocumentOptions,
): Promise<ApiDocument> {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'ApplicationToken', {
    type: 'apiKey',
    in: 'header',
    name: 'ApplicationToken',
    description: 'The application’s token.',
  });
  registry.registerComponent('securitySchemes', 'AccessToken', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'From POST /v1/auth/token.',
  });
  registry.registerComponent('securitySchemes', 'OAuth2', {
    type: 'oauth2',
    description: 'The same access token, for OAuth 2.0 clients.',
    flows: {
      clientCredentials: { tokenUrl: `${baseUrl}/v1/auth/token`, scopes: {} },
      authorizationCode: {
        authorizationUrl: `${baseUrl}/v1/auth/authorize`,
        tokenUrl: `${baseUrl}/v1/auth/token`,
        refreshUrl: `${baseUrl}/v1/auth/token`,
        scopes: {},
      },
    },
  });
  registerSchemas('Glo', gloJsonSchema(), registry);
  registry.register('Problem', problemSchema);
  const paths: NonNullable<ApiDocument['paths']> = {};
  const schemas: NonNullable<ApiDocument['components']>['schemas'] = {};
  for (let from = 0; from < routes.length; from += atOnce) {
    await pause();
    const some = new OpenAPIHono();
    // Registered before the routes: the generator loses the description next to a reference when it first processes
    // the referenced schema.
    some.openAPIRegistry.register('Problem', problemSchema);
    for (const route of routes.slice(from, from + atOnce)) {
      some.openAPIRegistry.registerPath(describeRoute(route, registry));
    }
    const part = some.getOpenAPI31Document({ openapi, info: { title: '', version: '' } });
    for (const [path, item] of Object.entries(part.paths ?? {})) paths[path] = { ...paths[path], ...item };
    for (const [name, schema] of Object.entries(part.components?.schemas ?? {})) schemas[name] ??= schema;
  }
  registry.registerWebhook(describeWebhook());
  const whole = app.getOpenAPI31Document({
    openapi,
    info: {
      title: 'Ledger Operations',
      version,
      description:
        'Ledger-agnostic operations through custodial wallets. Every error response is a problem document (RFC 9457).',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(services).map(([name, { title, version: componentVersion }]) => ({
      name,
      description: title,
      ...(componentVersion === undefined ? {} : { 'x-component-version': componentVersion }),
    })),
  });
  const components = { ...whole.components, schemas: { ...whole.components?.schemas, ...schemas } };
  return await finishDocument({ ...whole, components, paths }, routes);
}

type Registry = OpenAPIHono['openAPIRegistry'];
type PathConfig = Parameters<Registry['registerPath']>[0];

function describeRoute(route: Route, registry: Registry): PathConfig {
  const { permission, body, creates } = route;
  const headers = creates === undefined ? undefined : z.object({ 'Idempotency-Key': idempotencyKey });
  const request: NonNullable<PathConfig['request']> = {
    ...(route.params === undefined ? {} : { params: route.params }),
    ...(route.query === undefined ? {} : { query: route.query }),
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined
      ? {}
      : {
          body: {
            required: body.optional !== true,
            description: `At most ${body.limit.bytes} bytes (${inWords(body.limit.bytes)}).`,
            content: {
              [body.type]: {
                schema: schemaOf(body.schema, 'input', registry),
                ...(body.example === undefined ? {} : { example: body.example }),
              },
            },
          },
        }),
  };
  return {
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.service],
    ...(route.deprecated === true ? { deprecated: true } : {}),
    ...(route.successor === undefined ? {} : { 'x-successor': route.successor }),
    security: securityOf(route),
    ...(typeof permission === 'object' ? { 'x-permission': neededOf(permission).join(' or ') } : {}),
    request,
    responses: { ...successes(route, registry), ...failures(route) },
  };
}

const idempotencyKey = z.string().max(255).optional().openapi({
  description:
    'A request with the same key and body returns the first response to the same caller; with another body it gets 422. The key of an operation is valid as long as its action exists, other keys for 24 hours. Passwords and secrets in the body are neither compared nor checked again, so a repeated request needs no wallet password.',
});

function securityOf({ permission }: Route): Record<string, string[]>[] {
  if (permission === 'public') return [];
  if (permission === 'application-token') return [{ ApplicationToken: [] }];
  return [
    { ApplicationToken: [], AccessToken: [] },
    { ApplicationToken: [], OAuth2: [] },
  ];
}

function successes(route: Route, registry: Registry): PathConfig['responses'] {
  const entries = Object.entries(route.answers).map(([status, answer]) => {
    const { description, schema, example, contentType = 'application/json' } = answer;
    const body = {
      schema: schema === undefined ? textSchema(contentType) : schemaOf(schema, 'output', registry),
      ...(example === undefined ? {} : { example }),
    };
    const content = Object.fromEntries([contentType].flat().map((type) => [type, body]));
    const hasBody = schema !== undefined || answer.contentType !== undefined;
    return [status, { description, ...(hasBody ? { content } : {}) }];
  });
  return Object.fromEntries(entries);
}

function textSchema(contentType: string | readonly string[]): z.ZodType {
  return String(contentType).startsWith('image/') ? z.string().openapi({ format: 'binary' }) : z.string();
}

/** Problems that all operations of a kind can return. */
const kindProblems: readonly {
  /** Completes "Every operation …". */
  readonly of: string;
  readonly applies: (route: Route) => boolean;
  readonly names: readonly ProblemName[];
}[] = [
  {
    of: '',
    applies: () => true,
    names: ['invalid-request', 'head-too-large', 'unavailable', 'internal'],
  },
  {
    of: 'that changes or sends something',
    applies: changesSomething,
    names: ['database-not-adopted'],
  },
  {
    of: 'with a JSON body',
    applies: ({ body }) => body?.type === 'application/json',
    names: ['invalid-json'],
  },
  {
    of: 'with a body',
    applies: ({ body }) => body !== undefined,
    names: ['unsupported-media-type', 'payload-too-large'],
  },
  {
    of: 'with parameters in its path',
    applies: ({ params }) => params !== undefined,
    names: ['not-found'],
  },
  {
    of: 'that requires an ApplicationToken',
    applies: ({ permission }) => permission !== 'public',
    names: ['application-token-invalid'],
  },
  {
    of: 'that requires an access token',
    applies: ({ permission }) => typeof permission === 'object',
    names: ['access-token-invalid', 'application-mismatch', 'not-permitted', 'too-many-requests'],
  },
  {
    of: 'that accepts an Idempotency-Key',
    applies: ({ creates }) => creates !== undefined,
    names: ['idempotency-key-reused', 'answer-not-replayable', 'storage-limit'],
  },
];

/** Returns the problems that an operation can return: those common to its kind (`kindProblems`) and those that its route declares. */
function problemsOf(route: Route): ProblemName[] {
  const ofKind = kindProblems.filter(({ applies }) => applies(route)).flatMap(({ names }) => names);
  return [...new Set([...ofKind, ...(route.problems ?? [])])];
}

function failures(route: Route): PathConfig['responses'] {
  const byStatus = new Map<number, ProblemName[]>();
  for (const name of problemsOf(route)) {
    const { status } = problemCatalogue[name];
    // The operation declares another body for this status.
    if (route.answers[status] !== undefined) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  const entries = [...byStatus].map(([status, names]) => {
    const [first] = names;
    const example =
      first === undefined
        ? {}
        : {
            example: { type: problemType(first), title: problemCatalogue[first].title, status, detail: '…' },
          };
    const content = { 'application/problem+json': { schema: problemSchema, ...example } };
    const description = names.map((name) => `\`${name}\`: ${problemCatalogue[name].title}.`).join(' ');
    return [status, { description, content }];
  });
  return Object.fromEntries(entries);
}

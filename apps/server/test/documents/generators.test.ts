// The OpenAPI document must be usable for third-party client generators.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createValidation, type Validation } from '../stage/document-validation.ts';
import { operationsOf, type ServedDocument, schemasOf } from '../stage/document-walk.ts';
import { type Ground, makeServer, openGround, type TestServer } from '../stage/harness.ts';

let ground: Ground;
let server: TestServer;
let text: string;
let document: ServedDocument;
let validation: Validation;
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
  text = await (await server.app.request('/openapi.json')).text();
  // The tests check the shape of the document.
  document = JSON.parse(text) as ServedDocument;
  validation = createValidation(document);
});
afterAll(() => ground.close());

describe('the document', () => {
  test('the OpenAPI document conforms to the schema of OpenAPI 3.1', async () => {
    expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true });
  });

  test('the OpenAPI document has no linter errors', async () => {
    // The ruleset `recommended`, without some rules. Each has its reason below.
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // Some operations have no client errors: pages and probes.
        'operation-4xx-response': 'off',
        // Paths such as `/types/{type}/resources/mine` are not ambiguous, because mountRoutes prefers fixed segments.
        'no-ambiguous-paths': 'off',
        // The server URL is the one from which the document was fetched. It may be on loopback.
        'no-server-example.com': 'off',
      },
    });
    const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  test('the patterns in the OpenAPI document mean the same in JavaScript without flags, Python, Go and Java', () => {
    const patterns = [...schemasOf(document)].flatMap(([at, { pattern }]) =>
      typeof pattern === 'string' ? [{ at, pattern }] : [],
    );
    expect(patterns.length).toBeGreaterThan(10);
    // Syntax that these languages read differently: escaped letters and digits except \D, \S and \W, groups that
    // start with (? except (?:, nested brackets, and slashes as delimiters.
    const own = /\\[a-oq-zA-CE-RT-VX-Zp0-9]|\(\?(?!:)|^\/|\/[a-z]+$|\[\[/;
    expect(patterns.filter(({ pattern }) => own.test(pattern) || !pattern.startsWith('^'))).toEqual([]);
    for (const { pattern } of patterns) expect(() => new RegExp(pattern)).not.toThrow();
    expect(text).not.toMatch(/\\\\[pP]\{/);
  });

  test('the OpenAPI document declares null, booleans, integers and lists as client generators expect', () => {
    const faults = [...schemasOf(document)].flatMap(([at, schema]) => [
      ...(Array.isArray(schema.default) ? [`${at}: the default must not be a list`] : []),
      ...('oneOf' in schema
        ? [`${at}: must not use oneOf, because Go clients find two matching schemas`]
        : []),
      ...('nullable' in schema ? [`${at}: must not use nullable, which is from OpenAPI 3.0`] : []),
      ...('const' in schema ? [`${at}: must use enum instead of const, which generators ignore`] : []),
      ...(schema.type === 'integer' && schema.format === undefined
        ? [`${at}: an integer must have a format`]
        : []),
      ...(JSON.stringify(schema.enum) === '["true","false"]'
        ? [`${at}: must be a boolean instead of the strings true and false`]
        : []),
      ...(isOnlyNullOrType(schema)
        ? [`${at}: one type or null must be declared as type: [type, 'null']`]
        : []),
      ...(/^(uuid|date-time)$/.test(String(schema.format)) && ('pattern' in schema || 'maxLength' in schema)
        ? [`${at}: must not have a length or pattern in addition to its format`]
        : []),
    ]);
    expect(faults).toEqual([]);
    const wrong = [...schemasOf(document)].filter(
      ([, schema]) => 'default' in schema && validation.faultsOf(schema, schema.default).length > 0,
    );
    expect(wrong.map(([at]) => at)).toEqual([]);
  });

  test('schema names do not clash with names of programming languages or browsers', () => {
    const taken = new Set([...constructorsOfJavaScript(), ...constructorsElsewhere]);
    expect(taken.has('Node') && taken.has('Plugin') && taken.has('Object') && taken.has('Response')).toBe(
      true,
    );
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => taken.has(name) || !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([]);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    // In Go clients, `NewThing` constructs a Thing. Generated clients use names such as `getThingRequest` themselves.
    const ofClients = operationsOf(document).flatMap(({ operation: { operationId } }) =>
      ['Request', 'Response', 'Params', 'Result', 'JSONBody', 'JSONRequestBody'].map((part) =>
        `${operationId}${part}`.toLowerCase(),
      ),
    );
    const made = names.filter((name) => /^New[A-Z]/.test(name) || ofClients.includes(name.toLowerCase()));
    expect(made).toEqual([]);
  });

  test('every schema that the OpenAPI document uses more than once has a name', () => {
    const places = new Map<string, string[]>();
    for (const [at, schema] of schemasOf(document)) {
      const { properties = {} } = schema;
      if (/^\/components\/schemas\/\w+$/.test(at) || Object.keys(Object(properties)).length < 2) continue;
      const { description: _, ...shape } = schema;
      const key = JSON.stringify(shape);
      places.set(key, [...(places.get(key) ?? []), at]);
    }
    expect([...places.values()].filter((same) => same.length > 1)).toEqual([]);
  });

  test('every object in request bodies and responses has a named schema', () => {
    const inline = operationsOf(document).flatMap(({ name, operation }) =>
      [operation.requestBody, ...Object.values(operation.responses)].flatMap((one) =>
        Object.values(one?.content ?? {}).flatMap(({ schema }) =>
          'properties' in schema || 'properties' in Object(schema.items) || 'anyOf' in schema ? [name] : [],
        ),
      ),
    );
    expect(inline).toEqual([]);
  });
});

describe('operations of the document', () => {
  test('the examples of each operation’s body and responses exist and match their schemas', () => {
    const faults = operationsOf(document).flatMap(({ name, operation }) => {
      const bodies = Object.entries({ body: operation.requestBody, ...operation.responses });
      return bodies.flatMap(([status, one]) =>
        Object.entries(one?.content ?? {}).flatMap(([type, { schema, example }]) => {
          if (example === undefined) return [`${name} ${status} ${type}: no example`];
          if (!/json|urlencoded/.test(type)) return [];
          return validation.faultsOf(schema, example).map((fault) => `${name} ${status}: ${fault}`);
        }),
      );
    });
    expect(faults).toEqual([]);
  });

  test('every operation declares its response headers', () => {
    for (const { name, operation } of operationsOf(document)) {
      for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
        expect(Object.keys(headers), `${name} ${status}`).toContain('X-Request-Id');
        expect('Deprecation' in headers, `${name} ${status}`).toBe(operation.deprecated === true);
        if (status === '429' || status === '503') expect(Object.keys(headers)).toContain('Retry-After');
        if (status === '401') expect(Object.keys(headers)).toContain('WWW-Authenticate');
      }
    }
  });

  test('every operation declares authentication: both headers, with either scheme of the access token', () => {
    const { OAuth2: oauth2 } = document.components.securitySchemes;
    expect(oauth2).toMatchObject({
      type: 'oauth2',
      flows: {
        clientCredentials: { tokenUrl: 'http://ledger.test/v1/auth/token' },
        authorizationCode: {
          authorizationUrl: 'http://ledger.test/v1/auth/authorize',
          tokenUrl: 'http://ledger.test/v1/auth/token',
        },
      },
    });
    const send = document.paths['/v1/ledger-ops/send']?.post;
    expect(send?.security).toEqual([
      { ApplicationToken: [], AccessToken: [] },
      { ApplicationToken: [], OAuth2: [] },
    ]);
  });

  test('links in responses name existing operations and their parameters', () => {
    const byId = new Map(operationsOf(document).map(({ operation }) => [operation.operationId, operation]));
    const links = operationsOf(document).flatMap(({ name, operation }) =>
      Object.values(operation.responses).flatMap((one) =>
        Object.values(one.links ?? {}).map((link) => ({ name, ...link })),
      ),
    );
    for (const { name, operationId, parameters } of links) {
      const inPath = byId.get(operationId)?.parameters?.filter((one) => one.in === 'path');
      expect(
        inPath?.map((one) => one.name),
        `${name} → ${operationId}`,
      ).toEqual(Object.keys(parameters));
    }
    const sent = links.filter(({ name }) => name === 'POST /v1/ledger-ops/send');
    expect(sent.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['getAction', 'followAction']),
    );
  });

  test('the OpenAPI document marks members as required and nullable as the server treats them', () => {
    const faults: string[] = [];
    for (const route of server.routes) {
      const shape = Object(route.body?.schema).shape as Record<
        string,
        { safeParse(value: unknown): { success: boolean } }
      >;
      const described = document.paths[route.path]?.[route.method]?.requestBody?.content;
      const media = described?.[route.body?.type ?? ''];
      if (shape === undefined || media === undefined) continue;
      const schema = resolve(media.schema);
      for (const [member, part] of Object.entries(shape)) {
        const where = `${route.operationId} ${member}`;
        const isRequired = (schema.required as string[] | undefined)?.includes(member) === true;
        if (member !== 'glo' && isRequired === part.safeParse(undefined).success)
          faults.push(`${where}: required`);
        const property = Object(schema.properties)[member];
        const takesNull = validation.faultsOf(property, null).length === 0;
        if (member !== 'glo' && takesNull !== part.safeParse(null).success) faults.push(`${where}: null`);
        if (member === 'glo' && !isRequired) faults.push(`${where}: required`);
      }
    }
    expect(faults).toEqual([]);
  });
});

test('the OpenAPI document accepts every form of a GLO that the server accepts', () => {
  const schema = { $ref: '#/components/schemas/Glo' };
  const call = { contractInstance: 'token', methodName: 'transfer', args: ['a', '1'] };
  const lookup = { lookup_service: { type: 'service', value: 'service' }, resource: 'bob' };
  const taken = [
    { version: '0.1.0', type: 'transfer', options: { recipient: lookup, amount: 1 } },
    { version: '0.1.0', type: 'contract_call', options: { contract_instance: lookup, method_name: 'm' } },
    { version: '0.1.0', type: 'contract_deploy', options: { contract_source: lookup, args: [] } },
    { type: 'contract_call', params: call },
    { type: 'contract_call', options: { ...call, contractInstance: lookup } },
  ];
  for (const glo of taken) expect(validation.faultsOf(schema, glo)).toEqual([]);
  expect(validation.faultsOf(schema, { type: 'transfer', options: call })).not.toEqual([]);
});

function resolve(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  return name === undefined ? schema : resolve(document.components.schemas[name] ?? {});
}

function isOnlyNullOrType({ anyOf, oneOf }: Readonly<Record<string, unknown>>): boolean {
  const parts: unknown = anyOf ?? oneOf;
  if (!Array.isArray(parts) || parts.length !== 2) return false;
  const isNull = parts.findIndex((part) => part.type === 'null');
  return isNull !== -1 && parts[1 - isNull].$ref === undefined;
}

/** Returns the names that TypeScript declares for JavaScript and browsers. */
function constructorsOfJavaScript(): string[] {
  const require = createRequire(createRequire(import.meta.url).resolve('openapi-typescript'));
  const folder = new URL('.', `file://${require.resolve('typescript')}`);
  const names = [
    'lib.dom.d.ts',
    'lib.es5.d.ts',
    'lib.es2015.collection.d.ts',
    'lib.es2015.promise.d.ts',
  ].flatMap((file) => [
    ...readFileSync(new URL(file, folder), 'utf8').matchAll(/^(?:declare var|interface|type) (\w+)/gm),
  ]);
  return names.map(([, name = '']) => name);
}

/** Reserved names in Python, Go, Java, C# and TypeScript. */
const constructorsElsewhere = `
  Any Array BigInt Boolean Buffer Byte Character Class Client Configuration Context Date DateTime Decimal Dict Double
  Enum Error Event Exception Field File Float Function Integer Interface Iterable List Long Map Model Module Number
  Object Optional Package Process Promise Record Request Response Result Runnable Set Short String Symbol System Thread
  Time Tuple Type Uint Union Unset UUID Value Void
`
  .split(/\s+/)
  .filter((name) => name !== '');

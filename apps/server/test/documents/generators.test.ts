// The document as programs read it that make clients of it, and that nobody here wrote.
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
  // Its shape is what the tests check.
  document = JSON.parse(text) as ServedDocument;
  validation = createValidation(document);
});
afterAll(() => ground.close());

describe('the document', () => {
  test('is valid by the schema of OpenAPI 3.1', async () => {
    expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true });
  });

  test('has no error by the rules of a linter', async () => {
    // `recommended`, without what is a matter of taste here: each rule that is off says why.
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // Pages and probes answer nothing but their success to whoever asks.
        'operation-4xx-response': 'off',
        // `/types/{type}/resources/mine` and the like: routes with fixed segments win, by mountRoutes.
        'no-ambiguous-paths': 'off',
        // The server shown is where the document was fetched; a development server's is on loopback.
        'no-server-example.com': 'off',
      },
    });
    const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  test('has patterns that JavaScript without flags, Python, Go and Java read alike', () => {
    const patterns = [...schemasOf(document)].flatMap(([at, { pattern }]) =>
      typeof pattern === 'string' ? [{ at, pattern }] : [],
    );
    expect(patterns.length).toBeGreaterThan(10);
    // Classes by property, code points in braces, groups with a question mark other than (?:, and delimiters.
    const own = /\\[a-oq-zA-CE-RT-VX-Zp0-9]|\(\?(?!:)|^\/|\/[a-z]+$|\[\[/;
    expect(patterns.filter(({ pattern }) => own.test(pattern) || !pattern.startsWith('^'))).toEqual([]);
    for (const { pattern } of patterns) expect(() => new RegExp(pattern)).not.toThrow();
    expect(text).not.toMatch(/\\\\[pP]\{/);
  });

  test('says of null, booleans, integers and lists what clients can be made of', () => {
    const faults = [...schemasOf(document)].flatMap(([at, schema]) => [
      ...(Array.isArray(schema.default) ? [`${at}: a default that is a list`] : []),
      ...('oneOf' in schema ? [`${at}: oneOf, of which Go finds two where strings are alike`] : []),
      ...('nullable' in schema ? [`${at}: nullable is of OpenAPI 3.0`] : []),
      ...('const' in schema ? [`${at}: const, which generators pass over; say enum`] : []),
      ...(schema.type === 'integer' && schema.format === undefined ? [`${at}: an integer of no size`] : []),
      ...(JSON.stringify(schema.enum) === '["true","false"]' ? [`${at}: a boolean as text`] : []),
      ...(isOnlyNullOrType(schema) ? [`${at}: null beside one type is type: [type, 'null']`] : []),
      ...(/^(uuid|date-time)$/.test(String(schema.format)) && ('pattern' in schema || 'maxLength' in schema)
        ? [`${at}: what a format says, said again of the text`]
        : []),
    ]);
    expect(faults).toEqual([]);
    const wrong = [...schemasOf(document)].filter(
      ([, schema]) => 'default' in schema && validation.faultsOf(schema, schema.default).length > 0,
    );
    expect(wrong.map(([at]) => at)).toEqual([]);
  });

  test('names no schema as a language or a browser names something of its own', () => {
    const taken = new Set([...constructorsOfJavaScript(), ...constructorsElsewhere]);
    expect(taken.has('Node') && taken.has('Plugin') && taken.has('Object') && taken.has('Response')).toBe(
      true,
    );
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => taken.has(name) || !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([]);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    // `NewThing` makes a Thing in Go; `getThingRequest` and the like are what clients name the parts of getThing.
    const ofClients = operationsOf(document).flatMap(({ operation: { operationId } }) =>
      ['Request', 'Response', 'Params', 'Result', 'JSONBody', 'JSONRequestBody'].map((part) =>
        `${operationId}${part}`.toLowerCase(),
      ),
    );
    const made = names.filter((name) => /^New[A-Z]/.test(name) || ofClients.includes(name.toLowerCase()));
    expect(made).toEqual([]);
  });

  test('gives every shape that it has more than once a name', () => {
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

  test('has a named schema for every object that a body or an answer is', () => {
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

describe('of every operation the document', () => {
  test('has an example of each body and each success, valid by its schema', () => {
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

  test('names the headers of every answer', () => {
    for (const { name, operation } of operationsOf(document)) {
      for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
        expect(Object.keys(headers), `${name} ${status}`).toContain('X-Request-Id');
        expect('Deprecation' in headers, `${name} ${status}`).toBe(operation.deprecated === true);
        if (status === '429' || status === '503') expect(Object.keys(headers)).toContain('Retry-After');
        if (status === '401') expect(Object.keys(headers)).toContain('WWW-Authenticate');
      }
    }
  });

  test('says how to get in: both headers, by either scheme of the access token', () => {
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

  test('links from what it answers to what can be asked next', () => {
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

  test('marks as required and as nullable what the server does', () => {
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

test('the document takes every form of a GLO that the server takes', () => {
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

/** Names that JavaScript and browsers know, from the compiler's own description of them. */
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

/** Names that mean something in Python, Go, Java, C# and TypeScript wherever they are. */
const constructorsElsewhere = `
  Any Array BigInt Boolean Buffer Byte Character Class Client Configuration Context Date DateTime Decimal Dict Double
  Enum Error Event Exception Field File Float Function Integer Interface Iterable List Long Map Model Module Number
  Object Optional Package Process Promise Record Request Response Result Runnable Set Short String Symbol System Thread
  Time Tuple Type Uint Union Unset UUID Value Void
`
  .split(/\s+/)
  .filter((name) => name !== '');

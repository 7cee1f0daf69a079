// Generated from the route table: no parameter value or public form makes an operation fail, and no operation accepts
// an impossible date.
import { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { type Ground, makeServer, openGround, sendBody, type TestServer } from '../stage/harness.ts';

let ground: Ground;
let server: TestServer;
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
});
afterAll(() => ground.close());

const odd = [
  '',
  ' ',
  '\0',
  '\u202e',
  '\ufffd',
  '%',
  '%zz',
  '..',
  '//',
  '?',
  '-1',
  '0',
  'NaN',
  '1e309',
  '99999999999999999999',
  'null',
  '{}',
  '[]',
  '__proto__',
  'constructor',
  "'; --",
  '💥',
  'x'.repeat(3_000),
  '2026-02-31T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
  'http://127.0.0.1:99999/',
  'http://[::1',
  'http://%E0@a/',
  'urn:x',
];

/** A shorter list, for the many operations with credentials. */
const few = [
  '\0',
  '%zz',
  '..',
  '-1',
  '99999999999999999999',
  '__proto__',
  '2026-02-31T00:00:00Z',
  'http://[::1',
];

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
const namesIn = (schema: z.ZodType | undefined): string[] => {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodOptional) return namesIn(schema.unwrap() as z.ZodType);
  return [];
};

async function failures(requests: readonly (readonly [string, string, RequestInit])[]): Promise<string[]> {
  const failed: string[] = [];
  for (const [what, path, init] of requests) {
    const response = await server.app.request(path, init);
    const isStream = (response.headers.get('content-type') ?? '').includes('event-stream');
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    if (response.status >= 500) failed.push(`${what}: ${response.status} ${text.slice(0, 200)}`);
  }
  return failed;
}

test('no value of a path or query parameter makes an operation fail', async () => {
  const requests = server.routes
    .filter(({ method }) => method === 'get' || method === 'delete')
    .flatMap((route) =>
      (route.permission === 'public' ? odd : few).map((value) => {
        const path = route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(value) || '%20');
        const query = new URLSearchParams(
          Object.fromEntries(namesIn(route.query).map((name) => [name, value])),
        );
        const init = { method: route.method.toUpperCase(), headers: ground.caller.headers };
        return [`${nameOf(route)} with ${JSON.stringify(value)}`, `${path}?${query}`, init] as const;
      }),
    );
  expect(requests.length).toBeGreaterThan(500);
  expect(await failures(requests)).toEqual([]);
}, 600_000);

test('no value of a form field makes a public operation fail', async () => {
  const open = server.routes.filter(({ permission, body }) => permission === 'public' && body !== undefined);
  const requests = open.flatMap((route) =>
    odd.flatMap((value) => {
      const names = namesIn(route.body?.schema);
      return [undefined, ...names].map((only) => {
        const fields = Object.fromEntries(
          names.map((name) => [name, only === undefined || only === name ? value : (known[name] ?? 'x')]),
        );
        const isForm = route.body?.type !== 'application/json';
        const body = isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields);
        const headers = { 'Content-Type': route.body?.type ?? '' };
        const what = `${nameOf(route)} with ${only ?? 'all'} ${JSON.stringify(value)}`;
        return [what, route.path, { method: 'POST', headers, body }] as const;
      });
    }),
  );
  expect(requests.length).toBeGreaterThan(500);
  expect(await failures(requests)).toEqual([]);
}, 600_000);

/** Values that pass the first check. */
const known: Readonly<Record<string, string>> = {
  grant_type: 'authorization_code',
  redirect_uri: 'http://127.0.0.1/cb',
  code: `cod_${'x'.repeat(43)}`,
  code_verifier: 'x'.repeat(43),
  credentials: 'password',
};

const impossible = [
  '2026-02-31T00:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T12:30:05+24:00',
  '2026-11-20',
];

interface DatedDocument {
  readonly paths: Record<
    string,
    Record<
      string,
      { parameters?: readonly { name: string; in: string; schema?: { readonly format?: string } }[] }
    >
  >;
}

test('every operation refuses an impossible date in a query', async () => {
  // Date parameters, as the OpenAPI document declares them.
  const { paths } = (await (await server.app.request('/openapi.json')).json()) as DatedDocument;
  const wanted: string[] = [];
  const refused: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(operations)) {
      const dates = parameters.filter(
        ({ schema, in: place }) => place === 'query' && schema?.format === 'date-time',
      );
      for (const { name } of dates) {
        for (const text of impossible) {
          const query = new URLSearchParams({ [name]: text });
          const at = path
            .replace('{type}', 'wallet')
            .replaceAll(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000');
          const response = await server.call(method.toUpperCase(), `${at}?${query}`);
          const label = `${method} ${path} ${name} ${text}`;
          wanted.push(label);
          if (response.status === 400 && (await response.text()).includes(`"pointer":"${name}"`))
            refused.push(label);
        }
      }
    }
  }
  expect(wanted.length).toBeGreaterThan(impossible.length * 3);
  expect(refused).toEqual(wanted);
});

test.each(impossible)('refuses the deadline %s of an operation', async (deadline) => {
  const response = await server.call('POST', '/v1/ledger-ops/send', sendBody({ deadline }));
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('"pointer":"/deadline"'),
  ]);
});

test.each(impossible)('refuses a replay of webhook deliveries from %s', async (from) => {
  const path = '/v1/webhooks/00000000-0000-7000-8000-000000000000/replay';
  const response = await server.call('POST', path, { from });
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('"pointer":"/from"'),
  ]);
});

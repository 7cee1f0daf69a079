import { z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectShortTurns } from '../../../../testing/longest-block.ts';
import { ok } from '../../src/http/answer.ts';
import { createIdempotency } from '../../src/http/idempotency.ts';
import { mountRoutes } from '../../src/http/mount.ts';
import { Pipeline } from '../../src/http/pipeline.ts';
import type { AppEnv } from '../../src/http/request/request-head.ts';
import { noProxies, RequestSources } from '../../src/http/request/source.ts';
import { defineRoute, type Method } from '../../src/http/route.ts';
import {
  addCaller,
  baseUrl,
  type Ground,
  makeServer,
  openGround,
  problemOf,
  sendBody,
} from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const send = '/v1/ledger-ops/send';

describe('authentication', () => {
  test.each([
    ['no ApplicationToken', { ApplicationToken: '' }, 401, 'application-token-invalid'],
    [
      'an unknown ApplicationToken',
      { ApplicationToken: `app_${'x'.repeat(43)}` },
      401,
      'application-token-invalid',
    ],
    ['no bearer token', { Authorization: '' }, 401, 'access-token-invalid'],
    ['an invalid bearer token', { Authorization: 'Bearer x.y.z' }, 401, 'access-token-invalid'],
    ['another scheme', { Authorization: 'Basic eDp5' }, 401, 'access-token-invalid'],
  ])('a request with %s is refused', async (what, headers, status, name) => {
    const { call, runtime } = makeServer(ground);
    const response = await call('POST', send, sendBody(), headers);
    expect(response.status).toBe(status);
    expect((await problemOf(response)).type).toBe(`urn:ledger-ops:problem:${name}`);
    const scheme = name === 'access-token-invalid' ? 'Bearer' : 'ApplicationToken';
    // The challenge of the response to a request without credentials has no error code (RFC 6750 §3.1).
    const error =
      name === 'access-token-invalid' && what !== 'no bearer token' ? ', error="invalid_token"' : '';
    expect(response.headers.get('www-authenticate')).toBe(`${scheme} realm="ledger-ops"${error}`);
    expect(runtime.sent).toEqual([]);
  });

  test('a bearer token that was issued for another application is refused', async () => {
    const other = await addCaller(ground.store, ground.auth, ground.administrator, 'other');
    const { call } = makeServer(ground);
    const response = await call('POST', send, sendBody(), { ApplicationToken: other.applicationToken });
    expect(response.status).toBe(403);
    expect((await problemOf(response)).type).toBe('urn:ledger-ops:problem:application-mismatch');
  });

  test('an unauthenticated caller is refused before the body is read', async () => {
    const { call } = makeServer(ground);
    expect((await call('POST', send, '{', { ApplicationToken: '' })).status).toBe(401);
  });

  test('the bearer scheme is case-insensitive', async () => {
    const { call } = makeServer(ground);
    const Authorization = `bearer ${ground.caller.accessToken}`;
    expect((await call('POST', send, sendBody(), { Authorization })).status).toBe(201);
  });

  test('the key sets require only the application token, and jwks.json requires no credentials', async () => {
    const { app } = makeServer(ground);
    const { ApplicationToken = '' } = ground.caller.headers;
    for (const path of ['/v1/auth/certs', '/v1/ledger-ops/certificates']) {
      expect((await app.request(path)).status).toBe(401);
      const response = await app.request(path, { headers: { ApplicationToken } });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        keys: [{ kty: 'RSA', use: 'sig', kid: expect.any(String) }],
      });
    }
    expect((await app.request('/.well-known/jwks.json')).status).toBe(200);
  });
});

describe('the token endpoint', () => {
  const request = async (form: Record<string, string> | string, headers: Record<string, string> = {}) => {
    const { app } = makeServer(ground);
    return await app.request('/v1/auth/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });
  };
  const good = () => ({
    grant_type: 'client_credentials',
    client_id: ground.caller.appId,
    service_account: ground.caller.accountId,
    client_secret: ground.caller.apiToken,
  });

  test('the token endpoint’s response must not be cached', async () => {
    const response = await request(good());
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      access_token: expect.any(String),
      expires_in: 3600,
      token_type: 'Bearer',
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    [
      'a wrong secret',
      () => request({ ...good(), client_secret: `sak_${'x'.repeat(43)}` }),
      'invalid_client',
    ],
    ['an unknown grant', () => request({ ...good(), grant_type: 'password' }), 'unsupported_grant_type'],
    ['nothing', () => request({}), 'invalid_request'],
    ['a parameter twice', () => request(`${new URLSearchParams(good())}&client_id=x`), 'invalid_request'],
    [
      'JSON',
      () => request(JSON.stringify(good()), { 'Content-Type': 'application/json' }),
      'invalid_request',
    ],
    [
      'another’s ApplicationToken',
      () => request(good(), { ApplicationToken: `app_${'x'.repeat(43)}` }),
      'invalid_client',
    ],
  ])('a token request with %s gets 401 with the body of RFC 6749', async (_what, ask, error) => {
    const response = await ask();
    expect(response.status).toBe(401);
    const body: unknown = await response.json();
    expect(body).toMatchObject({ error, error_description: expect.any(String) });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('bodies', () => {
  test.each([
    ['invalid JSON', '{"walletId":', 'invalid-json', '/walletId'],
    ['a duplicate member', '{"tag":"a","tag":"b"}', 'invalid-json', '/tag'],
    ['__proto__', '{"glo":{"__proto__":{}}}', 'invalid-json', '/glo/__proto__'],
    [
      'an imprecise number',
      '{"glo":{"options":{"amount":9007199254740993}}}',
      'invalid-json',
      '/glo/options/amount',
    ],
    ['an array', '[]', 'invalid-request', ''],
    ['null', 'null', 'invalid-request', ''],
  ])('a body with %s is refused with 400', async (_what, body, name, pointer) => {
    const { call } = makeServer(ground);
    const response = await call('POST', send, body);
    expect(response.status).toBe(400);
    const problem = await problemOf(response);
    expect(problem.type).toBe(`urn:ledger-ops:problem:${name}`);
    expect(problem.errors?.map((issue) => issue.pointer)).toContain(pointer);
  });

  test('a body that is nested more than 32 levels deep is refused without being parsed completely', async () => {
    const { call } = makeServer(ground);
    const response = await call('POST', send, '['.repeat(1_000_000));
    expect((await problemOf(response)).type).toBe('urn:ledger-ops:problem:invalid-json');
  });

  test('a body that is not UTF-8 is refused', async () => {
    const { app } = makeServer(ground);
    const body = Buffer.concat([Buffer.from('{"tag":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    const headers = { ...ground.caller.headers, 'Content-Type': 'application/json' };
    const response = await app.request(send, { method: 'POST', headers, body });
    expect((await problemOf(response)).detail).toBe('The body is not valid UTF-8.');
  });

  test.each([
    ['the type text/plain', { 'Content-Type': 'text/plain' }],
    ['another charset', { 'Content-Type': 'application/json; charset=latin1' }],
    ['a compressed body', { 'Content-Encoding': 'gzip' }],
  ])('a request with %s gets 415', async (_what, headers: Record<string, string>) => {
    const { call } = makeServer(ground);
    expect((await call('POST', send, sendBody(), headers)).status).toBe(415);
  });

  test('a media type with a charset parameter is accepted', async () => {
    const { call } = makeServer(ground);
    const headers = { 'Content-Type': 'Application/JSON; charset="UTF-8"' };
    expect((await call('POST', send, sendBody(), headers)).status).toBe(201);
  });

  test('a request that declares more than 10 MB gets 413 before its body is read', async () => {
    const { call } = makeServer(ground);
    const response = await call('POST', send, '{}', { 'Content-Length': String(10 * 1_048_576 + 1) });
    expect(response.status).toBe(413);
    expect(await problemOf(response)).toMatchObject({ title: 'Payload Too Large' });
  });

  test('a body without a declared length is cut off after 10 MB', async () => {
    const { app } = makeServer(ground);
    let chunks = 0;
    const body = new ReadableStream({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(1_048_576).fill(0x20));
      },
    });
    const headers = { ...ground.caller.headers, 'Content-Type': 'application/json' };
    const response = await app.request(send, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(chunks).toBeLessThan(14);
  });

  test.each([
    ['login', '/v1/auth/login', '{"username":"ada@example.com","password":"x"}'],
    ['init-user', '/v1/auth/init-user', '{"initToken":"x"}'],
    ['identities/authenticate', '/v1/identities/authenticate', '{"credentials":"password"}'],
  ])('the public operation %s accepts at most 16 kB', async (_what, path, body) => {
    const { call } = makeServer(ground);
    const padded = (bytes: number) => body + ' '.repeat(bytes - body.length);
    const taken = await call('POST', path, padded(16_384));
    expect([400, 401]).toContain(taken.status);
    const refused = await call('POST', path, padded(16_385));
    expect(refused.status).toBe(413);
    expect((await problemOf(refused)).detail).toBe(
      'The body of this operation can have at most 16384 bytes (16 kB).',
    );
  });

  test('the token endpoint’s form is limited to 16 kB', async () => {
    const { app } = makeServer(ground);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = '&'.repeat(16_385);
    expect((await app.request('/v1/auth/token', { method: 'POST', headers, body })).status).toBe(413);
  });

  test('a body with more values, or an object with more members, than the operation allows is refused', async () => {
    const { call } = makeServer(ground);
    const members = (count: number) => Array.from({ length: count }, (_, at) => `"m${at}":0`).join();
    const wide = await problemOf(await call('POST', send, `{${members(2_001)}}`));
    expect(wide).toMatchObject({ type: 'urn:ledger-ops:problem:invalid-json', status: 400 });
    expect(wide.errors).toEqual([
      { pointer: '/m2000', detail: 'has too many members: an object can have at most 2000' },
    ]);
    const many = await problemOf(await call('POST', send, `{"glo":[${'0,'.repeat(50_000)}0]}`));
    expect(many.errors).toEqual([
      { pointer: '/glo/49998', detail: 'has too many values: at most 50000 are allowed' },
    ]);
  });

  test('a body with many faults reports the first fifty, and how many more', async () => {
    const { call } = makeServer(ground);
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`m${at}`, 0]));
    const response = await call('POST', send, { ...sendBody(), ...unknown });
    const text = await response.clone().text();
    const { errors } = await problemOf(response);
    expect(errors).toHaveLength(50);
    expect(errors?.at(-1)).toEqual({ pointer: '', detail: 'and 951 more issues' });
    expect(text.length).toBeLessThan(20_000);
  });

  test('a body in many chunks equals their concatenation', async () => {
    const { app, runtime } = makeServer(ground);
    const bytes = new TextEncoder().encode(JSON.stringify(sendBody({ tag: 'é'.repeat(200) })));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const headers = { ...ground.caller.headers, 'Content-Type': 'application/json' };
    // RequestInit lacks `duplex`, which a stream needs.
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    expect((await app.request(send, init)).status).toBe(201);
    expect(runtime.sent[0]?.request.tag).toBe('é'.repeat(200));
  });

  test('a media type with many spaces is parsed quickly', async () => {
    const { app } = makeServer(ground);
    const headers = { 'Content-Type': `application/json;${' '.repeat(60_000)}x` };
    const ask = async () => await app.request('/v1/auth/login', { method: 'POST', headers, body: '{}' });
    expect((await expectShortTurns(ask, { ms: 300, units: 20 })).status).toBe(415);
  });

  test('a body of exactly 10 MB is read', async () => {
    const { call } = makeServer(ground);
    const text = JSON.stringify(sendBody());
    const response = await call('POST', send, text + ' '.repeat(10 * 1_048_576 - Buffer.byteLength(text)));
    expect(response.status).toBe(201);
  });
});

describe('request heads', () => {
  test('a request with two Host headers is refused before routing', async () => {
    const { app } = makeServer(ground);
    const headers = new Headers({ Host: 'a.example' });
    headers.append('Host', 'b.example');
    const response = await app.request('/livez', { headers });
    expect(response.status).toBe(400);
    expect((await problemOf(response)).errors?.[0]?.pointer).toBe('Host');
  });

  test.each([
    'access_token=x',
    'ApplicationToken=x',
    'token=x',
    'client_secret=x',
    'intent=app_0123456789012345678901234',
  ])('a secret in the query string (%s) is refused', async (query) => {
    const { call } = makeServer(ground);
    const response = await call('GET', `/v1/ledger-ops/events?${query}`);
    expect(response.status).toBe(400);
    expect((await problemOf(response)).detail).toContain('secret');
  });

  test('the response contains the request’s id if it is valid, and otherwise a new one', async () => {
    const { app } = makeServer(ground);
    const ask = async (id: string) =>
      (await app.request('/livez', { headers: { 'X-Request-Id': id } })).headers.get('x-request-id');
    expect(await ask('abc-1')).toBe('abc-1');
    expect(await ask('a b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await ask('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('every response has the security headers', async () => {
    const { app } = makeServer(ground);
    for (const path of ['/livez', '/nowhere', send]) {
      const { headers } = await app.request(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  test('the log contains route templates, never paths with values', async () => {
    const { call, log } = makeServer(ground);
    await call('GET', '/v1/ledger-ops/search/actions/very-private');
    await call('GET', '/v1/very-private');
    expect(log.map(({ route, status }) => [route, status])).toEqual([
      ['/v1/ledger-ops/search/actions/{actionId}', 404],
      [null, 404],
    ]);
    expect(JSON.stringify(log)).not.toContain('private');
  });
});

describe('methods', () => {
  test('an unsupported method of a path gets 405 with Allow', async () => {
    const { app } = makeServer(ground);
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const response = await app.request(send, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      expect((await problemOf(response)).type).toBe('urn:ledger-ops:problem:method-not-allowed');
    }
  });

  test('HEAD responds like GET, without a body', async () => {
    const { app } = makeServer(ground);
    const response = await app.request('/livez', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('OPTIONS lists the methods', async () => {
    const { app } = makeServer(ground);
    const response = await app.request('/v1/cloud-wallet/wallets', { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('only pages of configured origins may call the service', async () => {
    const { app } = makeServer(ground);
    const preflight = async (Origin: string) =>
      (
        await app.request(send, {
          method: 'OPTIONS',
          headers: { Origin, 'Access-Control-Request-Method': 'POST' },
        })
      ).headers;
    const allowed = await preflight('https://app.example');
    expect(allowed.get('access-control-allow-origin')).toBe('https://app.example');
    expect(allowed.get('access-control-allow-headers')).toContain('ApplicationToken');
    expect(allowed.get('vary')).toBe('Origin');
    expect((await preflight('https://evil.example')).get('access-control-allow-origin')).toBeNull();
    const answer = await app.request('/livez', { headers: { Origin: 'https://app.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
  });

  test('a path that does not exist gets a 404 problem', async () => {
    const { app } = makeServer(ground);
    expect((await problemOf(await app.request('/v2/anything'))).status).toBe(404);
  });
});

describe('the route table', () => {
  const route = (method: Method, path: string) =>
    defineRoute({
      method,
      path,
      operationId: path,
      summary: path,
      service: 'operations',
      permission: 'public',
      params: z.object({ id: z.string().optional(), other: z.string().optional() }),
      answers: {},
      handle: async ({ params }) => ok({ path, params }),
    });
  const mounted = (paths: [Method, string][]) => {
    const app = new Hono<AppEnv>();
    const pipeline = new Pipeline({
      auth: ground.auth,
      idempotency: createIdempotency(ground.store, ground.masterKey),
      baseUrl,
      corsOrigins: new Set(),
      sources: new RequestSources(noProxies, () => {}),
      accessLog: () => {},
    });
    mountRoutes(
      app,
      paths.map(([method, path]) => route(method, path)),
      pipeline,
      new Set(),
    );
    return async (path: string, method = 'GET') => {
      const response = await app.request(path, { method });
      return response.ok ? ((await response.json()) as { path: string }).path : response.status;
    };
  };
  const table: [Method, string][] = [
    ['get', '/a/{id}'],
    ['get', '/a/fixed'],
    ['get', '/a/{id}/b/{other}'],
    ['get', '/a/{id}/b/fixed'],
    ['get', '/a/fixed/b/{other}'],
    ['post', '/a/{id}'],
  ];

  test.each([
    ['as written', table],
    ['reversed', table.toReversed()],
  ])(
    'static segments take precedence over parameters in any order of registration (%s)',
    async (_order, routes) => {
      const ask = mounted(routes);
      expect(await ask('/a/fixed')).toBe('/a/fixed');
      expect(await ask('/a/else')).toBe('/a/{id}');
      expect(await ask('/a/1/b/fixed')).toBe('/a/{id}/b/fixed');
      expect(await ask('/a/fixed/b/fixed')).toBe('/a/fixed/b/{other}');
      expect(await ask('/a/1/b/2')).toBe('/a/{id}/b/{other}');
      // If a static path does not support the method, the request does not fall through to the path with the
      // parameter.
      expect(await ask('/a/fixed', 'POST')).toBe(405);
    },
  );

  test('two operations with the same method and path cannot be registered', () => {
    expect(() => mounted([...table, ['get', '/a/fixed']])).toThrow(
      'Two operations have the method and path GET /a/fixed',
    );
  });
});

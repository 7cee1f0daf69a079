import { Problem } from '@ledger-ops/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ground, makeServer, openGround, problemOf, sendBody } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

test('a send returns 201 with the action id, the intent and PENDING', async () => {
  const { call, runtime } = makeServer(ground);
  const response = await call('POST', '/v1/ledger-ops/send', sendBody());
  expect(response.status).toBe(201);
  const body = (await response.json()) as { actionId: string };
  expect(body).toEqual({
    actionId: expect.any(String),
    id: body.actionId,
    intent: '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10',
    status: 'PENDING',
  });
  expect(runtime.sent[0]?.request).toMatchObject({
    walletId: 'alice',
    tag: 'a tag',
    dependencies: [],
    glo: { type: 'transfer', options: { amount: 1000n } },
  });
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('intent, tag and dependencies may be null or absent', async () => {
  const { call, runtime } = makeServer(ground);
  for (const value of [null, undefined]) {
    const body = sendBody({ intent: value, tag: value, dependencies: value });
    const response = await call('POST', '/v1/ledger-ops/send', body);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ intent: null });
  }
  expect(runtime.sent.map(({ request }) => [request.intent, request.tag, request.dependencies])).toEqual([
    [null, null, []],
    [null, null, []],
  ]);
});

const glo = sendBody().glo as { options: object };
const bad: [what: string, change: Record<string, unknown>, pointer: string][] = [
  ['walletId is missing', { walletId: undefined }, '/walletId'],
  ['walletId is a number', { walletId: 1 }, '/walletId'],
  ['walletId is empty', { walletId: '' }, '/walletId'],
  ['walletId is too long', { walletId: 'a'.repeat(65) }, '/walletId'],
  ['walletId has a NUL', { walletId: 'a\0' }, '/walletId'],
  ['walletId has a lone surrogate', { walletId: 'a\ud800' }, '/walletId'],
  ['walletPassword is missing', { walletPassword: undefined }, '/walletPassword'],
  ['walletPassword is an object', { walletPassword: {} }, '/walletPassword'],
  ['walletPassword is empty', { walletPassword: '' }, '/walletPassword'],
  ['walletPassword is too long', { walletPassword: 'a'.repeat(1025) }, '/walletPassword'],
  ['intent is not a UUID', { intent: 'group one' }, '/intent'],
  ['intent is a number', { intent: 7 }, '/intent'],
  ['tag is a number', { tag: 7 }, '/tag'],
  ['tag is too long', { tag: 'a'.repeat(257) }, '/tag'],
  ['dependencies is text', { dependencies: 'x' }, '/dependencies'],
  ['a dependency is not a UUID', { dependencies: ['x'] }, '/dependencies/0'],
  ['a dependency is null', { dependencies: [null] }, '/dependencies/0'],
  ['deadline is not a time', { deadline: 'tomorrow' }, '/deadline'],
  ['deadline has no zone', { deadline: '2026-11-20T12:00:00' }, '/deadline'],
  ['a member is unknown', { walletid: 'x' }, '/walletid'],
  ['a member needs escaping', { 'a/b~c': 1 }, '/a~1b~0c'],
  ['glo is missing', { glo: undefined }, '/glo'],
  ['glo is text', { glo: '{}' }, '/glo'],
  ['glo is an array', { glo: [] }, '/glo'],
  ['glo.type is unknown', { glo: { ...glo, type: 'burn' } }, '/glo/type'],
  ['glo.options is missing', { glo: { ...glo, options: undefined } }, '/glo/options'],
  [
    'glo.amount is a fraction',
    { glo: { ...glo, options: { ...glo.options, amount: '1.5' } } },
    '/glo/options/amount',
  ],
  [
    'glo.amount is negative',
    { glo: { ...glo, options: { ...glo.options, amount: -1 } } },
    '/glo/options/amount',
  ],
  [
    'the recipient has no lookup_service',
    { glo: { ...glo, options: { amount: 1, recipient: { resource: 'bob' } } } },
    '/glo/options/recipient/lookup_service',
  ],
  ['glo has an unknown member', { glo: { ...glo, extra: 1 } }, '/glo/extra'],
];

describe('refused sends', () => {
  test.each(bad)('a send is refused with 400 and the pointer if %s', async (_what, change, pointer) => {
    const { call, runtime } = makeServer(ground);
    const response = await call('POST', '/v1/ledger-ops/send', sendBody(change));
    expect(response.status).toBe(400);
    const problem = await problemOf(response);
    expect(problem.type).toBe('urn:ledger-ops:problem:invalid-request');
    expect(problem.errors?.map((issue) => issue.pointer)).toContain(pointer);
    expect(JSON.stringify(problem)).not.toMatch(/horse|\bat \//);
    expect(runtime.sent).toEqual([]);
  });
});

test('one problem reports all errors in the envelope and in the GLO', async () => {
  const { call } = makeServer(ground);
  const response = await call('POST', '/v1/ledger-ops/send', {
    glo: { version: '0.1.0', type: 'transfer' },
    tag: 1,
  });
  const pointers = (await problemOf(response)).errors?.map(({ pointer }) => pointer);
  expect(pointers).toEqual(expect.arrayContaining(['/walletId', '/walletPassword', '/tag', '/glo/options']));
});

test('a GLO of a later version is rejected as unsupported-glo-version', async () => {
  const { call } = makeServer(ground);
  const response = await call('POST', '/v1/ledger-ops/send', sendBody({ glo: { ...glo, version: '0.2.0' } }));
  expect(response.status).toBe(400);
  expect((await problemOf(response)).type).toBe('urn:ledger-ops:problem:unsupported-glo-version');
});

test('contract/call accepts only contract calls', async () => {
  const { call, runtime } = makeServer(ground);
  const refused = await call('POST', '/v1/ledger-ops/contract/call', sendBody());
  expect(refused.status).toBe(400);
  expect((await problemOf(refused)).errors?.[0]?.pointer).toBe('/glo/type');
  const contract = {
    version: '0.1.0',
    type: 'contract_call',
    options: {
      contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: 'c1' },
      method_name: 'set',
      args: ['1'],
    },
  };
  const accepted = await call('POST', '/v1/ledger-ops/contract/call', sendBody({ glo: contract }));
  expect(accepted.status).toBe(201);
  expect(runtime.sent.map(({ request }) => request.glo.type)).toEqual(['contract_call']);
});

test('send accepts a contract call as {type, params}', async () => {
  const { call, runtime } = makeServer(ground);
  const older = { type: 'contract_call', params: { args: ['1'], contractInstance: 'c1', methodName: 'set' } };
  expect((await call('POST', '/v1/ledger-ops/send', sendBody({ glo: older }))).status).toBe(201);
  expect(runtime.sent[0]?.request.glo).toMatchObject({
    options: { contractInstance: { type: 'unresolved' } },
  });
});

test.each([
  ['wrong-wallet-password', 403],
  ['insufficient-funds', 422],
  ['unknown-dependency', 400],
  ['not-found', 404],
  ['nonce-conflict', 409],
  ['ledger-unavailable', 503],
  ['ledger-timeout', 504],
  ['plugin-fault', 502],
] as const)('the runtime’s problem %s is returned with status %i', async (name, status) => {
  const { call, runtime } = makeServer(ground);
  runtime.failWith(new Problem(name, 'why'));
  const response = await call('POST', '/v1/ledger-ops/send', sendBody());
  expect(response.status).toBe(status);
  expect(await problemOf(response)).toMatchObject({ type: `urn:ledger-ops:problem:${name}`, detail: 'why' });
});

test('too-many-requests is returned with Retry-After', async () => {
  const { call, runtime } = makeServer(ground);
  runtime.failWith(new Problem('too-many-requests', 'slowly', { retryAfter: 2.2 }));
  const response = await call('POST', '/v1/ledger-ops/send', sendBody());
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '3']);
});

test('an unexpected failure returns 500 without details and logs the details', async () => {
  const { call, runtime, log } = makeServer(ground);
  runtime.failWith(new Error('password=hunter2 in /srv/secret'));
  const response = await call('POST', '/v1/ledger-ops/send', sendBody(), { 'X-Request-Id': 'req-1' });
  expect(response.status).toBe(500);
  expect(JSON.stringify(await problemOf(response))).not.toMatch(/hunter2|srv/);
  expect(response.headers.get('x-request-id')).toBe('req-1');
  expect(log).toMatchObject([
    { requestId: 'req-1', status: 500, problem: 'internal', route: '/v1/ledger-ops/send' },
  ]);
  expect(log[0]?.error).toBeInstanceOf(Error);
});

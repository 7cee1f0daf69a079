import type { Log } from '@ledger-ops/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkIsolation } from '../../src/isolation.ts';
import { createLog } from '../../src/logging/logger.ts';
import { readConfig } from '../../src/settings/config.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

test('a server is not ready while it cannot follow a ledger, but it is alive', async () => {
  const { app, runtime } = makeServer(ground);
  expect((await app.request('/readyz')).status).toBe(200);
  const dev = { uid: 'u1', ledgerId: 'dev', reasons: ['Node a does not answer.'], warnings: [] };
  runtime.said.push(dev);
  const response = await app.request('/readyz');
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({
    status: 'not-ready',
    readOnly: false,
    reasons: ['ledgers that cannot be followed: 1'],
    warnings: [],
  });
  expect((await app.request('/livez')).status).toBe(200);
});

test('a server with faulty ledger nodes stays ready, and readiness reports the number of such ledgers to every caller', async () => {
  const { app, runtime } = makeServer(ground);
  // Two projects may each have a ledger with this id.
  const [dev, other] = ['u1', 'u2'].map((uid) => ({
    uid,
    ledgerId: 'dev',
    reasons: [],
    warnings: [`${uid} warns.`],
  }));
  runtime.said.push(...[dev, other].flatMap((one) => one ?? []));
  const response = await app.request('/readyz');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'ready',
    readOnly: false,
    reasons: [],
    warnings: ['ledgers that have faulty nodes: 2'],
  });
});

test('a server whose plugin modules run without namespaces stays ready, and readiness reports this as a warning', async () => {
  const restricted = readConfig({
    MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
    PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum',
  });
  const logged: string[] = [];
  const log: Log = (_level, event) => void logged.push(event);
  const warnings = await checkIsolation(restricted, log, async () => ({ level: 'restricted', why: 'none' }));
  expect(logged).toEqual(['plugins restricted']);
  const { app } = makeServer(ground, { settings: { warnings } });
  const response = await app.request('/readyz');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: 'ready',
    readOnly: false,
    reasons: [],
    warnings: [expect.stringContaining('only by Node’s permission model')],
  });
  const isolated = await checkIsolation(restricted, log, async () => ({ level: 'isolated' }));
  expect([isolated, logged.at(-1)]).toEqual([[], 'plugins isolated']);
});

test('a stopping server reports that it is not ready', async () => {
  const { app } = makeServer(ground, { closing: true });
  const reasons = ['the server is shutting down'];
  expect(await (await app.request('/readyz')).json()).toMatchObject({ status: 'not-ready', reasons });
  const response = await app.request('/readyz/server');
  expect([response.status, await response.json()]).toEqual([503, { status: 'not-ready', reasons }]);
  expect((await app.request('/livez')).status).toBe(200);
});

test('a server that cannot follow its ledgers reports to proxies that it is ready', async () => {
  const { app, runtime } = makeServer(ground);
  runtime.said.push({ uid: 'u1', ledgerId: 'dev', reasons: ['Node a does not answer.'], warnings: [] });
  expect((await app.request('/readyz')).status).toBe(503);
  const response = await app.request('/readyz/server');
  expect([response.status, await response.json()]).toEqual([200, { status: 'ready', reasons: [] }]);
});

test('a suspended ledger that cannot be followed keeps the reasons and warnings of its health', async () => {
  const { app, runtime } = makeServer(ground);
  // The caller may read its own project, so also a ledger with this uid.
  const uid = ground.caller.principal.projectUid;
  const failing = {
    uid,
    ledgerId: 'dev',
    reasons: ['Node a does not answer.'],
    warnings: ['Node b is behind.'],
  };
  runtime.said.push(failing);
  const suspension = { suspensionId: 's1', reason: 'Maintenance.', createdAt: 0 };
  const view = { ...suspension, kind: 'ledger' as const, name: 'dev', createdBy: null, cause: null };
  Object.assign(runtime.suspensions, { ofLedgers: async () => new Map([[uid, view]]) });
  const response = await app.request('/v1/admin/ledger-health', { headers: ground.caller.headers });
  expect(await response.json()).toMatchObject({
    ledgers: [{ ...failing, suspension: { ...suspension, createdAt: '1970-01-01T00:00:00.000Z' } }],
  });
});

test('log lines contain only fields on an allowlist, and the details of unexpected failures', () => {
  const lines: string[] = [];
  const log = createLog('debug', { write: (line: string) => void lines.push(line) });
  log.log('info', 'wallet.created', { walletId: 'alice', password: 'hunter2' });
  log.accessLog({
    requestId: 'r1',
    method: 'POST',
    route: '/v1/x/{id}',
    status: 500,
    ms: 1.23456,
    appId: 'app',
    problem: 'internal',
    error: new Error('what happened'),
  });
  log.storeLogger.error({ error: 'e', body: 'hunter2' }, 'failed');
  const [first, second, third] = lines.map((line) => JSON.parse(line));
  expect(first).toEqual({
    level: 'info',
    pid: process.pid,
    time: expect.any(String),
    walletId: 'alice',
    msg: 'wallet.created',
  });
  expect(second).toMatchObject({
    level: 'error',
    route: '/v1/x/{id}',
    ms: 1.235,
    error: expect.stringContaining('what happened'),
  });
  expect(third).toMatchObject({ error: 'e', msg: 'failed' });
  expect(lines.join()).not.toContain('hunter2');
});

test('a server with a read-only database is not ready, and readiness says what to do', async () => {
  const { app } = makeServer(ground, { settings: { isReadOnly: true } });
  const response = await app.request('/readyz');
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({
    ...{ status: 'not-ready', readOnly: true, warnings: [] },
    reasons: [expect.stringContaining('until its deployer runs ledger-ops adopt')],
  });
});

test.each([
  ['POST', '/v1/ledger-ops/send', 503],
  ['PUT', '/v1/admin/ledgers/one', 503],
  ['DELETE', '/v1/ledger-ops/suspensions/one', 503],
  ['POST', '/v1/ledger-ops/emulate', 503],
  ['POST', '/v1/ledger-ops/search/actions', 400],
  ['GET', '/v1/ledger-ops/actions', 200],
])('a server with a read-only database answers %s %s with %i', async (method, path, status) => {
  const { app } = makeServer(ground, { settings: { isReadOnly: true } });
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: '[]' };
  const headers = { ...ground.caller.headers, 'Content-Type': 'application/json' };
  const response = await app.request(path, { method, headers, ...body });
  expect(response.status).toBe(status);
});

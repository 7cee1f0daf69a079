import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ground, makeServer, openGround, problemOf, sendBody } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

async function sent(server: ReturnType<typeof makeServer>, count = 1) {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const response = await server.call('POST', '/v1/ledger-ops/send', sendBody());
    ids.push(((await response.json()) as { actionId: string }).actionId);
  }
  return ids;
}

test('an action is returned with every member of the specification', async () => {
  const server = makeServer(ground);
  const [id = ''] = await sent(server);
  const path = `/v1/ledger-ops/search/actions/${id}`;
  expect(await (await server.call('GET', path)).json()).toEqual({
    actionId: id,
    contractAddress: null,
    createdAt: '2026-11-20T12:30:05.000Z',
    dateUpdated: 'Fri Nov 20 12:30:05 UTC 2026',
    dependencies: [],
    intent: '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10',
    ledgerId: null,
    locator: null,
    pending: { stage: 'ready', code: 'turn', detail: 'waits for a fee' },
    status: 'PENDING',
    tag: 'a tag',
    txId: null,
    updatedAt: '2026-11-20T12:30:05.000Z',
    walletId: 'alice',
  });
  server.runtime.change(id, { status: 'SUCCEEDED', locator: '0xabc', ledgerId: 'dev', pending: null });
  const done = (await (await server.call('GET', path)).json()) as object;
  expect(done).toMatchObject({ status: 'SUCCEEDED', locator: '0xabc', txId: '0xabc', ledgerId: 'dev' });
  expect(done).not.toHaveProperty('pending');
});

test('an unknown action gets 404 in a path and is omitted from a list', async () => {
  const server = makeServer(ground);
  const [id = ''] = await sent(server);
  expect((await server.call('GET', '/v1/ledger-ops/search/actions/nope')).status).toBe(404);
  const found = await server.call('POST', '/v1/ledger-ops/search/actions', { actionIds: ['nope', id] });
  expect(await found.json()).toMatchObject([{ actionId: id }]);
  const none = await server.call('POST', '/v1/ledger-ops/search/actions', { actionIds: [] });
  expect(await none.json()).toEqual([]);
});

test('actions are found by intents in the path or body', async () => {
  const server = makeServer(ground);
  const [id] = await sent(server);
  const intent = '7B1C2B8E-2d0f-4e0a-9c2f-0c2b6a3b7f10';
  const byPath = await server.call('GET', `/v1/ledger-ops/search/intents/${intent}`);
  expect(await byPath.json()).toMatchObject([{ actionId: id }]);
  const byBody = await server.call('POST', '/v1/ledger-ops/search/intents', { intents: [intent] });
  expect(await byBody.json()).toMatchObject([{ actionId: id }]);
  expect(await (await server.call('GET', '/v1/ledger-ops/search/intents/none')).json()).toEqual([]);
});

test.each([
  ['/v1/ledger-ops/search/actions', {}, '/actionIds'],
  ['/v1/ledger-ops/search/actions', { actionIds: 'x' }, '/actionIds'],
  ['/v1/ledger-ops/search/actions', { actionIds: [1] }, '/actionIds/0'],
  ['/v1/ledger-ops/search/actions', { actionIds: [], more: 1 }, '/more'],
  ['/v1/ledger-ops/search/actions', { actionIds: Array(1001).fill('x') }, '/actionIds'],
  ['/v1/ledger-ops/search/intents', { intents: null }, '/intents'],
])('the search POST %s rejects the body %j', async (path, body, pointer) => {
  const { call } = makeServer(ground);
  const response = await call('POST', path, body);
  expect(response.status).toBe(400);
  expect((await problemOf(response)).errors?.[0]?.pointer).toBe(pointer);
});

describe('the search by wallet', () => {
  test.each(['/v1/ledger-ops/search/wallets/alice/actions', '/v1/ledger/ops/search/wallets/alice/actions'])(
    'GET %s returns an ActionPage',
    async (path) => {
      const server = makeServer(ground);
      const ids = await sent(server, 7);
      const page = await (await server.call('GET', `${path}?size=5&page=1`)).json();
      expect(page).toEqual({
        contentType: 'ActionPage',
        pageElements: 2,
        pageNumber: 1,
        totalElements: 7,
        totalPages: 2,
        pageContent: [
          expect.objectContaining({ actionId: ids[1] }),
          expect.objectContaining({ actionId: ids[0] }),
        ],
      });
      const empty = (await (await server.call('GET', `${path}?page=9`)).json()) as object;
      expect(empty).toMatchObject({ pageElements: 0, pageNumber: 9, pageContent: [] });
    },
  );

  test.each([
    'size=4',
    'size=101',
    'size=x',
    'size=',
    'size=5&size=6',
    'page=-1',
    'page=1.5',
    'sort=nothing',
    'sort=desc',
    'sort=status,desc,desc',
    'sort=status&sort=status',
    'intent=x',
    'status=DONE',
    'from=yesterday',
    'to=2026-11-20',
    'unknown=1',
  ])('the search by wallet rejects %s with the name of the parameter', async (query) => {
    const { call } = makeServer(ground);
    const response = await call('GET', `/v1/ledger-ops/search/wallets/alice/actions?${query}`);
    expect(response.status).toBe(400);
    expect((await problemOf(response)).errors?.[0]?.pointer).toBe(query.split('=')[0]);
  });

  test.each([
    'sort=status,desc&sort=actionId',
    'sort=status,desc,actionId',
    'sort=dateUpdated',
    'status=pending',
    'intent=7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10&tag=x&ledgerId=y',
    'from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00%2B01:00',
    'size=5&page=0',
    'size=100',
  ])('the search by wallet accepts the query %s', async (query) => {
    const { call } = makeServer(ground);
    expect((await call('GET', `/v1/ledger-ops/search/wallets/alice/actions?${query}`)).status).toBe(200);
  });

  test('the deprecated search paths return Deprecation and Link and ignore unknown parameters', async () => {
    const server = makeServer(ground);
    const [id] = await sent(server);
    for (const path of ['actions?unknown=1', `actions/${id}`]) {
      const response = await server.call('GET', `/v1/ledger/ops/search/wallets/alice/${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(response.headers.get('link')).toContain('rel="deprecation"');
    }
    const current = await server.call('GET', '/v1/ledger-ops/search/wallets/alice/actions');
    expect(current.headers.get('deprecation')).toBeNull();
  });

  test('the deprecated path for an action returns 404 if the wallet in the path is not part of the action', async () => {
    const server = makeServer(ground);
    const [id] = await sent(server);
    expect((await server.call('GET', `/v1/ledger/ops/search/wallets/carol/actions/${id}`)).status).toBe(404);
    expect((await server.call('GET', `/v1/ledger/ops/search/wallets/unknown/actions/${id}`)).status).toBe(
      404,
    );
  });
});

test('emulate returns quantities as decimal strings and bytes as hexadecimal strings', async () => {
  const { call } = makeServer(ground);
  const body = { walletId: 'alice', glo: sendBody().glo };
  expect(await (await call('POST', '/v1/ledger-ops/emulate', body)).json()).toEqual({
    result: ['1', { bytes: '0x0102' }],
    fee: '21000',
    figures: { gas: '21000' },
    overrides: [],
    warnings: [],
  });
});

import { randomUUID } from 'node:crypto';
import { type Anvil, startAnvil, tokenTemplate } from '@ledger-ops/devnet';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';
import { addCaller, type TestCaller } from '../stage/harness.ts';

// The time limit is longer than the wait for an action, so an unfinished action is reported.
vi.setConfig({ testTimeout: 180_000 });

const password = 'correct horse battery staple';
let anvil: Anvil;
let folder: Awaited<ReturnType<typeof openFolder>>;
let server: RunningServer;
let caller: TestCaller;

const configuration = () =>
  readConfig({
    PORT: '0',
    BASE_URL: 'https://ledger.test',
    DATA_DIR: folder.path,
    MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    OUTBOUND_OPEN: '127.0.0.1',
    LOG_LEVEL: 'silent',
  });
const start = () =>
  startServer({ config: configuration(), log: createLog('silent'), adapters: [ethereumAdapter] });

beforeAll(async () => {
  anvil = await startAnvil();
  folder = await openFolder();
  server = await start();
  const { store, auth, registry } = server;
  const [administrator] = await store.read.all<{ service_id: string }>(
    'SELECT service_id FROM service_account',
  );
  caller = await addCaller(store, auth, administrator?.service_id ?? '', 'one');
  await store.transaction((tx) =>
    registry.createLedger(tx, {
      ledgerId: 'chain',
      projectUid: caller.principal.projectUid,
      parentResourceUid: caller.principal.projectUid,
      name: 'chain',
      technology: 'ethereum',
      properties: { chain_id: 31_337, development: true, max_in_flight: 1_000, polling_interval: 50 },
      nodes: [{ uri: anvil.url }],
    }),
  );
  for (const walletId of ['alice', 'bob']) {
    const made = await call('POST', '/v1/cloud-wallet/wallets', {
      walletId,
      ledgerId: 'chain',
      pluginParameters: { walletPassword: password },
    });
    expect(made.status).toBe(201);
    await anvil.rpc('anvil_setBalance', [made.body.walletAddress, '0x56BC75E2D63100000']);
  }
});
afterAll(async () => {
  await server?.close();
  await anvil?.stop();
  await folder?.remove();
});

interface Answer {
  status: number;
  headers: Headers;
  // Responses differ by operation; each test declares what it expects.
  body: Record<string, string> & { errors?: { pointer: string }[] };
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = caller.headers,
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

const service = (resource: string) => ({ lookup_service: { type: 'service', value: 'service' }, resource });
const transfer = (to: string, amount: string | number = '1000') => ({
  version: '0.1.0',
  type: 'transfer',
  options: { recipient: service(to), amount },
});
const send = (glo: object, change: object = {}) =>
  call('POST', '/v1/ledger-ops/send', { walletId: 'alice', walletPassword: password, glo, ...change });

async function finished(actionId: string | undefined): Promise<Answer['body']> {
  return await vi.waitFor(
    async () => {
      const { body } = await call('GET', `/v1/ledger-ops/search/actions/${actionId}`);
      expect(body.status).not.toBe('PENDING');
      return body;
    },
    { timeout: 60_000, interval: 30 },
  );
}

test('a transfer succeeds and both wallets find it', async () => {
  const intent = randomUUID();
  const { status, body } = await send(transfer('bob'), { intent });
  expect([status, body.intent]).toEqual([201, intent]);
  const action = await finished(body.actionId);
  expect(action).toMatchObject({ status: 'SUCCEEDED', ledgerId: 'chain', walletId: 'alice', intent });
  expect(action.locator).toMatch(/^0x[0-9a-f]{64}$/);
  expect(action.txId).toBe(action.locator);
  for (const walletId of ['alice', 'bob']) {
    const page = await call('GET', `/v1/ledger-ops/search/wallets/${walletId}/actions?intent=${intent}`);
    expect(page.body).toMatchObject({
      contentType: 'ActionPage',
      totalElements: 1,
      pageContent: [{ actionId: body.actionId }],
    });
    const legacy = await call('GET', `/v1/ledger/ops/search/wallets/${walletId}/actions/${body.actionId}`);
    expect(legacy.body.actionId).toBe(body.actionId);
  }
});

test('a retry with the same Idempotency-Key returns the same response byte for byte', async () => {
  const headers = { ...caller.headers, 'Idempotency-Key': 'integration' };
  const body = { walletId: 'alice', walletPassword: password, glo: transfer('bob'), intent: randomUUID() };
  const first = await call('POST', '/v1/ledger-ops/send', body, headers);
  const second = await call('POST', '/v1/ledger-ops/send', body, headers);
  expect(second.body).toEqual(first.body);
  const wallet = { walletId: 'keyed', ledgerId: 'chain', pluginParameters: { walletPassword: password } };
  const keyed = { ...caller.headers, 'Idempotency-Key': 'wallet' };
  const made = await call('POST', '/v1/cloud-wallet/wallets', wallet, keyed);
  expect(await call('POST', '/v1/cloud-wallet/wallets', wallet, keyed)).toMatchObject({
    status: 201,
    body: made.body,
  });
  expect((await call('POST', '/v1/cloud-wallet/wallets', wallet)).status).toBe(409);
});

test('concurrent requests with one Idempotency-Key create one action', async () => {
  const headers = { ...caller.headers, 'Idempotency-Key': 'twins' };
  const intent = randomUUID();
  const body = { walletId: 'alice', walletPassword: password, glo: transfer('bob'), intent };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call('POST', '/v1/ledger-ops/send', body, headers)),
  );
  expect(new Set(answers.map(({ status, body: { actionId } }) => `${status} ${actionId}`)).size).toBe(1);
  const found = await call('GET', `/v1/ledger-ops/search/intents/${intent}`);
  expect(found.body).toHaveLength(1);
});

describe('a template is stored, deployed, registered and called', () => {
  let address: string;
  let contractId: string;
  const groupName = 'tokens';

  test('a template version is created from compiler output, and cannot be created again', async () => {
    const path = '/v1/smart-contracts/templates';
    const template = await call('POST', path, {
      contractTemplateID: 'my-token',
      name: 'Token',
      unknown: 'ignored',
    });
    expect(template).toMatchObject({ status: 201, body: { contractTemplateID: 'my-token', name: 'Token' } });
    expect(template.headers.get('deprecation')).toMatch(/^@/);
    expect((await call('POST', path, { contractTemplateID: 'my-token', name: 'x' })).status).toBe(409);
    const compiled = { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code };
    const body = {
      tag: '1.0',
      compilationSpecification: JSON.stringify(compiled),
      compilationLanguage: 'Solidity',
    };
    const version = await call('POST', `${path}/my-token/specifications`, body);
    expect(version).toMatchObject({
      status: 201,
      body: {
        tag: '1.0',
        compilationStatus: 'COMPILED',
        contractTemplate: { contractTemplateID: 'my-token' },
      },
    });
    expect((await call('POST', `${path}/my-token/specifications`, body)).status).toBe(409);
    expect((await call('GET', `${path}/my-token/specifications/1.0`)).body).toEqual(version.body);
    expect((await call('GET', `${path}/my-token/specifications`)).body).toEqual([version.body]);
    const page = await call('GET', `${path}?project=project-one`);
    expect(page.body).toMatchObject({ contentType: 'ContractTemplatePage', totalElements: 1 });
    const none = await call('GET', `${path}?project=project-one&resourceId=else`);
    expect(none.body).toMatchObject({ totalElements: 0 });
  });

  test.each([
    ['no code', { abi: [] }, '/compilationSpecification/bytecode'],
    ['an invalid interface', { abi: 'x', bytecode: '0x6000' }, '/compilationSpecification/abi'],
    [
      'code with an unlinked library',
      { abi: [], bytecode: `0x60__$${'a'.repeat(34)}$__` },
      '/compilationSpecification/bytecode',
    ],
  ])('a template version with %s is refused', async (_what, compilationSpecification, pointer) => {
    const body = { tag: 'bad', compilationSpecification };
    const refused = await call('POST', '/v1/smart-contracts/templates/my-token/specifications', body);
    expect(refused.status).toBe(400);
    expect(refused.body.errors?.[0]?.pointer).toBe(pointer);
  });

  test('a template is deployed by a send or a ledger call', async () => {
    const args = ['Token', 'TOK', '1000'];
    const sent = await send({
      version: '0.1.0',
      type: 'contract_deploy',
      options: { contract_source: service('my-token:1.0'), args },
    });
    expect(sent.status).toBe(201);
    const ledgerCall = await call('POST', '/v1/ledger-ops/ledger-call', {
      ledgerId: 'chain',
      method: 'contract_deploy',
      params: [{ value: service('my-token:1.0') }, { value: args }],
      options: {
        service: { walletId: 'alice', walletPassword: password, dependencies: [sent.body.actionId] },
      },
    });
    expect(ledgerCall.status).toBe(201);
    const deployed = await finished(sent.body.actionId);
    expect(deployed).toMatchObject({ status: 'SUCCEEDED', contractAddress: expect.stringMatching(/^0x/) });
    expect((await finished(ledgerCall.body.actionId)).status).toBe('SUCCEEDED');
    address = deployed.contractAddress ?? '';
  });

  test('a contract is registered in a group with its interface', async () => {
    const group = await call('POST', '/v1/contract-groups', { name: groupName, projectId: 'project-one' });
    expect(group).toMatchObject({ status: 201, body: { name: groupName } });
    const { groupId } = group.body;
    const path = `/v1/contract-groups/${groupId}/instances`;
    const body = {
      groupId,
      interface: tokenTemplate.interface,
      ledgerReference: { ledgerId: 'chain', nativeReference: address },
      name: null,
    };
    const contract = await call('POST', path, body);
    expect(contract.status).toBe(201);
    contractId = contract.body.contractId ?? '';
    expect(contract.body).toEqual({
      contractId,
      groupId,
      interface: tokenTemplate.interface,
      ledgerReference: { ledgerId: 'chain', nativeReference: address },
      name: contractId,
    });
    expect((await call('GET', `${path}/${contractId}`)).body).toEqual(contract.body);
    expect((await call('GET', path)).body).toMatchObject({ contentType: 'ContractPage', totalElements: 1 });
    expect((await call('GET', `/v1/contract-groups/${groupId}`)).body).toEqual({ groupId, name: groupName });
    const list = await call('GET', '/v1/contract-groups?project=project-one&sort=name,desc');
    // A contract deployed from a template is in its own group.
    const pageContent = expect.arrayContaining([{ groupId, name: 'tokens' }]);
    expect(list.body).toMatchObject({ contentType: 'ContractGroupPage', pageContent });
    expect((await call('GET', '/v1/contract-groups')).body.errors?.[0]?.pointer).toBe('project');
    expect((await call('GET', '/v1/contract-groups?project=none')).body).toMatchObject({ totalElements: 0 });
    for (const [change, pointer] of [
      [{ interface: 'no ABI' }, '/interface'],
      [{ groupId: 'another' }, '/groupId'],
      [{ ledgerReference: { ledgerId: 'none', nativeReference: address } }, '/ledgerReference/ledgerId'],
      [{ ledgerReference: { ledgerId: 'chain', nativeReference: 'x' } }, '/ledgerReference/nativeReference'],
      [{ unknown: 1 }, '/unknown'],
    ] as const) {
      const refused = await call('POST', path, { ...body, ...change });
      expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, pointer]);
    }
  });

  test('a registered contract can be called by id, as a GLO and with named parameters', async () => {
    const bob = (await call('GET', '/v1/cloud-wallet/wallets/bob')).body.walletAddress ?? '';
    const glo = {
      version: '0.1.0',
      type: 'contract_call',
      options: { contract_instance: service(contractId), method_name: 'transfer', args: [bob, '1'] },
    };
    const first = await call('POST', '/v1/ledger-ops/contract/call', {
      walletId: 'alice',
      walletPassword: password,
      glo,
    });
    expect(first.status).toBe(201);
    const abi: { name?: string; inputs: { name: string }[] }[] = JSON.parse(tokenTemplate.interface);
    const names = abi.find(({ name }) => name === 'transfer')?.inputs.map(({ name }) => name) ?? [];
    const options = { service: { walletId: 'alice', walletPassword: password } };
    const byName = await call('POST', '/v1/ledger-ops/contract-call', {
      contractId,
      method: 'transfer',
      options,
      params: [
        { name: names[1], value: 2 },
        { name: names[0], value: bob },
      ],
    });
    expect(byName.status).toBe(201);
    for (const { body } of [first, byName]) expect((await finished(body.actionId)).status).toBe('SUCCEEDED');
    const balance = await call('POST', '/v1/ledger-ops/emulate', {
      walletId: 'alice',
      glo: { ...glo, options: { ...glo.options, method_name: 'balanceOf', args: [bob] } },
    });
    expect(balance.status).toBe(200);
    expect(JSON.stringify(balance.body.result)).toContain('3');
    const wrong = await call('POST', '/v1/ledger-ops/contract-call', {
      contractId,
      method: 'transfer',
      options,
      params: [{ value: bob }, { value: 'much' }],
    });
    expect([wrong.status, wrong.body.errors?.[0]?.pointer]).toEqual([400, '/params/1/value']);
  });
});

test('the cloud wallet sends under the client’s action id and returns the status by either id', async () => {
  const actionId = randomUUID();
  const body = {
    actionId,
    wallet: 'alice',
    glo: transfer('bob'),
    pluginParams: { walletPassword: password },
  };
  const sent = await call('POST', '/v1/cloud-wallet/transactions', body);
  expect(sent).toMatchObject({ status: 200, body: { problem: null } });
  const again = await call('POST', '/v1/cloud-wallet/transactions', body);
  expect(again.status).toBe(200);
  const other = await call('POST', '/v1/cloud-wallet/transactions', { ...body, glo: transfer('bob', 7) });
  expect([other.status, other.body.errors?.[0]?.pointer]).toEqual([409, '/actionId']);
  const { locator } = await finished(actionId);
  const status = await call(
    'GET',
    `/v1/cloud-wallet/transactions?txId=${locator}&txId=nope&txId=${actionId}`,
  );
  expect(status.body).toEqual([
    { details: { contractAddress: null, locator }, problem: null, status: 'SUCCEEDED', txId: locator },
    expect.objectContaining({
      status: 'FAILED',
      txId: 'nope',
      problem: expect.objectContaining({ status: 404 }),
    }),
    { details: { contractAddress: null, locator }, problem: null, status: 'SUCCEEDED', txId: actionId },
  ]);
  const missing = await call('POST', '/v1/cloud-wallet/transactions', { ...body, pluginParams: undefined });
  expect(missing.body.errors?.[0]?.pointer).toBe('/pluginParams/walletPassword');
});

test('wallets can be listed, read with their balance, exported, and given a new password', async () => {
  const page = await call('GET', '/v1/cloud-wallet/wallets?sort=walletId');
  expect(page.body).toMatchObject({
    contentType: 'WalletPage',
    pageContent: [{ walletId: 'alice' }, { walletId: 'bob' }, {}],
  });
  const bob = await call('GET', '/v1/cloud-wallet/wallets/bob');
  expect(BigInt(bob.body.balance ?? 0)).toBeGreaterThan(10n ** 19n);
  const path = '/v1/cloud-wallet/wallets/bob';
  const exported = await call('POST', `${path}/export`, { walletPassword: password });
  expect(exported).toMatchObject({ status: 200, body: { format: 'keystore-v3' } });
  expect(exported.headers.get('cache-control')).toBe('no-store');
  expect((await call('POST', `${path}/export`, { walletPassword: 'wrong' })).status).toBe(403);
  const newPassword = 'another horse battery staple';
  const short = await call('PUT', `${path}/password`, { walletPassword: password, newPassword: 'short' });
  expect(short.body.errors?.[0]?.pointer).toBe('/newPassword');
  expect((await call('PUT', `${path}/password`, { walletPassword: password, newPassword })).status).toBe(204);
  expect((await send(transfer('alice', 1), { walletId: 'bob' })).status).toBe(403);
  expect((await send(transfer('alice', 1), { walletId: 'bob', walletPassword: newPassword })).status).toBe(
    201,
  );
});

test.each([
  ['an unknown wallet', { walletId: 'nobody' }, 404, '/walletId'],
  ['a wrong password', { walletPassword: 'wrong' }, 403, undefined],
  ['an unknown recipient', { glo: transfer('nobody') }, 404, '/glo/options/recipient/resource'],
  ['an amount above the balance', { glo: transfer('bob', '0xffffffffffffffffffffffffff') }, 422, undefined],
  ['an unknown dependency', { dependencies: [randomUUID()] }, 400, '/dependencies/0'],
  ['a deadline in the past', { deadline: '2020-01-01T00:00:00Z' }, 400, '/deadline'],
  [
    'a locator of another technology',
    {
      glo: {
        ...transfer('x'),
        options: {
          recipient: { lookup_service: { type: 'ledger', value: 'hyperledger-fabric' }, resource: 'x' },
          amount: 1,
        },
      },
    },
    400,
    '/glo/options/recipient/lookup_service/value',
  ],
])('a send with %s is refused, and nothing is stored', async (_what, change, status, pointer) => {
  const before = await call('GET', '/v1/ledger-ops/search/wallets/alice/actions');
  const refused = await send(transfer('bob'), change);
  expect(refused.status).toBe(status);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  if (pointer !== undefined) expect(refused.body.errors?.map((issue) => issue.pointer)).toContain(pointer);
  const after = await call('GET', '/v1/ledger-ops/search/wallets/alice/actions');
  expect(after.body.totalElements).toBe(before.body.totalElements);
});

test('a nonce that no account can reach is rejected, even if the next nonce is unknown', async () => {
  const first = await send(transfer('bob'));
  const native = { native_transaction_content: { nonce: '0xfffffffffffffffe' }, version: '0.1.0' };
  const glo = { ...transfer('bob'), meta: { ledger: { ethereum: native } } };
  const refused = await send(glo, { dependencies: [first.body.actionId] });
  expect(refused).toMatchObject({ status: 409, body: { type: 'urn:ledger-ops:problem:nonce-conflict' } });
});

test('another project cannot see these records', async () => {
  const [administrator] = await server.store.read.all<{ service_id: string }>(
    'SELECT service_id FROM service_account',
  );
  const stranger = await addCaller(server.store, server.auth, administrator?.service_id ?? '', 'stranger');
  const { body } = await send(transfer('bob'));
  const as = (method: string, path: string, given?: unknown) =>
    call(method, path, given, { ...stranger.headers });
  expect((await as('GET', `/v1/ledger-ops/search/actions/${body.actionId}`)).status).toBe(404);
  expect((await as('GET', `/v1/ledger-ops/actions/${body.actionId}/events`)).status).toBe(404);
  expect((await as('POST', '/v1/ledger-ops/search/actions', { actionIds: [body.actionId] })).body).toEqual(
    [],
  );
  expect((await as('GET', '/v1/ledger-ops/search/wallets/alice/actions')).status).toBe(404);
  expect((await as('GET', '/v1/cloud-wallet/wallets/alice')).status).toBe(404);
  expect((await as('GET', '/v1/cloud-wallet/wallets')).body).toMatchObject({ totalElements: 0 });
  expect((await as('GET', '/v1/contract-groups?project=project-one')).body).toMatchObject({
    totalElements: 0,
  });
  expect((await as('GET', '/v1/smart-contracts/templates/my-token/specifications')).status).toBe(404);
  expect((await as('POST', '/v1/contract-groups', { name: 'x', projectId: 'project-one' })).status).toBe(404);
});

test('a caller with read access cannot send, create, export or register', async () => {
  const [administrator] = await server.store.read.all<{ service_id: string }>(
    'SELECT service_id FROM service_account',
  );
  const viewer = await addCaller(
    server.store,
    server.auth,
    administrator?.service_id ?? '',
    'viewer',
    'viewer',
  );
  const as = async (path: string, given: unknown) =>
    (await call('POST', path, given, { ...viewer.headers })).status;
  const wallet = { walletId: 'w', ledgerId: 'chain', pluginParameters: { walletPassword: password } };
  expect(await as('/v1/cloud-wallet/wallets', wallet)).toBe(403);
  expect(await as('/v1/contract-groups', { name: 'x' })).toBe(403);
  expect(await as('/v1/smart-contracts/templates', { name: 'x' })).toBe(403);
});

test('an accepted action continues after a restart, and its event stream reaches the final state', async () => {
  const { body } = await send(transfer('bob'));
  await server.close();
  server = await start();
  const action = await vi.waitFor(async () => {
    const response = await fetch(`${server.url}/v1/ledger-ops/actions/${body.actionId}/events`, {
      headers: caller.headers,
    });
    expect(response.status).toBe(200);
    return await response.text();
  }, 30_000);
  expect(action).toContain('"status":"SUCCEEDED"');
});

test('the server reports that it is ready after all these operations', async () => {
  expect(await call('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addTenant,
  addTokenTemplate,
  addWallet,
  ended,
  type Installation,
  install,
  type Tenant,
} from '../stage/api.ts';

const walletPassword = 'correct horse battery staple';
const url = 'npm:@ledger-ops/plugin-ethereum';
const receiver = '0x00000000000000000000000000000000000000aa';

let here: Installation;
let tenant: Tenant;
/** Id and address of the registered token. */
let token: string;
let address: string;

beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: url, PLUGINS_TRUSTED: url });
  tenant = await addTenant(here.url, here.administrator, 'one');
  await addWallet(here, tenant, 'alice');
  const { api } = tenant;
  await addTokenTemplate(api, 'coin');
  const { id = '' } = await api.expect(201, 'POST', '/v1/gateway/actions', {
    walletId: 'alice',
    walletPassword,
    glo: {
      version: '0.1.0',
      type: 'contract_deploy',
      options: {
        contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' },
        args: ['Coin', 'C', '1000'],
      },
    },
  });
  const action = await ended(api, id);
  expect(action).toMatchObject({ status: 'SUCCEEDED' });
  [token, address] = [id, action.contractAddress ?? ''];
});
afterAll(() => here.close());

const older = (args: string[], contractInstance = token, methodName = 'transfer') => ({
  type: 'contract_call',
  params: { contractInstance, methodName, args },
});
const balance = async () => {
  const { result = '' } = await tenant.api.expect(200, 'POST', '/v1/gateway/emulations', {
    instanceId: token,
    methodName: 'balanceOf',
    args: [receiver],
  });
  return BigInt(JSON.parse(result));
};

describe('send a GLO action', () => {
  const send = (change: object = {}, headers: Record<string, string> = {}) =>
    tenant.api.call(
      'POST',
      '/v1/gateway/actions',
      { walletId: 'alice', walletPassword, glo: older([receiver, '1']), serviceSession: '', ...change },
      headers,
    );

  test('POST /v1/gateway/actions accepts a GLO as {type, params}, and stores the context with the action', async () => {
    const before = await balance();
    const intent = randomUUID();
    const answer = await send({ intent, tag: 'a tag', context: 'line 1\nline 2', somethingElse: 1 });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), state: 'PENDING' });
    expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(answer.headers.get('link')).toContain('rel="deprecation"');
    expect(await ended(tenant.api, answer.body.id ?? '')).toMatchObject({
      ...{ status: 'SUCCEEDED', intent, tag: 'a tag', context: 'line 1\nline 2' },
    });
    expect(await balance()).toBe(before + 1n);
  });

  test('a gateway action waits for its dependencies', async () => {
    const first = await send();
    const second = await send({ dependencies: [first.body.id] });
    const action = await ended(tenant.api, second.body.id ?? '');
    expect(action).toMatchObject({ status: 'SUCCEEDED', dependencies: [first.body.id] });
  });

  test('repeating a gateway send with an Idempotency-Key sends once and returns the same response', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await send({}, headers);
    expect((await send({}, headers)).body).toEqual(first.body);
    expect((await send({ tag: 'another' }, headers)).status).toBe(422);
    await ended(tenant.api, first.body.id ?? '');
  });

  test.each([
    ['a missing argument', { glo: 'short' }, '/glo/params/args'],
    ['an unknown contract', { glo: 'nowhere' }, '/glo/params/contractInstance'],
    ['no wallet password', { walletPassword: undefined }, '/walletPassword'],
    ['an intent that is not a UUID', { intent: 'x' }, '/intent'],
    ['a context that is not text', { context: 1 }, '/context'],
  ])('POST /v1/gateway/actions rejects %s with a pointer to the fault', async (_, change, pointer) => {
    const forms = { short: older([receiver]), nowhere: older([receiver, '1'], 'nowhere') };
    const glo = 'glo' in change ? forms[change.glo as keyof typeof forms] : older([receiver, '1']);
    const { status, body } = await send({ ...change, glo });
    expect([status, body.errors]).toEqual([400, [{ pointer, detail: expect.any(String) }]]);
  });

  test('an unknown session, a wrong wallet password or an unknown wallet is refused', async () => {
    const { status, body } = await send({ serviceSession: 'never-was' });
    expect([status, body.errors]).toMatchObject([403, [{ pointer: '/serviceSession' }]]);
    expect((await send({ walletPassword: 'a wrong password' })).status).toBe(403);
    expect((await send({ walletId: 'nobody' })).status).toBe(404);
  });
});

describe('send an action, in the current request form', () => {
  let pluginId: string;
  beforeAll(async () => {
    const record = { name: 'Explicit', projectId: tenant.projectId, url, tags: ['ethereum'] };
    pluginId = (await tenant.api.expect(201, 'POST', '/v1/plugins', record)).id ?? '';
  });
  const send = (change: object = {}, headers: Record<string, string> = {}) =>
    tenant.api.call(
      'POST',
      '/v1/gateway/plugin-actions',
      {
        ...{ wallet: 'alice', walletId: 'alice', ledger: 'ethereum', ledgerId: 'chain', pluginId },
        pluginSecrets: { walletPassword, other: 'x' },
        glo: older([receiver, '1']),
        ...{ dependencies: [], intent: null, tag: null },
        ...change,
      },
      headers,
    );

  test('POST /v1/gateway/plugin-actions sends the action through the plugin that the request names', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const { status, body, headers: answered } = await send({}, headers);
    expect([status, body]).toEqual([201, { id: expect.any(String), state: 'PENDING' }]);
    expect(answered.get('deprecation')).not.toBeNull();
    expect((await send({}, headers)).body).toEqual(body);
    expect(await ended(tenant.api, body.id ?? '')).toMatchObject({ status: 'SUCCEEDED' });
    const { read } = here.server.store;
    const [plugin] = await read.all('SELECT uid FROM plugin WHERE plugin_id = $1', [pluginId]);
    const rows = await read.all('SELECT plugin FROM action WHERE id = $1', [body.id ?? '']);
    expect(rows).toEqual([{ plugin: plugin?.uid }]);
  });

  test.each([
    [{ wallet: 'bob' }, 400, '/wallet'],
    [{ ledger: 'hyperledger-fabric' }, 400, '/ledger'],
    [{ ledgerId: 'another' }, 400, '/ledgerId'],
    [{ pluginSecrets: {} }, 400, '/pluginSecrets/walletPassword'],
    [{ pluginSecrets: undefined }, 400, '/pluginSecrets/walletPassword'],
    [{ pluginId: undefined }, 400, '/pluginId'],
    [{ glo: { version: '0.1.0', type: 'transfer', options: { recipient: receiver, amount: 1 } } }, 400, null],
  ])(
    'POST /v1/gateway/plugin-actions rejects the change %j to a valid request',
    async (change, status, pointer) => {
      const answer = await send(change);
      expect(answer.status).toBe(status);
      if (pointer !== null) expect(answer.body.errors).toMatchObject([{ pointer }]);
    },
  );

  test('POST /v1/gateway/plugin-actions rejects an unknown plugin or a wrong wallet password', async () => {
    expect((await send({ pluginId: randomUUID() })).status).toBe(422);
    expect((await send({ pluginSecrets: { walletPassword: 'a wrong password' } })).status).toBe(403);
  });
});

describe('emulate', () => {
  test('gateway emulation returns the decoded value as JSON text', async () => {
    const emulate = (methodName: string, args?: string[]) =>
      tenant.api.call('POST', '/v1/gateway/emulations', { instanceId: token, methodName, args });
    const supply = await emulate('totalSupply');
    expect([supply.status, supply.body]).toEqual([200, { result: '"1000"' }]);
    expect(supply.headers.get('deprecation')).not.toBeNull();
    expect((await emulate('symbol', [])).body).toEqual({ result: '"C"' });
    // Without a caller, the contract returns the balance 0.
    const refused = await emulate('transfer', [receiver, '1']);
    expect([refused.status, refused.body.type]).toEqual([422, 'urn:ledger-ops:problem:reverted']);
    expect((await emulate('nothing', [])).status).toBe(422);
    const short = await emulate('balanceOf', []);
    expect([short.status, short.body.errors]).toMatchObject([400, [{ pointer: '/args' }]]);
  });

  test('gateway emulation accepts only registered contracts', async () => {
    const { status, body } = await tenant.api.call('POST', '/v1/gateway/emulations', {
      ...{ instanceId: address, methodName: 'symbol', args: [] },
    });
    expect([status, body.errors]).toMatchObject([404, [{ pointer: '/instanceId' }]]);
  });
});

describe('search a transaction', () => {
  const search = (query: Record<string, string>) =>
    tenant.api.call('GET', `/v1/gateway/transactions?${new URLSearchParams(query)}`);

  test('the transaction search finds a transaction by its locator, with the receipt if requested', async () => {
    const { locator = '' } = await tenant.api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${token}`);
    const plain = await search({ ledgerId: 'chain', locator, withReceipt: 'false' });
    expect(plain.body).toEqual({
      ...{ locator, smartContractAddress: address, status: 'SUCCEEDED', reason: null },
      ...{ blockTime: expect.stringMatching(/Z$/), fee: expect.stringMatching(/^[1-9]\d+$/) },
    });
    expect(plain.headers.get('deprecation')).not.toBeNull();
    const full = await search({ ledgerId: 'chain', locator, withReceipt: 'true' });
    expect(full.body).toEqual({
      ...plain.body,
      receipt: expect.objectContaining({ transactionHash: locator }),
    });
  });

  test('the transaction search shows why a transaction failed, and rejects unknown transactions and missing parameters', async () => {
    const { id = '' } = await tenant.api.expect(201, 'POST', '/v1/gateway/actions', {
      ...{ walletId: 'alice', walletPassword },
      glo: {
        version: '0.1.0',
        type: 'contract_call',
        options: {
          contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: token },
          method_name: 'transfer',
          args: [receiver, '1000000'],
        },
        meta: {
          ledger: {
            ethereum: {
              version: '0.1.0',
              native_transaction_content: { gasLimit: 100_000, gasPrice: '20000000000' },
            },
          },
        },
      },
    });
    const { status, locator = '' } = await ended(tenant.api, id);
    expect(status).toBe('FAILED');
    const found = await search({ ledgerId: 'chain', locator, withReceipt: 'false' });
    expect(found.body).toEqual({
      ...{
        locator,
        smartContractAddress: null,
        status: 'FAILED',
        reason: expect.stringContaining('The contract reverted'),
      },
      ...{ blockTime: expect.stringMatching(/Z$/), fee: expect.stringMatching(/^[1-9]\d+$/) },
    });

    const unknown = `0x${'e'.repeat(64)}`;
    expect((await search({ ledgerId: 'chain', locator: unknown, withReceipt: 'true' })).status).toBe(404);
    expect((await search({ ledgerId: 'nowhere', locator, withReceipt: 'true' })).status).toBe(404);
    expect((await search({ ledgerId: 'chain', locator: id, withReceipt: 'true' })).status).toBe(404);
    const bad = await search({ ledgerId: 'chain', locator, withReceipt: 'yes' });
    expect([bad.status, bad.body.errors]).toMatchObject([400, [{ pointer: 'withReceipt' }]]);
    expect((await search({ ledgerId: 'chain', locator })).body.errors).toMatchObject([
      { pointer: 'withReceipt' },
    ]);
    expect((await search({ locator, withReceipt: 'true' })).body.errors).toMatchObject([
      { pointer: 'ledgerId' },
    ]);
  });

  test('the transaction search shows the time of a block as unknown if it is not a date', async () => {
    const account = { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: receiver };
    const transfer = { version: '0.1.0', type: 'transfer', options: { recipient: account, amount: 1 } };
    await here.anvil.rpc('evm_setNextBlockTimestamp', [8_640_000_000_001]);
    const { id = '' } = await tenant.api.expect(201, 'POST', '/v1/gateway/actions', {
      ...{ walletId: 'alice', walletPassword, glo: transfer },
    });
    const { status, locator = '' } = await ended(tenant.api, id);
    expect(status).toBe('SUCCEEDED');
    const found = await search({ ledgerId: 'chain', locator, withReceipt: 'true' });
    expect([found.status, found.body.blockTime]).toEqual([200, null]);
  });
});

// Contracts over HTTP: registering, describing as operations, calling, changing and deleting.
import type { ProblemDocument } from '@ledger-ops/base';
import { tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPassing } from '../operations/passing-node.ts';
import {
  type Api,
  addTenant,
  addTokenTemplate,
  addWallet,
  ended,
  type Installation,
  install,
  type Tenant,
} from '../stage/api.ts';

const password = 'correct horse battery staple';
const overloads = `[
  "function set(uint256 amount) returns (bool)",
  "function set(address to, uint256 amount)",
  "function pair(uint8, uint8[2] memory) view returns (uint256 low, uint256 high)"
]`;

let here: Installation;
let tenant: Tenant;
let stranger: Tenant;
let api: Api;
let address: string;
let owner: string;
let group: string;
let token: string;
beforeAll(async () => {
  here = await install();
  tenant = await addTenant(here.url, here.administrator, 'own');
  stranger = await addTenant(here.url, here.administrator, 'other');
  api = tenant.api;
  owner = (await addWallet(here, tenant, 'owner')).walletAddress;
  await addTokenTemplate(api, 'coin-template');
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', {
    ...{ walletId: 'owner', walletPassword: password },
    glo: {
      ...{ version: '0.1.0', type: 'contract_deploy' },
      options: {
        contract_source: {
          lookup_service: { type: 'service', value: 'service' },
          resource: 'coin-template:1',
        },
        args: ['Coin', 'COIN', '1000'],
      },
    },
  });
  address = (await ended(api, actionId)).contractAddress ?? '';
  group = `/v1/contract-groups/${(await api.expect(201, 'POST', '/v1/contract-groups', { name: 'coins' })).groupId}`;
  token = await register(tokenTemplate.interface, 'coin');
});
afterAll(() => here?.close());

/** Registers the contract, and returns its path. */
async function register(text: string, name: string | null = null, at = address) {
  const { contractId } = await api.expect(201, 'POST', `${group}/instances`, {
    ...{ interface: text, name, ledgerReference: { ledgerId: 'chain', nativeReference: at } },
  });
  return `${group}/instances/${contractId}`;
}
async function refusal(method: string, path: string, body?: unknown) {
  const { status, body: problem } = await api.call<Partial<ProblemDocument>>(method, path, body);
  return { status, pointers: problem.errors?.map(({ pointer }) => pointer) ?? [], problem };
}

test('callers who can see a template can read the arguments of its constructor', async () => {
  const path = '/v1/contract-templates/coin-template/versions/1/constructor';
  expect(await api.expect(200, 'GET', path)).toEqual({
    inputs: [
      { name: 'name_', type: 'string' },
      { name: 'symbol_', type: 'string' },
      { name: 'supply', type: 'uint256' },
    ],
  });
  expect((await api.call('GET', path.replace('/1/', '/2/'))).status).toBe(404);
  expect((await stranger.api.call('GET', path)).status).toBe(404);
});

test('a contract whose interface has types outside the ABI works, except for methods with such arguments', async () => {
  const color = { name: 'color', type: 'Colors.Color' };
  const foreign = [
    ...JSON.parse(tokenTemplate.interface),
    { type: 'function', name: 'paint', stateMutability: 'nonpayable', inputs: [color], outputs: [] },
    { type: 'event', name: 'Painted', inputs: [{ ...color, indexed: false }] },
  ];
  const path = await register(JSON.stringify(foreign), 'painted');
  const { methods } = await api.expect(200, 'GET', `${path}/methods`);
  expect(methods).toContainEqual(
    expect.objectContaining({ signature: 'paint(Colors.Color)', inputs: [color] }),
  );
  const document = await api.expect<{ paths: object }>(200, 'GET', `${path}/openapi.json`);
  expect(Object.keys(document.paths)).toContainEqual(expect.stringContaining('/methods/paint'));
  expect(await api.expect(200, 'POST', `${path}/methods/totalSupply`, {})).toEqual({ result: '1000' });
  const call = { arguments: [1], walletId: 'owner', walletPassword: password };
  const { status, problem } = await refusal('POST', `${path}/methods/paint`, call);
  expect(status).toBe(422);
  expect(problem.detail).toContain('paint(Colors.Color) has arguments of types');
});

test('a result that does not match the interface is returned as the bytes that the contract returned', async () => {
  const odd = '0x00000000000000000000000000000000000000dd';
  const maker = '4d616b6572'.padEnd(64, '0');
  // Contract code of 12 bytes, which returns the word that follows it for every call.
  await here.anvil.rpc('anvil_setCode', [odd, `0x6020600c60003960206000f3${maker}`]);
  const abi = ['function name() view returns (string)'];
  const path = await register(JSON.stringify(abi), 'odd', odd);
  expect(await api.expect(200, 'POST', `${path}/methods/name`, {})).toEqual({
    ...{ result: null, returned: `0x${maker}` },
    warnings: [expect.stringMatching(/^name\(\) returned data that does not match/)],
  });
});

test('registering a contract is refused if its ledger has no such contract, but accepted if the ledger cannot be reached', async () => {
  const reference = { ledgerId: 'chain', nativeReference: '0x00000000000000000000000000000000000000bb' };
  const body = { interface: '[]', ledgerReference: reference };
  expect(await refusal('POST', `${group}/instances`, body)).toMatchObject({
    ...{ status: 422, pointers: ['/ledgerReference/nativeReference'] },
    problem: { type: 'urn:ledger-ops:problem:unknown-contract' },
  });
  await api.expect(201, 'POST', '/v1/ledgers', {
    ...{ ledgerID: 'silent', name: 'Silent', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
  });
  const node = await startPassing(here.anvil.url);
  await api.expect(201, 'POST', '/v1/nodes', { ledgerID: 'silent', options: { uri: node.url } });
  await node.stop();
  const silent = { ...body, ledgerReference: { ...reference, ledgerId: 'silent' } };
  expect((await api.call('POST', `${group}/instances`, silent)).status).toBe(201);
});

test('read-only methods return a value, and other methods create actions', async () => {
  const call = async (method: string, body: unknown, status = 200) =>
    await api.expect(status, 'POST', `${token}/methods/${encodeURIComponent(method)}`, body);
  expect(await call('totalSupply', {})).toEqual({ result: '1000' });
  expect(await call('balanceOf', { arguments: { account: owner } })).toEqual({ result: '1000' });
  expect(await call('balanceOf(address)', { arguments: [owner] })).toEqual({ result: '1000' });
  const to = '0x00000000000000000000000000000000000000aa';
  const intent = '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10';
  const transfer = {
    ...{ arguments: { value: 7, to }, walletId: 'owner', walletPassword: password, intent, tag: 'seven' },
  };
  const first = await call('transfer', transfer, 201);
  const second = await call('transfer', { ...transfer, dependencies: [first.actionId] }, 201);
  expect(second).toMatchObject({ intent, status: 'PENDING' });
  expect(await ended(api, second.actionId ?? '')).toMatchObject({
    ...{ status: 'SUCCEEDED', intent, tag: 'seven', dependencies: [first.actionId] },
  });
  expect(await call('balanceOf', { arguments: { account: to } })).toEqual({ result: '14' });
});

test('calls with the same Idempotency-Key call the method once', async () => {
  const transfer = { arguments: { to: owner, value: '1' }, walletId: 'owner', walletPassword: password };
  const send = () =>
    api.call('POST', `${token}/methods/transfer`, transfer, { 'Idempotency-Key': 'only-once' });
  const [first, again] = [await send(), await send()];
  expect(first.status).toBe(201);
  expect(again.body).toEqual(first.body);
});

test('an invalid call of a method is refused with a pointer to each fault', async () => {
  const wallet = { walletId: 'owner', walletPassword: password };
  const bad: [string, unknown, number, string[]][] = [
    ['nothing', {}, 404, []],
    ['balanceOf', {}, 400, ['/arguments/account']],
    ['balanceOf', { arguments: { account: owner, more: 1 } }, 400, ['/arguments/more']],
    ['balanceOf', { arguments: { account: 'x' } }, 400, ['/arguments/account']],
    ['balanceOf', { arguments: [] }, 400, ['/arguments']],
    ['transfer', { arguments: { to: owner, value: 1 } }, 400, ['/walletId', '/walletPassword']],
    ['transfer', { arguments: { to: owner, value: -1 }, ...wallet }, 400, ['/arguments/value']],
    ['transfer', { arguments: { to: owner, value: 1.5 }, ...wallet }, 400, ['/arguments/value']],
    ['transfer', { arguments: { to: owner, value: 1 }, ...wallet, walletId: 'nobody' }, 404, ['/walletId']],
    [
      'transfer',
      { arguments: { to: owner, value: 1 }, ...wallet, walletPassword: 'wrong wrong wrong' },
      403,
      [],
    ],
    ['transfer', { arguments: { to: owner, value: 1 }, ...wallet, nonsense: 1 }, 400, ['/nonsense']],
  ];
  for (const [method, body, status, pointers] of bad) {
    const refused = await refusal('POST', `${token}/methods/${method}`, body);
    expect([method, body, refused.status, refused.pointers]).toEqual([method, body, status, pointers]);
  }
});

interface ContractDocument {
  openapi: string;
  info: { title: string };
  servers: { url: string }[];
  paths: Record<
    string,
    {
      post: {
        operationId: string;
        requestBody: { content: { 'application/json': { schema: Record<string, unknown> } } };
        responses: Record<string, { content: Record<string, { schema: Record<string, unknown> }> }>;
      };
    }
  >;
}
async function documentOf(path: string): Promise<ContractDocument> {
  // The tests check the shape of the document.
  return await api.expect(200, 'GET', `${path}/openapi.json`);
}

test('a contract’s document describes every method with typed arguments, at the path where it is called', async () => {
  const document = await documentOf(token);
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'coin' }, servers: [{ url: here.url }] });
  expect(Object.keys(document.paths)).toEqual(
    ['balanceOf', 'decimals', 'name', 'symbol', 'totalSupply', 'transfer'].map(
      (name) => `${token}/methods/${name}`,
    ),
  );
  const { requestBody, responses } = document.paths[`${token}/methods/transfer`]?.post ?? {};
  expect(requestBody?.content['application/json'].schema).toMatchObject({
    required: ['arguments', 'walletId', 'walletPassword'],
    properties: {
      arguments: {
        required: ['to', 'value'],
        properties: {
          to: { type: 'string', description: 'address' },
          value: { type: ['string', 'integer'], description: 'uint256' },
        },
      },
    },
  });
  expect(Object.keys(responses ?? {})).toEqual(['201', 'default']);
  for (const path of Object.keys(document.paths)) {
    expect((await api.call('POST', path, { nonsense: 1 })).status).toBe(400);
  }
});

test('overloaded methods have their signatures in their paths, and unnamed arguments are sent as an array', async () => {
  const path = await register(overloads);
  const { paths } = await documentOf(path);
  expect(Object.keys(paths).map((one) => decodeURIComponent(one.split('/').at(-1) ?? ''))).toEqual([
    ...['pair', 'set(address,uint256)', 'set(uint256)'],
  ]);
  expect(new Set(Object.values(paths).map(({ post }) => post.operationId)).size).toBe(3);
  const pair = paths[`${path}/methods/pair`]?.post;
  expect(pair?.requestBody.content['application/json'].schema).toMatchObject({
    properties: {
      arguments: {
        type: 'array',
        prefixItems: [{ description: 'uint8' }, { type: 'array', minItems: 2, maxItems: 2 }],
      },
    },
  });
  expect(pair?.responses['200']?.content['application/json']?.schema).toMatchObject({
    properties: { result: { anyOf: [{ required: ['low', 'high'] }, { type: 'null' }] } },
  });
  const ambiguous = await refusal('POST', `${path}/methods/set`, { arguments: { amount: 1 } });
  expect(ambiguous).toMatchObject({ status: 400, pointers: ['method'] });
  expect(ambiguous.problem.detail).toContain('set(address,uint256), set(uint256)');
});

test('the list of methods and events comes from the ledger’s plugin', async () => {
  const { methods, events } = await api.expect(200, 'GET', `${token}/methods`);
  expect(events).toEqual(['Transfer']);
  expect(methods).toContainEqual({
    name: 'transfer',
    signature: 'transfer(address,uint256)',
    view: false,
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  });
  expect(methods).toContainEqual(expect.objectContaining({ name: 'decimals', view: true }));
});

test('groups and contracts can be changed and deleted, but not a group that contains contracts', async () => {
  const path = await register('["function a() view returns (uint256)"]');
  const read = await api.expect(200, 'GET', path);
  expect(await api.expect(200, 'PUT', path, read)).toEqual(read);
  const renamed = { name: 'renamed', interface: tokenTemplate.interface };
  expect(await api.expect(200, 'PUT', path, renamed)).toMatchObject(renamed);
  expect(await api.expect(200, 'POST', `${path}/methods/decimals`, {})).toHaveProperty('result');
  expect(await api.expect(200, 'PUT', path, { name: null })).toMatchObject({ name: read.contractId });
  expect(await refusal('PUT', path, { interface: 'no interface' })).toMatchObject({
    ...{ status: 400, pointers: ['/interface'] },
  });
  expect(await refusal('DELETE', group)).toMatchObject({
    ...{ status: 409, problem: { type: 'urn:ledger-ops:problem:in-use' } },
  });
  expect((await refusal('DELETE', group)).problem.usedBy).toEqual([expect.stringMatching(/^\d+ contracts$/)]);
  expect((await api.call('DELETE', path)).status).toBe(204);
  expect((await api.call('GET', path)).status).toBe(404);
  const { groupId } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'empty' });
  const empty = `/v1/contract-groups/${groupId}`;
  expect(await api.expect(200, 'PUT', empty, { name: 'void', groupId })).toEqual({ groupId, name: 'void' });
  expect((await stranger.api.call('PUT', empty, { name: 'mine' })).status).toBe(404);
  expect((await stranger.api.call('DELETE', empty)).status).toBe(404);
  expect((await api.call('DELETE', empty)).status).toBe(204);
  expect((await api.call('GET', empty)).status).toBe(404);
});

test('another project neither sees nor calls a contract', async () => {
  expect((await stranger.api.call('GET', `${token}/openapi.json`)).status).toBe(404);
  expect((await stranger.api.call('GET', `${token}/methods`)).status).toBe(404);
  expect((await stranger.api.call('POST', `${token}/methods/totalSupply`, {})).status).toBe(404);
});

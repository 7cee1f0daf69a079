// Templates, their versions, and contracts of all groups over HTTP, at paths that are not deprecated.
import { tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  type Api,
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  type Tenant,
  type Texts,
} from '../stage/api.ts';

const templates = '/v1/contract-templates';
const walletPassword = 'correct horse battery staple';
const compiled = { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code };

let here: Installation;
let tenant: Tenant;
let stranger: Tenant;
let api: Api;
beforeAll(async () => {
  here = await install();
  tenant = await addTenant(here.url, here.administrator, 'own');
  stranger = await addTenant(here.url, here.administrator, 'other');
  api = tenant.api;
  await create(templates, { templateId: 'coin', name: 'Coin' });
});
afterAll(() => here?.close());

interface Items<Item = Texts> {
  items: Item[];
  next: string | null;
}

/** Creates a record, and reads it at the returned location. */
async function create(path: string, body: object): Promise<Texts> {
  const answer = await api.call<Texts>('POST', path, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  expect(answer.headers.get('deprecation')).toBe(null);
  const there = await api.expect<Texts>(200, 'GET', answer.headers.get('location') ?? '');
  // The status is not compared, because sources may be compiled by now.
  const { templateId, version } = answer.body;
  expect(there).toMatchObject({ templateId, ...(version === undefined ? {} : { version }) });
  return answer.body;
}

async function pointersOf(status: number, path: string, body: object) {
  const refused = await api.call<{ errors?: { pointer: string }[] }>('POST', path, body);
  expect([refused.status, refused.text]).toEqual([status, expect.any(String)]);
  return (refused.body.errors ?? []).map(({ pointer }) => pointer);
}

async function all<Item = Texts>(path: string): Promise<Item[]> {
  const seen: Item[] = [];
  for (let cursor = ''; ; ) {
    const { items, next }: Items<Item> = await api.expect(200, 'GET', `${path}${cursor}`);
    seen.push(...items);
    if (next === null) return seen;
    cursor = `${path.includes('?') ? '&' : '?'}cursor=${next}`;
  }
}

test('a template is created, shown and listed in pages of one project', async () => {
  const made = await create(templates, { name: 'Vault', templateId: 'vault', description: 'Holds' });
  expect(made).toEqual({ templateId: 'vault', name: 'Vault', description: 'Holds' });
  expect(await api.expect(200, 'GET', `${templates}/vault`)).toEqual(made);
  const generated = await create(templates, { name: 'Without id', projectId: tenant.projectId });
  expect((await all(`${templates}?size=1`)).map(({ templateId }) => templateId)).toEqual([
    ...['coin', 'vault', generated.templateId],
  ]);
  expect((await stranger.api.call('GET', `${templates}/vault`)).status).toBe(404);
  expect(await stranger.api.expect(200, 'GET', `${templates}?projectId=${tenant.projectId}`)).toEqual({
    ...{ items: [], next: null },
  });
  // The deprecated paths show the same records.
  const olderPath = `/v1/smart-contracts/templates?project=${tenant.projectId}&resourceId=vault`;
  const older = await api.expect<{ pageContent: Texts[] }>(200, 'GET', olderPath);
  expect(older.pageContent).toMatchObject([{ contractTemplateID: 'vault', name: 'Vault' }]);
});

test('errors of templates and versions point to the members of the request body', async () => {
  expect(await pointersOf(409, templates, { templateId: 'coin', name: 'x' })).toEqual(['/templateId']);
  expect(await pointersOf(400, templates, { templateId: 'tokens', name: 'x' })).toEqual(['/templateId']);
  expect(await pointersOf(400, templates, { name: 'x', contractTemplateID: 'x' })).toEqual([
    '/contractTemplateID',
  ]);
  expect(await pointersOf(404, templates, { name: 'x', projectId: 'never-was' })).toEqual(['/projectId']);
  const versions = `${templates}/coin/versions`;
  const refused: [number, object, string][] = [
    [400, { code: compiled }, '/version'],
    [400, { version: 'a b', code: compiled }, '/version'],
    [400, { version: 'x' }, '/code'],
    [400, { version: 'x', code: '{"abi":[]}' }, '/code/bytecode'],
    [400, { version: 'x', code: { ...compiled, bytecode: '0x6' } }, '/code/bytecode'],
    [400, { version: 'x', code: { language: 'Solidity', sources: {} } }, '/code/sources'],
    [400, { version: 'x', code: 'contract A {}', compilerVersion: '0.4.1' }, '/compilerVersion'],
    [422, { version: 'x', code: compiled, technology: 'never-was' }, '/technology'],
  ];
  for (const [status, body, pointer] of refused) {
    expect([body, await pointersOf(status, versions, body)]).toEqual([body, [pointer]]);
  }
  expect(
    (await api.call('POST', `${templates}/never-was/versions`, { version: '1', code: compiled })).status,
  ).toBe(404);
  expect((await stranger.api.call('POST', versions, { version: '1', code: compiled })).status).toBe(404);
});

test('versions are listed from oldest to newest, without sources and compiled output', async () => {
  await create(templates, { templateId: 'several', name: 'Several' });
  const versions = `${templates}/several/versions`;
  const first = await create(versions, { version: '1', code: compiled, description: 'Elsewhere' });
  expect(first).toEqual({
    ...{ templateId: 'several', version: '1', technology: 'ethereum', description: 'Elsewhere' },
    ...{ status: 'COMPILED', messages: [], language: null, compilerVersion: null },
    checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    ...{ createdAt: expect.stringMatching(/Z$/), updatedAt: expect.stringMatching(/Z$/) },
    ...{ sources: null, compiled: JSON.stringify(compiled) },
  });
  expect(await pointersOf(409, versions, { version: '1', code: compiled })).toEqual(['/version']);
  const source = (value: number) =>
    `pragma solidity ^0.8.26;\ncontract Answer { uint256 public constant value = ${value}; }`;
  await create(versions, { version: '2', code: source(1) });
  await create(versions, {
    ...{ version: '3', contract: 'b.sol:Answer', compilerVersion: '^0.8.26' },
    code: {
      language: 'Solidity',
      sources: { 'a.sol': { content: source(2) }, 'b.sol': { content: source(3) } },
    },
  });
  const listed = await vi.waitFor(
    async () => {
      const found = await all(`${versions}?size=2`);
      expect(found.map(({ status }) => status)).toEqual(['COMPILED', 'COMPILED', 'COMPILED']);
      return found;
    },
    { timeout: 60_000, interval: 50 },
  );
  expect(listed.map(({ version }) => version)).toEqual(['1', '2', '3']);
  expect(listed.flatMap(Object.keys)).not.toContain('compiled');
  const { compiled: output, ...third } = await api.expect(200, 'GET', `${versions}/3`);
  expect(third).toMatchObject({ language: 'Solidity', compilerVersion: expect.stringMatching(/^0\.8\./) });
  expect(output).toContain('abi');
  expect(third.sources).toContain('b.sol');
  expect((await api.call('GET', `${versions}/4`)).status).toBe(404);
}, 300_000);

test('a contract deployed from a template version is found by its id and in the list of its project', async () => {
  await create(`${templates}/coin/versions`, { version: '1', code: compiled });
  expect(await api.expect(200, 'GET', `${templates}/coin/versions/1/constructor`)).toEqual({
    inputs: [
      { name: 'name_', type: 'string' },
      { name: 'symbol_', type: 'string' },
      { name: 'supply', type: 'uint256' },
    ],
  });
  await addWallet(here, tenant, 'alice');
  const deployment = {
    ...{ walletId: 'alice', walletPassword },
    glo: {
      ...{ version: '0.1.0', type: 'contract_deploy' },
      options: {
        contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' },
        args: ['Coin', 'C', '1000'],
      },
    },
  };
  const path = '/v1/ledger-ops/send';
  const { actionId = '' } = await api.expect(201, 'POST', path, deployment);
  const { contractAddress } = await ended(api, actionId);
  const contract = await api.expect(200, 'GET', `/v1/contracts/${actionId}`);
  expect(contract).toMatchObject({
    contractId: actionId,
    groupId: expect.stringMatching(/^template-/),
    ledgerReference: { ledgerId: 'chain', nativeReference: contractAddress },
  });
  const { groupId } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'others' });
  const registered = await api.expect(201, 'POST', `/v1/contract-groups/${groupId}/instances`, {
    ...{ interface: '[]', ledgerReference: { ledgerId: 'chain', nativeReference: contractAddress } },
  });
  expect(await all('/v1/contracts?size=1')).toEqual([contract, registered]);
  expect(await all(`/v1/contracts?projectId=${tenant.projectId}`)).toEqual([contract, registered]);
  expect((await stranger.api.call('GET', `/v1/contracts/${actionId}`)).status).toBe(404);
  expect(await stranger.api.expect(200, 'GET', `/v1/contracts?projectId=${tenant.projectId}`)).toEqual({
    items: [],
    next: null,
  });
});

test('a deployed contract is registered with the id and name of the request', async () => {
  await create(templates, { templateId: 'named', name: 'Named' });
  await create(`${templates}/named/versions`, { version: '1', code: compiled });
  await addWallet(here, tenant, 'namer');
  const path = '/v1/ledger-ops/send';
  const service = { lookup_service: { type: 'service', value: 'service' } };
  const wallet = { walletId: 'namer', walletPassword };
  const body = {
    ...{ ...wallet, registration: { contractId: 'chosen', name: 'Chosen' } },
    glo: {
      ...{ version: '0.1.0', type: 'contract_deploy' },
      options: { contract_source: { ...service, resource: 'named:1' }, args: ['N', 'N', '1'] },
    },
  };
  const { actionId = '' } = await api.expect(201, 'POST', path, body);
  const { contractAddress } = await ended(api, actionId);
  expect(await api.expect(200, 'GET', '/v1/contracts/chosen')).toMatchObject({
    ...{ contractId: 'chosen', name: 'Chosen', ledgerReference: { nativeReference: contractAddress } },
  });
  const place = '/registration/contractId';
  expect(await pointersOf(409, path, body)).toEqual([place]);
  expect(await pointersOf(400, path, { ...body, registration: { contractId: 'a b' } })).toEqual([place]);
  const transfer = { recipient: { ...service, resource: 'namer' }, amount: '1' };
  const glo = { version: '0.1.0', type: 'transfer', options: transfer };
  expect(await pointersOf(400, path, { ...body, glo })).toEqual(['/registration']);
});

test('a request that is repeated with an Idempotency-Key gets the same response, including Location', async () => {
  for (const [path, body] of [
    [templates, { name: 'Once' }],
    [`${templates}/coin/versions`, { version: 'once', code: compiled }],
  ] as const) {
    const headers = { 'Idempotency-Key': `once-${path.length}` };
    const [first, second] = [
      await api.call('POST', path, body, headers),
      await api.call('POST', path, body, headers),
    ];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.body).toEqual(first.body);
  }
});

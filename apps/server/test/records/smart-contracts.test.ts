import { randomUUID } from 'node:crypto';
import type { PageBody } from '@ledger-ops/base';
import { tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { addTenant, addWallet, ended, type Installation, install, type Tenant } from '../stage/api.ts';
import { oldContract, oldSpecification, oldTemplate, oldToken, pageOf } from '../stage/old-records.ts';

const walletPassword = 'correct horse battery staple';
const path = '/v1/smart-contracts';
const templates = `${path}/templates`;
const receiver = '0x00000000000000000000000000000000000000aa';
const compiled = { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code };

let here: Installation;
let tenant: Tenant;
beforeAll(async () => {
  here = await install();
  tenant = await addTenant(here.url, here.administrator, 'one');
  await addWallet(here, tenant, 'alice');
  await template('coin');
  await ask(201, 'POST', `${templates}/coin/specifications`, {
    tag: '1',
    compilationSpecification: compiled,
    description: 'compiled elsewhere',
  });
});
afterAll(() => here.close());

/** Calls a deprecated operation, checks the status and the deprecation headers, and returns the body. */
async function ask(
  status: number,
  method: string,
  at: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const answer = await tenant.api.call(method, at, body, headers);
  expect([method, at, answer.status, answer.text]).toEqual([method, at, status, answer.text]);
  expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
  expect(answer.headers.get('link')).toContain('rel="deprecation"');
  return answer.body;
}

/** Returns the pointers in the error of a refused request. */
async function pointerOf(status: number, method: string, at: string, body?: unknown): Promise<string[]> {
  const { errors = [] } = (await ask(status, method, at, body)) as { errors?: { pointer: string }[] };
  return errors.map(({ pointer }) => pointer);
}

async function template(contractTemplateID: string) {
  return oldTemplate.parse(
    await ask(201, 'POST', templates, { contractTemplateID, name: contractTemplateID }),
  );
}

async function version(templateId: string, body: Record<string, unknown>) {
  return oldSpecification.parse(await ask(201, 'POST', `${templates}/${templateId}/specifications`, body));
}

/** Waits until a version is no longer PENDING, and returns it. */
async function settled(templateId: string, tag: string) {
  return await vi.waitFor(
    async () => {
      const found = oldSpecification.parse(
        await ask(200, 'GET', `${templates}/${templateId}/specifications/${tag}`),
      );
      expect(found.compilationStatus).not.toBe('PENDING');
      return found;
    },
    { timeout: 60_000, interval: 50 },
  );
}

const deployment = (change: Record<string, unknown> = {}) => ({
  ...{ templateId: 'coin', tag: '1', args: ['Coin', 'C', '1000'] },
  ...{ ledgerId: 'chain', walletId: 'alice', walletPassword },
  ...change,
});

/** Deploys a contract and waits until the action completes. Returns its id and the contract's address. */
async function deploy(change: Record<string, unknown> = {}) {
  const accepted = await ask(201, 'POST', `${path}/deployments`, deployment(change));
  expect(accepted).toEqual({ id: expect.any(String), state: 'PENDING' });
  const action = await ended(tenant.api, (accepted as { id: string }).id);
  expect(action).toMatchObject({ status: 'SUCCEEDED' });
  return { actionId: action.actionId ?? '', address: action.contractAddress ?? '' };
}

describe('templates', () => {
  test('a template id can be used once, and templates are listed by project', async () => {
    const made = await template('first');
    expect(made).toMatchObject({ contractTemplateID: 'first', resourceId: 'first', description: null });
    expect(await pointerOf(409, 'POST', templates, { contractTemplateID: 'first', name: 'x' })).toEqual([
      '/contractTemplateID',
    ]);
    expect(await pointerOf(400, 'POST', templates, { contractTemplateID: 'tokens', name: 'x' })).toEqual([
      '/contractTemplateID',
    ]);
    expect(await pointerOf(400, 'POST', templates, { contractTemplateID: 'x' })).toEqual(['/name']);
    expect(await pointerOf(404, 'POST', templates, { name: 'x', projectId: 'never-was' })).toEqual([
      '/projectId',
    ]);
    const page = pageOf('ContractTemplatePage', oldTemplate);
    const one = page.parse(
      await ask(200, 'GET', `${templates}?project=${tenant.projectId}&resourceId=first`),
    );
    expect(one).toMatchObject({ totalElements: 1, totalPages: 1, pageContent: [made] });
    const sorted = `${templates}?project=${tenant.projectId}&sort=contractTemplateID,desc&size=5&page=0`;
    const ids = page
      .parse(await ask(200, 'GET', sorted))
      .pageContent.map((found) => found.contractTemplateID);
    expect(ids).toEqual(ids.toSorted().toReversed());
    for (const query of ['size=4', 'size=101', 'page=-1', 'sort=nothing'])
      await ask(400, 'GET', `${templates}?project=${tenant.projectId}&${query}`);
    expect(await pointerOf(400, 'GET', templates)).toEqual(['project']);
    expect(page.parse(await ask(200, 'GET', `${templates}?project=never-was`)).totalElements).toBe(0);
  });

  test('repeated requests with the same Idempotency-Key create a template, version, contract or token once', async () => {
    const twice = async (at: string, body: object) => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const first = await ask(201, 'POST', at, body, headers);
      expect(await ask(201, 'POST', at, body, headers)).toEqual(first);
      return first;
    };
    const { contractTemplateID } = oldTemplate.parse(await twice(templates, { name: 'again' }));
    const sources = { tag: '1', compilationSpecification: compiled };
    const made = await twice(`${templates}/${contractTemplateID}/specifications`, sources);
    const contract = await twice(path, {
      ledgerID: 'chain',
      contractSpecification: { id: oldSpecification.parse(made).id },
      properties: [{ type: { name: 'address' }, value: receiver }],
    });
    const { contractInstanceID } = oldContract.parse(contract);
    await twice(`${path}/tokens`, { name: 'T', ticker: 'T', contractInstance: { contractInstanceID } });
  });
});

describe('versions', () => {
  test('a version of compiled output is COMPILED immediately, and never changes', async () => {
    const at = `${templates}/coin/specifications`;
    const found = oldSpecification.parse(await ask(200, 'GET', `${at}/1`));
    expect(found).toMatchObject({
      ...{ compilationStatus: 'COMPILED', tag: '1', description: 'compiled elsewhere' },
      ...{ hasPreprocessing: false, preCompilationSpecification: null },
      ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
      contractTemplate: { contractTemplateID: 'coin' },
      checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await ask(200, 'GET', at)).toEqual([found]);
    const again = { tag: '1', compilationSpecification: compiled };
    expect(await pointerOf(409, 'POST', at, again)).toEqual(['/tag']);
    await ask(404, 'GET', `${at}/2`);
    await ask(404, 'GET', `${templates}/never-was/specifications`);
    await ask(404, 'POST', `${templates}/never-was/specifications`, again);
  });

  test('Solidity versions change from PENDING to COMPILED, regardless of the member that contains the source', async () => {
    await template('answers');
    const source = (value: number) =>
      `// SPDX-License-Identifier: MIT\npragma solidity ^0.8.26;\ncontract Answer { uint256 public constant value = ${value}; }`;
    const made = await version('answers', { tag: '1', preCompilationSpecification: source(41) });
    expect(made).toMatchObject({ compilationSpecification: null, hasPreprocessing: true });
    expect(made.compilationStatus).toBe('PENDING');
    await version('answers', {
      tag: '2',
      compilationSpecification: source(42),
      compilationLanguage: 'Solidity',
    });
    await version('answers', {
      tag: '3',
      contract: 'b/Other.sol:Answer',
      targetCompilationVersion: '^0.8.26',
      compilationSpecification: {
        language: 'Solidity',
        sources: { 'a.sol': { content: source(43) }, 'b/Other.sol': { content: source(44) } },
      },
    });
    for (const tag of ['1', '2', '3']) {
      const found = await settled('answers', tag);
      expect(found).toMatchObject({ compilationStatus: 'COMPILED', compilationLanguage: 'Solidity' });
      expect(found.targetCompilationVersion).toMatch(/^0\.8\./);
      expect(found.checksum).toMatch(/^[0-9a-f]{64}$/);
    }
  }, 300_000);

  test('versions that do not compile become FAILED, with the compiler’s messages and their lines', async () => {
    await template('broken');
    const source = 'pragma solidity ^0.8.26;\n\ncontract Broken {\n  uint256 x = ;\n}';
    await version('broken', { tag: '1', preCompilationSpecification: source });
    const found = await settled('broken', '1');
    expect(found).toMatchObject({
      compilationStatus: 'FAILED',
      compilationSpecification: null,
      checksum: '',
    });
    expect(found.compilationMessages).toContainEqual(
      expect.objectContaining({ severity: 'error', file: 'Contract.sol', line: 4 }),
    );
    await version('broken', {
      tag: '2',
      preCompilationSpecification: 'import "./nowhere.sol"; contract A {}',
    });
    expect((await settled('broken', '2')).compilationMessages).toContainEqual(
      expect.objectContaining({ severity: 'error', message: expect.stringContaining('nowhere.sol') }),
    );
    expect(await pointerOf(409, 'POST', `${path}/deployments`, deployment({ templateId: 'broken' }))).toEqual(
      ['/tag'],
    );
  }, 300_000);

  test.each([
    [{ tag: 'x' }, ['/compilationSpecification']],
    [{ compilationSpecification: compiled }, ['/tag']],
    [{ tag: 'a b', compilationSpecification: compiled }, ['/tag']],
    [{ tag: 'x', compilationSpecification: '{"abi":[]}' }, ['/compilationSpecification/bytecode']],
    [
      { tag: 'x', compilationSpecification: { ...compiled, bytecode: 'xyz' } },
      ['/compilationSpecification/bytecode'],
    ],
    [
      { tag: 'x', preCompilationSpecification: 'contract A {}', compilationLanguage: 'Vyper' },
      ['/compilationLanguage'],
    ],
    [
      { tag: 'x', preCompilationSpecification: 'contract A {}', targetCompilationVersion: '0.4.1' },
      ['/targetCompilationVersion'],
    ],
    [
      {
        tag: 'x',
        compilationSpecification: { language: 'Solidity', sources: { '../a.sol': { content: '' } } },
      },
      ['/compilationSpecification/sources/..~1a.sol'],
    ],
    [
      { tag: 'x', preCompilationSpecification: { language: 'Solidity', sources: {} } },
      ['/preCompilationSpecification/sources'],
    ],
    [
      { tag: 'x', preCompilationSpecification: 'contract A {}', compilationSpecification: compiled },
      ['/compilationSpecification'],
    ],
  ])('the template version %j is refused with a pointer to the fault', async (body, pointers) => {
    expect(await pointerOf(400, 'POST', `${templates}/coin/specifications`, body)).toEqual(pointers);
  });
});

describe('deployments', () => {
  test('a deployment registers the contract with the id and name of the request, for current and deprecated operations', async () => {
    const { actionId, address } = await deploy({ id: 'my-coin', name: 'My Coin' });
    const found = oldContract.parse(await ask(200, 'GET', `${path}/my-coin`));
    expect(found).toMatchObject({
      ...{
        contractInstanceID: 'my-coin',
        resourceId: 'my-coin',
        name: 'My Coin',
        ledgerID: 'chain',
        types: [],
      },
      contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: 'coin' } },
      properties: [{ type: { name: 'address' }, value: address }],
    });
    const page = pageOf('SmartContractPage', oldContract);
    const listed = page.parse(
      await ask(200, 'GET', `${path}?project=${tenant.projectId}&resourceId=my-coin`),
    );
    expect(listed.pageContent).toEqual([found]);

    // The contract is in the group that has the template's name.
    const groups = await tenant.api.expect<PageBody<{ groupId: string; name: string }>>(
      200,
      'GET',
      `/v1/contract-groups?project=${tenant.projectId}`,
    );
    expect(groups.pageContent).toContainEqual({ groupId: expect.any(String), name: 'coin' });
    const group = groups.pageContent.find(({ name }) => name === 'coin');
    const contract = await tenant.api.expect(
      200,
      'GET',
      `/v1/contract-groups/${group?.groupId}/instances/my-coin`,
    );
    expect(contract).toMatchObject({ contractId: 'my-coin', ledgerReference: { nativeReference: address } });

    // A call can name the contract by a service locator.
    const { actionId: call = '' } = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...{ walletId: 'alice', walletPassword },
      glo: {
        version: '0.1.0',
        type: 'contract_call',
        options: {
          contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: 'my-coin' },
          method_name: 'transfer',
          args: [receiver, '7'],
        },
      },
    });
    expect(await ended(tenant.api, call)).toMatchObject({ status: 'SUCCEEDED' });
    const balance = await ask(200, 'POST', '/v1/gateway/emulations', {
      ...{ instanceId: 'my-coin', methodName: 'balanceOf', args: [receiver] },
    });
    expect(balance).toEqual({ result: '"7"' });
    const activities = await here.server.store.read.all(
      `SELECT action, resource_id, identity FROM timeline WHERE resource_id = 'my-coin'`,
    );
    expect(activities).toEqual([{ action: 'create', resource_id: 'my-coin', identity: tenant.serviceId }]);
    expect(actionId).not.toBe('my-coin');
  });

  test('contracts deployed without an id, or by a GLO, are registered under the action’s id', async () => {
    const { actionId, address } = await deploy({ args: ['A', 'A', '0x10'] });
    expect(await ask(200, 'GET', `${path}/${actionId}`)).toMatchObject({
      ...{ contractInstanceID: actionId, name: actionId },
      properties: [{ value: address }],
    });
    const { actionId: sent = '' } = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...{ walletId: 'alice', walletPassword },
      glo: {
        version: '0.1.0',
        type: 'contract_deploy',
        options: {
          contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' },
          args: ['B', 'B', '1'],
        },
      },
    });
    const { contractAddress } = await ended(tenant.api, sent);
    expect(await ask(200, 'GET', `${path}/${sent}`)).toMatchObject({
      properties: [{ value: contractAddress }],
    });
  });

  test('a contract id that is in use is refused, and replaced if it is taken before the deployment completes', async () => {
    await deploy({ id: 'taken' });
    const refused = (await ask(409, 'POST', `${path}/deployments`, deployment({ id: 'taken' }))) as {
      type: string;
    };
    expect(refused.type).toBe('urn:ledger-ops:problem:already-exists');
    expect(await pointerOf(409, 'POST', `${path}/deployments`, deployment({ id: 'taken' }))).toEqual(['/id']);

    await here.anvil.rpc('evm_setIntervalMining', [0]);
    const { id } = (await ask(201, 'POST', `${path}/deployments`, deployment({ id: 'contested' }))) as {
      id: string;
    };
    expect(await pointerOf(409, 'POST', `${path}/deployments`, deployment({ id: 'contested' }))).toEqual([
      '/id',
    ]);
    await ask(201, 'POST', path, {
      contractInstanceID: 'contested',
      ledgerID: 'chain',
      contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: 'coin' } },
      properties: [{ type: { name: 'address' }, value: receiver }],
    });
    await here.anvil.rpc('evm_setIntervalMining', [1]);
    const { contractAddress, status } = await ended(tenant.api, id);
    expect(status).toBe('SUCCEEDED');
    expect(await ask(200, 'GET', `${path}/${id}`)).toMatchObject({
      properties: [{ value: contractAddress }],
    });
    expect(await ask(200, 'GET', `${path}/contested`)).toMatchObject({ properties: [{}] });
  }, 180_000);

  test('a deployment that is repeated with an Idempotency-Key is executed once', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await ask(201, 'POST', `${path}/deployments`, deployment({ id: 'once' }), headers);
    expect(await ask(201, 'POST', `${path}/deployments`, deployment({ id: 'once' }), headers)).toEqual(first);
    expect(await ended(tenant.api, (first as { id: string }).id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await ask(201, 'POST', `${path}/deployments`, deployment({ id: 'once' }), headers)).toEqual(first);
  });

  test('a PENDING version cannot be deployed yet', async () => {
    await template('later');
    await version('later', { tag: '1', compilationSpecification: compiled });
    await here.server.store.transaction((tx) =>
      tx.run(
        `UPDATE specification SET status = 'PENDING', due_at = 9000000000000000
          WHERE template_uid = (SELECT uid FROM template WHERE template_id = 'later')`,
      ),
    );
    const at = `${path}/deployments`;
    const problem = (await ask(409, 'POST', at, deployment({ templateId: 'later' }))) as { detail: string };
    expect(problem.detail).toContain('PENDING');
  });

  test.each([
    [400, { id: 'deployments' }, '/id'],
    [400, { id: 'a b' }, '/id'],
    [400, { args: ['Coin'] }, '/args'],
    [400, { args: ['Coin', 'C', 'many'] }, '/args/2'],
    [400, { ledgerId: 'another' }, '/ledgerId'],
    [400, { walletPassword: undefined }, '/walletPassword'],
    [400, { tag: undefined }, '/tag'],
    [400, { name: '' }, '/name'],
    [404, { templateId: 'never-was' }, '/templateId'],
    [404, { tag: '2' }, '/tag'],
    [404, { walletId: 'never-was' }, '/walletId'],
  ])('a deployment gets %i with a pointer for %j', async (status, change, pointer) => {
    expect(await pointerOf(status, 'POST', `${path}/deployments`, deployment(change))).toEqual([pointer]);
  });

  test('a deployment with a wrong wallet password gets 403', async () => {
    await ask(403, 'POST', `${path}/deployments`, deployment({ walletPassword: 'a wrong password' }));
  });
});

describe('contracts and tokens', () => {
  const register = (change: Record<string, unknown> = {}) => ({
    ledgerID: 'chain',
    name: 'Registered',
    contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: 'coin' } },
    properties: [
      { type: { name: 'address' }, value: receiver },
      { type: { name: 'decimals' }, value: 18 },
    ],
    types: [{ name: 'ERC20' }],
    ...change,
  });

  test('a contract can be registered with a template version, and its properties can be replaced', async () => {
    const made = oldContract.parse(
      await ask(201, 'POST', path, register({ contractInstanceID: 'registered' })),
    );
    expect(made).toMatchObject({
      ...{ contractInstanceID: 'registered', name: 'Registered', types: [{ name: 'ERC20' }] },
      compilationDetails: expect.stringContaining('COMPILED'),
    });
    const values = (contract: unknown) =>
      oldContract.parse(contract).properties.map(({ type, value }) => [type.name, value]);
    const [place] = values(made);
    expect(values(made)).toEqual([
      ['address', expect.stringMatching(/^0x/)],
      ['decimals', 18],
    ]);
    const at = `${path}/registered/properties`;
    const put = { properties: [{ type: { name: 'symbol' }, value: { any: ['value'] } }] };
    const after = await ask(200, 'PUT', at, put);
    expect(values(after)).toEqual(expect.arrayContaining([place, ['symbol', { any: ['value'] }]]));
    expect(values(after)).toHaveLength(2);
    expect(await ask(200, 'PUT', at, put.properties)).toMatchObject({ contractInstanceID: 'registered' });
    expect(values(await ask(200, 'GET', `${path}/registered`))).toHaveLength(2);

    const elsewhere = [{ type: { name: 'address' }, value: `0x${'b'.repeat(40)}` }];
    expect(await pointerOf(400, 'PUT', at, { properties: elsewhere })).toEqual(['/properties/0/value']);
    expect(await pointerOf(400, 'PUT', at, elsewhere)).toEqual(['/0/value']);
    expect(await pointerOf(400, 'PUT', at, {})).toEqual(['/properties']);
    expect(await pointerOf(400, 'PUT', at, [{ value: 1 }])).toEqual(['/0/type']);
    await ask(404, 'PUT', `${path}/never-was/properties`, put);
    await ask(404, 'GET', `${path}/never-was`);
  });

  test.each([
    [409, { contractInstanceID: 'known' }, '/contractInstanceID'],
    [400, { contractInstanceID: 'templates' }, '/contractInstanceID'],
    [404, { ledgerID: 'never-was' }, '/ledgerID'],
    [404, { contractSpecification: 999_999 }, '/contractSpecification'],
    [400, { contractSpecification: null }, '/contractSpecification'],
    [400, { properties: [] }, '/properties'],
    [400, { properties: [{ type: { name: 'address' }, value: 'no address' }] }, '/properties/0/value'],
    [404, { projectId: 'never-was' }, '/projectId'],
  ])('registering a contract gets %i for %j', async (status, change, pointer) => {
    if (status === 409) await ask(201, 'POST', path, register(change));
    expect(await pointerOf(status, 'POST', path, register(change))).toEqual([pointer]);
  });

  test('contracts of a project are listed in pages', async () => {
    const other = await addTenant(here.url, here.administrator, 'pages');
    const page = pageOf('SmartContractPage', oldContract);
    const read = async (query: string) =>
      page.parse(await other.api.expect(200, 'GET', `${path}?project=${other.projectId}${query}`));
    expect(await read('')).toMatchObject({ totalElements: 0, totalPages: 0, pageElements: 0 });
    for (let count = 0; count < 6; count += 1) {
      await other.api.expect(201, 'POST', path, {
        ...{ contractInstanceID: `c${5 - count}`, ledgerID: 'chain' },
        properties: [
          { type: { name: 'address' }, value: receiver },
          { type: { name: 'abi' }, value: '[]' },
        ],
      });
    }
    const ids = ({ pageContent }: Awaited<ReturnType<typeof read>>) =>
      pageContent.map(({ contractInstanceID }) => contractInstanceID);
    const first = await read('&size=5');
    expect(first).toMatchObject({ pageElements: 5, pageNumber: 0, totalElements: 6, totalPages: 2 });
    expect(ids(first)).toEqual(['c5', 'c4', 'c3', 'c2', 'c1']);
    expect(ids(await read('&size=5&page=1'))).toEqual(['c0']);
    expect(await read('&size=5&page=2')).toMatchObject({ pageElements: 0, pageNumber: 2 });
    expect(ids(await read('&sort=contractInstanceID'))).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5']);
    expect(ids(await read('&sort=ledgerID&sort=id,desc'))).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5']);
    for (const query of ['size=4', 'size=101', 'page=-1', 'sort=types'])
      await other.api.expect(400, 'GET', `${path}?project=${other.projectId}&${query}`);
    expect(await tenant.api.expect(200, 'GET', `${path}?project=${other.projectId}`)).toMatchObject({
      totalElements: 0,
    });
    await tenant.api.expect(404, 'GET', `${path}/c0`);
  });

  test('a token can be registered for a contract', async () => {
    const contractInstanceID = 'of-a-token';
    await ask(201, 'POST', path, register({ contractInstanceID }));
    const body = {
      tokenID: 'own',
      name: 'My Token',
      ticker: 'MINE',
      contractInstance: { contractInstanceID },
    };
    const token = oldToken.parse(await ask(201, 'POST', `${path}/tokens`, body));
    expect(token).toMatchObject({ ...body, resourceId: 'own', contractInstance: { contractInstanceID } });
    expect(await pointerOf(409, 'POST', `${path}/tokens`, body)).toEqual(['/tokenID']);
    const nowhere = { ...body, contractInstance: { contractInstanceID: 'never-was' } };
    expect(await pointerOf(404, 'POST', `${path}/tokens`, nowhere)).toEqual([
      '/contractInstance/contractInstanceID',
    ]);
    expect(await pointerOf(400, 'POST', `${path}/tokens`, { ...body, ticker: 'A B' })).toEqual(['/ticker']);
    expect(await pointerOf(400, 'POST', `${path}/tokens`, { ...body, name: undefined })).toEqual(['/name']);
  });
});

test('properties beyond 32 MiB in a page of contracts are omitted, and each contract is shown in full', async () => {
  const ids = ['long-1', 'long-2', 'long-3'];
  for (const id of ids) {
    await ask(201, 'POST', path, {
      ...{ id, ledgerID: 'chain', name: id, types: [] },
      contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: 'coin' } },
      properties: [{ type: { name: 'address' }, value: receiver }],
    });
  }
  await here.server.store.transaction((tx) =>
    tx.run(
      `UPDATE contract_property SET value = $1
        WHERE name = 'address' AND contract_uid IN (SELECT uid FROM contract WHERE name LIKE 'long-%')`,
      [JSON.stringify('a'.repeat(13 * 2 ** 20))],
    ),
  );
  const listed = pageOf('SmartContractPage', oldContract).parse(
    await ask(200, 'GET', `${path}?project=${tenant.projectId}&size=100`),
  );
  const long = listed.pageContent.filter(({ name }) => name.startsWith('long-'));
  expect(long.map((one) => [one.name, one.properties.length, one.propertiesOmitted])).toEqual([
    ['long-1', 1, undefined],
    ['long-2', 1, undefined],
    ['long-3', 0, true],
  ]);
  const last = oldContract.parse(await ask(200, 'GET', `${path}/${long[2]?.contractInstanceID}`));
  expect([last.properties.length, last.propertiesOmitted]).toEqual([1, undefined]);
});

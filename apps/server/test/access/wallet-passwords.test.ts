// Guesses wallet passwords through every operation that accepts one, on a real server.
import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Api,
  type ApiAnswer,
  addTenant,
  addTokenTemplate,
  addWallet,
  type Installation,
  install,
  logIn,
  type Tenant,
  type Texts,
  transferBody,
} from '../stage/api.ts';
import { documentOf } from '../stage/document-of-routes.ts';

const right = 'correct horse battery staple';
const receiver = '0x00000000000000000000000000000000000000aa';
const deployed = '0x00000000000000000000000000000000000000bb';
const pluginUrl = 'npm:@ledger-ops/plugin-ethereum';

/** A call with a wallet's password. */
interface Shown {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  body(password: string): unknown;
}

let here: Installation;
let tenant: Tenant;
let calls: Shown[];
let accounts = 0;

beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: pluginUrl, PLUGINS_TRUSTED: pluginUrl });
  tenant = await addTenant(here.url, here.administrator, 'one');
  const { api } = tenant;
  await addWallet(here, tenant, 'alice');
  await addTokenTemplate(api, 'coin');
  await here.anvil.rpc('anvil_setCode', [deployed, '0x00']);
  const group = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'G' });
  const contract = await api.expect(201, 'POST', `/v1/contract-groups/${group.groupId}/instances`, {
    ...{ interface: tokenTemplate.interface, name: 'C' },
    ledgerReference: { ledgerId: 'chain', nativeReference: deployed },
  });
  const plugin = await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'P', projectId: tenant.projectId, url: pluginUrl, tags: ['ethereum'] },
  });
  // The action's state does not matter: the password is checked first.
  const action = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('alice', receiver));
  calls = callsOf({ ...group, ...contract, ...action, plugin: plugin.id ?? '' });
});
afterAll(() => here.close());

function callsOf(ids: Texts): Shown[] {
  const post = (operationId: string, path: string, body: Shown['body']): Shown => {
    return { operationId, method: 'POST', path, body };
  };
  const wallet = (walletPassword: string) => ({ walletId: 'alice', walletPassword });
  const options = (password: string) => ({
    service: { ...wallet(password), dependencies: [], intent: null },
  });
  const call = {
    ...{ version: '0.1.0', type: 'contract_call' },
    options: {
      contract_instance: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: deployed },
      ...{ method_name: 'transfer(address,uint256)', args: [receiver, '1'] },
    },
  };
  const source = { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' };
  const older = {
    type: 'contract_call',
    params: { contractInstance: deployed, methodName: 'transfer(address,uint256)', args: [receiver, '1'] },
  };
  const { glo } = transferBody('alice', receiver);
  const ops = '/v1/ledger-ops';
  return [
    post('send', `${ops}/send`, (password) => ({ ...wallet(password), glo })),
    post('sendBatch', `${ops}/batch`, (password) => ({ operations: [{ ...wallet(password), glo }] })),
    post('contractCall', `${ops}/contract/call`, (password) => ({ ...wallet(password), glo: call })),
    post('contractCallAlternative', `${ops}/contract-call`, (password) => ({
      ...{ contractId: ids.contractId, method: 'transfer', options: options(password) },
      params: [{ value: receiver }, { value: 1 }],
    })),
    post('ledgerCall', `${ops}/ledger-call`, (password) => ({
      ...{ ledgerId: 'chain', method: 'contract_deploy', options: options(password) },
      params: [
        { name: 'contract_source', value: source },
        { name: 'args', value: ['Coin', 'C', '1000'] },
      ],
    })),
    post(
      'callContractMethod',
      `/v1/contract-groups/${ids.groupId}/instances/${ids.contractId}/methods/transfer`,
      (password) => ({ ...wallet(password), arguments: [receiver, '1'] }),
    ),
    post('sendTransaction', '/v1/cloud-wallet/transactions', (walletPassword) => ({
      ...{ actionId: randomUUID(), wallet: 'alice', glo, pluginParams: { walletPassword } },
    })),
    post('gatewaySendAction', '/v1/gateway/actions', (password) => ({ ...wallet(password), glo: older })),
    post('gatewaySendPluginAction', '/v1/gateway/plugin-actions', (walletPassword) => ({
      ...{ wallet: 'alice', walletId: 'alice', ledger: 'ethereum', ledgerId: 'chain', pluginId: ids.plugin },
      ...{ pluginSecrets: { walletPassword }, glo: older, dependencies: [], intent: null, tag: null },
    })),
    post('deploySmartContract', '/v1/smart-contracts/deployments', (password) => ({
      ...{ ...wallet(password), templateId: 'coin', tag: '1', ledgerId: 'chain' },
      args: ['Coin', 'C', '1000'],
    })),
    post('cancelAction', `${ops}/actions/${ids.actionId}/cancel`, (walletPassword) => ({ walletPassword })),
    post('hurryAction', `${ops}/actions/${ids.actionId}/hurry`, (walletPassword) => ({ walletPassword })),
    post('exportWallet', '/v1/cloud-wallet/wallets/alice/export', (walletPassword) => ({ walletPassword })),
    {
      ...{ operationId: 'changeWalletPassword', method: 'PUT' },
      path: '/v1/cloud-wallet/wallets/alice/password',
      body: (walletPassword) => ({ walletPassword, newPassword: 'another horse battery staple' }),
    },
  ];
}

/** Creates a service account in the tenant's project, with a role on the project. */
async function addAccount(role?: string): Promise<Api> {
  accounts += 1;
  const accountId = `account-${accounts}`;
  const { api } = tenant;
  const account = await api.expect(201, 'POST', '/v1/service-accounts', {
    ...{ name: accountId, accountId, project: { projectID: tenant.projectId } },
  });
  const { apiToken = '' } = await api.expect(201, 'POST', `/v1/service-accounts/${accountId}/api-tokens`);
  if (role !== undefined) {
    await api.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
      identity: { serviceId: account.serviceId },
      resource: { resourceUUID: tenant.projectUuid },
      role: { name: role },
    });
  }
  return await logIn(here.url, { ...tenant, accountId, apiToken });
}

const show = (api: Api, { method, path, body }: Shown, password: string) =>
  api.call(method, path, body(password));
const exporting = (): Shown => {
  const found = calls.find(({ operationId }) => operationId === 'exportWallet');
  if (found === undefined) throw new Error('No call exports a wallet.');
  return found;
};
const sending = (): Shown => calls[0] ?? exporting();
const problem = ({ body }: ApiAnswer<Texts>) => body.type?.split(':').at(-1);

async function recorded(): Promise<Texts[]> {
  const path = '/v1/timeline/services/cloud-wallet/actions/wrong-password?from=2020-01-01T00:00:00Z&size=100';
  return await tenant.api.expect<Texts[]>(200, 'GET', path);
}

test('this file tests every operation that accepts a wallet password', async () => {
  const { paths, components } = await documentOf();
  const takes = (schema: unknown): boolean => {
    if (typeof schema !== 'object' || schema === null) return false;
    if ('$ref' in schema) return takes(components.schemas[String(schema.$ref).split('/').at(-1) ?? '']);
    return Object.entries(schema).some(
      ([name, its]) => name !== 'example' && name !== 'examples' && (name === 'walletPassword' || takes(its)),
    );
  };
  const taking = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter(({ requestBody }) => takes(requestBody))
    .map(({ operationId }) => operationId);
  // Not tested here: dry runs, which require no password on a ledger without signed queries (runtime tests cover them),
  // and the creation of a wallet, which sets the password.
  const elsewhere = ['emulate', 'gatewayEmulate', 'createWallet'];
  expect(calls.map(({ operationId }) => operationId).toSorted()).toEqual(
    taking.filter((id) => !elsewhere.includes(id)).toSorted(),
  );
});

test('after too many wrong wallet passwords, every operation refuses the caller, but not the wallet’s owner', async () => {
  const owner = tenant.api;
  expect((await show(owner, sending(), right)).status).toBe(201);
  const members = [await addAccount('owner'), await addAccount('owner')];
  // A wrong password is counted and recorded once, regardless of the operation.
  for (const [index, call] of calls.entries()) {
    const member = members[index % 2] ?? owner;
    const before = (await recorded()).length;
    expect([call.operationId, problem(await show(member, call, `wrong ${index}`))]).toEqual([
      call.operationId,
      'wrong-wallet-password',
    ]);
    expect([call.operationId, (await recorded()).length - before]).toEqual([call.operationId, 1]);
  }
  for (const member of members) {
    for (let n = 0; n < 10; n += 1) await show(member, exporting(), `wrong again ${n}`);
  }
  expect(await recorded()).toHaveLength(20);
  expect((await show(owner, sending(), right)).status).toBe(201);
  for (const call of calls) {
    for (const member of members) {
      const answer = await show(member, call, right);
      expect([call.operationId, answer.status, problem(answer)]).toEqual([
        call.operationId,
        429,
        'too-many-requests',
      ]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  }
  expect((await show(owner, sending(), right)).status).toBe(201);
  expect(await recorded()).toHaveLength(20);
});

test('of 100 concurrent guesses only ten are checked, and then even the right password is refused', async () => {
  await addWallet(here, tenant, 'bob');
  const send = (api: Api, walletPassword: string) =>
    api.call('POST', '/v1/ledger-ops/send', { ...transferBody('bob', receiver), walletPassword });
  expect((await send(tenant.api, right)).status).toBe(201);
  const member = await addAccount('owner');
  const [guesses, own] = await Promise.all([
    Promise.all(Array.from({ length: 100 }, (_, n) => send(member, `wrong ${n}`))),
    Promise.all(Array.from({ length: 10 }, () => send(tenant.api, right))),
  ]);
  expect(guesses.map(problem).filter((name) => name === 'wrong-wallet-password')).toHaveLength(10);
  expect(guesses.map(problem).filter((name) => name === 'too-many-requests')).toHaveLength(90);
  expect(own.map(({ status }) => status)).toEqual(Array(10).fill(201));
  expect((await send(member, right)).status).toBe(429);
  expect((await send(tenant.api, right)).status).toBe(201);
});

test('several accounts together get thirty guesses of a wallet’s password, and the wallet’s owner can still use it', async () => {
  await addWallet(here, tenant, 'carol');
  const path = '/v1/cloud-wallet/wallets/carol/export';
  expect((await tenant.api.call('POST', path, { walletPassword: right })).status).toBe(200);
  const members = await Promise.all(Array.from({ length: 5 }, () => addAccount('owner')));
  const answers = await Promise.all(
    members.flatMap((member) =>
      Array.from({ length: 10 }, (_, n) => member.call('POST', path, { walletPassword: `wrong ${n}` })),
    ),
  );
  expect(answers.filter((answer) => problem(answer) === 'wrong-wallet-password')).toHaveLength(30);
  const fresh = await addAccount('owner');
  expect((await fresh.call('POST', path, { walletPassword: right })).status).toBe(429);
  expect((await tenant.api.call('POST', path, { walletPassword: right })).status).toBe(200);
});

test('a caller without access to a wallet cannot guess its password or lock out its users', async () => {
  await addWallet(here, tenant, 'dave');
  const path = '/v1/cloud-wallet/wallets/dave/export';
  const strangers = [await addAccount(), await addAccount('viewer')];
  const other = await addTenant(here.url, here.administrator, 'two');
  const before = (await recorded()).length;
  for (const stranger of [...strangers, other.api]) {
    for (let n = 0; n < 40; n += 1) {
      const answer = await stranger.call('POST', path, { walletPassword: n === 20 ? right : `wrong ${n}` });
      expect([403, 404]).toContain(answer.status);
    }
  }
  expect(await recorded()).toHaveLength(before);
  const fresh = await addAccount('owner');
  expect((await fresh.call('POST', path, { walletPassword: right })).status).toBe(200);
});

// The responses to requests with another tenant's ids must disclose nothing about the other tenant's records.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Api,
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

let here: Installation;
let owner: Tenant;
let stranger: Tenant;

beforeAll(async () => {
  here = await install({ PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum' });
  owner = await addTenant(here.url, here.administrator, 'owner');
  stranger = await addTenant(here.url, here.administrator, 'stranger');
});
afterAll(() => here.close());

/** Returns the response to a stranger, without the id itself and the request's own id. */
async function told(method: string, path: (id: string) => string, id: string, body?: (id: string) => object) {
  const { status, text } = await stranger.api.call(method, path(id), body?.(id));
  return `${status} ${text.replaceAll(id, '<id>')}`;
}

const plugin = { name: 'x', url: 'npm:@ledger-ops/plugin-ethereum' };
const ethereum = { ledgerTechnology: { ledgerTechnologyID: 'ethereum' } };
const invented = 'never-was';

describe('an id of another tenant gets exactly the response of an unknown id', () => {
  const inBody: [string, string, (id: string) => object][] = [
    ['a plugin', '/v1/plugins', (projectId) => ({ ...plugin, projectId })],
    ['an older plugin', '/v1/legacy-plugins', (project) => ({ name: 'x', pluginURL: plugin.url, project })],
    ['a ledger', '/v1/ledgers', (projectId) => ({ name: 'x', projectId, ...ethereum })],
    ['an explorer', '/v1/explorers', (projectId) => ({ name: 'x', projectId, ledgerID: 'chain' })],
    ['a contract group', '/v1/contract-groups', (projectId) => ({ name: 'x', projectId })],
    [
      'a contract',
      '/v1/smart-contracts',
      (projectId) => ({
        projectId,
        ledgerID: 'chain',
        properties: [
          { type: { name: 'address' }, value: `0x${'a'.repeat(40)}` },
          { type: { name: 'abi' }, value: [] },
        ],
      }),
    ],
    ['a template', '/v1/contract-templates', (projectId) => ({ projectId, name: 'x' })],
    ['an older template', '/v1/smart-contracts/templates', (projectId) => ({ projectId, name: 'x' })],
    [
      'a token',
      '/v1/smart-contracts/tokens',
      (projectId) => ({ projectId, name: 'x', ticker: 'X', contractInstance: { contractInstanceID: 'x' } }),
    ],
    ['an application', '/v1/apps', (projectId) => ({ name: 'x', projectId })],
    ['a service account', '/v1/service-accounts', (project) => ({ name: 'x', project })],
  ];
  test('a project id of another tenant in a body gets the response for an unknown id', async () => {
    for (const [what, path, body] of inBody) {
      for (const id of [owner.projectId, owner.projectUuid]) {
        const answer = await told('POST', () => path, id, body);
        expect([what, answer]).toEqual([what, await told('POST', () => path, invented, body)]);
        expect(answer).toMatch(/^404 /);
      }
    }
  });

  const listings = [
    ...[
      '/v1/plugins',
      '/v1/legacy-plugins',
      '/v1/ledgers',
      '/v1/ledgers/featured',
      '/v1/nodes',
      '/v1/explorers',
    ],
    ...['/v1/smart-contracts', '/v1/smart-contracts/templates', '/v1/contract-groups'],
  ];
  test('a project id of another tenant in a listing gets the response for an unknown id', async () => {
    for (const path of listings) {
      for (const id of [owner.projectId, owner.projectUuid]) {
        const answer = await told('GET', (one) => `${path}?project=${one}`, id);
        expect(answer).toBe(await told('GET', (one) => `${path}?project=${one}`, invented));
        expect(answer).toMatch(/^200 /);
      }
    }
  });
});

test('invisible contract groups, contracts and wallets get the response for unknown ids', async () => {
  const group = await owner.api.expect(201, 'POST', '/v1/contract-groups', {
    name: 'hidden',
    projectId: owner.projectId,
  });
  const groupId = group.groupId ?? '';
  const unknown = randomUUID();
  for (const [method, tail, body] of [
    ['GET', '', undefined],
    ['GET', '/instances', undefined],
    ['GET', '/instances/x', undefined],
    ['PUT', '', () => ({ name: 'x' })],
    ['DELETE', '', undefined],
    [
      'POST',
      '/instances',
      () => ({
        name: 'x',
        interface: '[]',
        ledgerReference: { ledgerId: 'chain', nativeReference: `0x${'a'.repeat(40)}` },
      }),
    ],
  ] as const) {
    const path = (id: string) => `/v1/contract-groups/${id}${tail}`;
    const answer = await told(method, path, groupId, body);
    expect(answer).toBe(await told(method, path, unknown, body));
    expect(answer).toMatch(/^404 /);
  }

  // Repeats the comparison in one project, for a caller that has no role on the wallet.
  await addWallet(here, owner, 'hidden-wallet');
  const account = await owner.api.expect(201, 'POST', '/v1/service-accounts', {
    name: 'nobody',
    accountId: 'nobody',
    project: owner.projectId,
  });
  const { apiToken = '' } = await owner.api.expect(
    201,
    'POST',
    `/v1/service-accounts/${account.accountId}/api-tokens`,
  );
  const nobody = await logIn(here.url, { ...owner, accountId: 'nobody', apiToken });
  const ask = async (walletId: string) => {
    const { status, text } = await nobody.call('GET', `/v1/cloud-wallet/wallets/${walletId}`);
    return `${status} ${text.replaceAll(walletId, '<id>')}`;
  };
  expect(await ask('hidden-wallet')).toBe(await ask('never-was'));
  expect(await ask('hidden-wallet')).toMatch(/^404 /);
});

test('a plugin’s health is that of the record in the caller’s path, not of another tenant’s plugin with the same name', async () => {
  const make = (tenant: Tenant, project: string) =>
    tenant.api.expect(201, 'POST', '/v1/legacy-plugins', {
      name: 'twin',
      pluginId: 'twin',
      pluginURL: 'npm:@ledger-ops/plugin-ethereum',
      project,
      tags: [],
    });
  await make(owner, owner.projectId);
  await owner.api.expect(200, 'POST', '/v1/plugins/twin/tags', { tags: ['ethereum'] });
  await addWallet(here, owner, 'made-by-twin');
  const health = async ({ api }: Tenant) =>
    (await api.expect<{ health: object }>(200, 'GET', '/v1/plugins/twin')).health;
  expect(await health(owner)).toMatchObject({ latency: expect.any(Number) });

  const second = await stranger.api.expect(201, 'POST', '/v1/projects', {
    name: 'Second',
    organization: { organizationID: stranger.organizationId },
  });
  await make(stranger, second.projectID ?? '');
  expect(await health(stranger)).toMatchObject({ latency: null });
});

describe('an id that another tenant has', () => {
  const choices: [string, string, (id: string, tenant: Tenant) => object][] = [
    [
      'a project',
      '/v1/projects',
      (projectID, tenant) => ({ name: 'x', projectID, organization: tenant.organizationUuid }),
    ],
    ['an application', '/v1/apps', (appId) => ({ name: 'x', appId })],
    ['a service account', '/v1/service-accounts', (accountId) => ({ name: 'x', accountId })],
    [
      'the e-mail address of a service account',
      '/v1/service-accounts',
      (id) => ({ name: 'x', email: `${id}@example.org` }),
    ],
    ['a ledger', '/v1/ledgers', (ledgerID) => ({ name: 'x', ledgerID, ...ethereum })],
    [
      'a plugin',
      '/v1/legacy-plugins',
      (pluginId, { projectId }) => ({ name: 'x', pluginId, pluginURL: plugin.url, project: projectId }),
    ],
    ['a template', '/v1/smart-contracts/templates', (id) => ({ name: 'x', contractTemplateID: id })],
    ['an explorer', '/v1/explorers', (explorerID) => ({ name: 'x', explorerID, ledgerID: 'chain' })],
    [
      'a wallet',
      '/v1/cloud-wallet/wallets',
      (walletId) => ({
        walletId,
        ledgerId: 'chain',
        pluginParameters: { walletPassword: 'correct horse battery staple' },
      }),
    ],
    ['a resource', '/v1/resource-manager/resources', (id) => ({ id, type: 'billing-account' })],
  ];
  test('each tenant can choose an id once, even if another tenant uses it', async () => {
    for (const [what, path, body] of choices) {
      const id = `shared-${randomUUID().slice(0, 8)}`;
      for (const tenant of [owner, stranger]) {
        const made = await tenant.api.call('POST', path, body(id, tenant));
        expect([what, made.status, made.text]).toEqual([what, 201, expect.any(String)]);
        const again = await tenant.api.call('POST', path, body(id, tenant));
        expect([what, again.status]).toEqual([what, 409]);
      }
    }
  });

  test('the token endpoint uses the caller’s own account and application, never another tenant’s', async () => {
    const issued = async (tenant: Tenant, appId: string, accountId: string) => {
      await tenant.api.expect(201, 'POST', '/v1/apps', { name: 'x', appId });
      const { appToken = '' } = await tenant.api.expect(201, 'POST', `/v1/apps/${appId}/token`);
      await tenant.api.expect(201, 'POST', '/v1/service-accounts', { name: 'x', accountId });
      const { apiToken = '' } = await tenant.api.expect(
        201,
        'POST',
        `/v1/service-accounts/${accountId}/api-tokens`,
      );
      return { applicationToken: appToken, appId, accountId, apiToken };
    };
    const theirs = await issued(owner, 'same-app', 'same-account');
    const own = await issued(stranger, 'same-app', 'same-account');
    const me = async (api: Api) => (await api.expect(200, 'GET', '/v1/identities/me')).serviceId;
    const found = [await me(await logIn(here.url, theirs)), await me(await logIn(here.url, own))];
    const accounts = await Promise.all(
      [owner, stranger].map(({ api }) =>
        api.expect(200, 'GET', '/v1/service-accounts/same-account?filter_by=SERVICE_ACCOUNT_ID'),
      ),
    );
    expect(found).toEqual(accounts.map(({ serviceId }) => serviceId));
    const mixed = await logIn(here.url, { ...own, applicationToken: theirs.applicationToken });
    const { status, body } = await mixed.call('GET', '/v1/identities/me');
    expect([status, body.type]).toEqual([403, 'urn:ledger-ops:problem:application-mismatch']);
  });

  test('the token endpoint gives the same response for an id of another tenant as for an unknown id', async () => {
    const ask = async (clientId: string) => {
      const response = await fetch(`${here.url}/v1/auth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          service_account: stranger.accountId,
          client_secret: stranger.apiToken,
        }),
      });
      return `${response.status} ${await response.text()}`;
    };
    expect(await ask(owner.appId)).toBe(await ask(invented));
    expect(await ask(owner.appUuid)).toBe(await ask(randomUUID()));
    const page = async (clientId: string) => {
      const query = new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: 'https://stranger.example/back' },
        ...{ code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
      });
      const response = await fetch(`${here.url}/v1/auth/authorize?${query}`);
      return `${response.status} ${(await response.text()).replaceAll(clientId, '<id>')}`;
    };
    expect(await page(owner.appId)).toBe(await page(invented));
  });
});

describe('the e-mail address of a service account', () => {
  const create = (tenant: Tenant, email: string, accountId: string = randomUUID()) =>
    tenant.api.call<{ email: string; errors: object[] }>('POST', '/v1/service-accounts', {
      name: 'x',
      accountId,
      email,
    });
  const domainOf = ({ email }: Tenant) => email.split('@')[1] ?? '';

  test('only generated addresses of service accounts are in this service’s domain', async () => {
    const host = new URL(here.server.baseUrl).hostname;
    expect(domainOf(owner)).toBe(`${owner.projectId}.${owner.organizationId}.${host}`);
    const known = await create(stranger, `x@${domainOf(owner)}`);
    expect([known.status, known.body.errors]).toMatchObject([400, [{ pointer: '/email' }]]);
    for (const domain of [`never.was.${host}`, host, `${owner.projectId}.${host}`, domainOf(stranger)]) {
      expect((await create(stranger, `x@${domain}`)).status).toBe(400);
    }
    expect((await create(stranger, `X@${domainOf(owner).toUpperCase()}.`)).status).toBe(400);
    const own = await create(stranger, `own-1@${domainOf(stranger)}`, 'own-1');
    expect([own.status, own.body.email]).toEqual([201, `own-1@${domainOf(stranger)}`]);
  });

  test('a service account’s address is unique in a project, in any spelling', async () => {
    expect((await create(stranger, 'Rob\u00f6t@Example.NET')).body.email).toBe('rob\u00f6t@example.net');
    expect((await create(stranger, 'robo\u0308t@example.net.')).status).toBe(409);
    const typed = encodeURIComponent('ROBO\u0308T@example.net');
    expect(await stranger.api.expect(200, 'GET', `/v1/service-accounts/${typed}`)).toMatchObject({
      email: 'rob\u00f6t@example.net',
    });
  });

  test('creating a service account with a person’s e-mail address fails only if the caller can see that person', async () => {
    const admin = await logIn(here.url, here.administrator);
    const person = await admin.expect(201, 'POST', '/v1/identities', { identifier: 'ceo@example.org' });
    expect((await create(stranger, 'CEO@example.org')).status).toBe(201);
    await admin.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
      identity: { serviceId: person.serviceId },
      resource: { resourceUUID: owner.organizationUuid },
      role: { name: 'viewer' },
    });
    const { status, body } = await create(owner, 'CEO@example.org');
    expect([status, body.errors]).toMatchObject([409, [{ pointer: '/email' }]]);
  });
});

test('two tenants can use the same action id, and each finds its own action', async () => {
  const actionId = randomUUID();
  const receiver = '0x00000000000000000000000000000000000000aa';
  const body = (wallet: string, amount = '1') => {
    const { glo } = transferBody(wallet, receiver);
    return {
      actionId,
      glo: { ...glo, options: { ...glo.options, amount } },
      pluginParams: { walletPassword: 'correct horse battery staple' },
      wallet,
    };
  };
  const path = '/v1/cloud-wallet/transactions';
  for (const [tenant, wallet] of [
    [owner, 'first-sender'],
    [stranger, 'second-sender'],
  ] as const) {
    await addWallet(here, tenant, wallet);
    const sent = await tenant.api.expect(200, 'POST', path, body(wallet));
    expect(await tenant.api.expect(200, 'POST', path, body(wallet))).toMatchObject({ problem: null });
    expect((await tenant.api.call('POST', path, body(wallet, '2'))).status).toBe(409);
    const action = await ended(tenant.api, actionId);
    expect(action).toMatchObject({ actionId, walletId: wallet, status: 'SUCCEEDED' });
    for (const txId of [actionId, action.txId]) {
      const found = await tenant.api.expect<object[]>(200, 'GET', `${path}?txId=${txId}`);
      expect(found).toMatchObject([{ txId, status: 'SUCCEEDED' }]);
    }
    expect([actionId, action.txId]).toContain(sent.txId);
    const many = await tenant.api.expect(200, 'POST', '/v1/ledger-ops/search/actions', {
      actionIds: [actionId, actionId],
    });
    expect(many).toMatchObject([{ actionId, walletId: wallet }]);
    const later = await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...transferBody(wallet, receiver),
      dependencies: [actionId],
    });
    expect(await ended(tenant.api, later.actionId ?? '')).toMatchObject({
      status: 'SUCCEEDED',
      dependencies: [actionId],
    });
    const timeline = await tenant.api.expect(200, 'GET', `/v1/timeline/resources/${wallet}`);
    const accepted = { action: 'accept', targetObject: actionId };
    expect(timeline).toEqual(expect.arrayContaining([expect.objectContaining(accepted)]));
    const succeeded = { action: 'succeed', targetObject: actionId };
    expect(timeline).toEqual(expect.arrayContaining([expect.objectContaining(succeeded)]));
  }
  const others = await addWallet(here, stranger, 'third-sender').then(({ walletId }) =>
    stranger.api.call('POST', path, body(walletId)),
  );
  expect(others.status).toBe(409);
});

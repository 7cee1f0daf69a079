// The tables of the interface against the document, and against real answers.
import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addTenant,
  addWallet,
  ended,
  type Installation,
  install,
  logIn,
  type Tenant,
  transferBody,
} from './api.ts';
import { differencesOfAnswer, differencesOfSchema } from './conformance.ts';
import { operations, records } from './specification.ts';

type JsonSchema = Record<string, unknown>;
interface Described {
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

let here: Installation;
let tenant: Tenant;
let document: {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, JsonSchema> };
};
beforeAll(async () => {
  here = await install({
    PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum',
    PLUGINS_TRUSTED: 'npm:@ledger-ops/plugin-ethereum',
  });
  tenant = await addTenant(here.url, here.administrator, 'table');
  // Its shape is what the tests check.
  document = await tenant.api.expect(200, 'GET', '/openapi.json');
});
afterAll(() => here?.close());

const described = ({ method, path }: (typeof operations)[number]) =>
  document.paths[path]?.[method.toLowerCase()];

describe('the document', () => {
  test('has every operation of the interface, with its success code', () => {
    const missing = operations.filter((one) => described(one)?.responses[one.status] === undefined);
    expect(missing.map(({ name, status }) => `${name} ${status}`)).toEqual([]);
  });

  test('describes every answer with the fields and types of the tables', () => {
    const resolve = (schema: JsonSchema): JsonSchema => {
      const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
      return name === undefined ? schema : resolve(document.components.schemas[name] ?? {});
    };
    const differences = operations.flatMap((one) => {
      const content = described(one)?.responses[one.status]?.content?.['application/json'];
      return differencesOfSchema(content?.schema, one.answer, resolve).map((what) => `${one.name}: ${what}`);
    });
    expect(differences).toEqual([]);
  });
});

describe('real answers', () => {
  const walletPassword = 'correct horse battery staple';
  const to = '0x00000000000000000000000000000000000000aa';
  const image = {
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    format: 'png',
  };
  const asked = new Set<string>();
  const differences: string[] = [];

  /** Asks an operation of the tables with real ids, and holds the answer against its type. */
  async function see(name: string, ids: Record<string, string> = {}, body?: unknown, query = '') {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    const { method, path, status, answer } = operation;
    const target =
      path.replaceAll(/\{(\w+)\}/g, (_, id: string) => encodeURIComponent(ids[id] ?? id)) + query;
    const value = await tenant.api.expect(status, method, target, body);
    asked.add(name);
    differences.push(...differencesOfAnswer(value, answer).map((what) => `${name}: ${what}`));
    return value;
  }

  test('of ledger operations, the cloud wallet and the older gateway', async () => {
    const { walletAddress } = await addWallet(here, tenant, 'payer');
    await see(
      'POST /v1/cloud-wallet/wallets',
      {},
      {
        ...{ walletId: 'second', ledgerId: 'chain', pluginParameters: { walletPassword } },
      },
    );
    const intent = randomUUID();
    const sent = await see('POST /v1/ledger-ops/send', {}, { ...transferBody('payer', to), intent });
    const { actionId = '' } = sent;
    const { txId = '' } = await ended(tenant.api, actionId);
    for (const name of ['GET /v1/ledger-ops/search/actions/{actionId}']) await see(name, { actionId });
    const legacy = '/v1/ledger/ops/search/wallets/{walletId}/actions';
    await see(`GET ${legacy}/{actionId}`, { walletId: 'payer', actionId });
    await see(`GET ${legacy}`, { walletId: 'payer' });
    await see('GET /v1/ledger-ops/search/wallets/{walletId}/actions', { walletId: 'payer' });
    await see('POST /v1/ledger-ops/search/actions', {}, { actionIds: [actionId] });
    await see('POST /v1/ledger-ops/search/intents', {}, { intents: [intent] });
    await see('GET /v1/ledger-ops/search/intents/{intent}', { intent });
    await see('GET /v1/ledger-ops/certificates');
    await see('GET /v1/auth/certs');
    await see('GET /.well-known/jwks.json');
    const service = { walletId: 'payer', walletPassword };
    const recipient = { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: to };
    await see(
      'POST /v1/ledger-ops/ledger-call',
      {},
      {
        ...{ ledgerId: 'chain', method: 'transfer', options: { service, plugin: '' } },
        params: [
          { name: 'recipient', value: recipient },
          { name: 'amount', value: '1' },
        ],
      },
    );
    const glo = transferBody('payer', to).glo;
    await see(
      'POST /v1/cloud-wallet/transactions',
      {},
      {
        ...{ actionId: randomUUID(), glo, wallet: 'payer', pluginParams: { walletPassword } },
      },
    );
    await see('GET /v1/cloud-wallet/transactions', {}, undefined, `?txId=${txId}`);
    await see('POST /v1/gateway/actions', {}, { glo, walletId: 'payer', walletPassword, serviceSession: '' });
    const query = `?ledgerId=chain&locator=${txId}&withReceipt=false`;
    await see('GET /v1/gateway/transactions', {}, undefined, query);
    expect(walletAddress).toMatch(/^0x/);
  });

  test('of contracts, old and new', async () => {
    const templateId = 'coin-template';
    const templates = '/v1/smart-contracts/templates';
    await see(`POST ${templates}`, {}, { contractTemplateID: templateId, name: 'Coin' });
    await see(`GET ${templates}`, {}, undefined, `?project=${tenant.projectId}`);
    const specifications = `${templates}/{templateId}/specifications`;
    await see(
      `POST ${specifications}`,
      { templateId },
      {
        tag: '1',
        compilationSpecification: { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code },
      },
    );
    await see(`GET ${specifications}`, { templateId });
    await see(`GET ${specifications}/{tag}`, { templateId, tag: '1' });
    const { id = '' } = await see(
      'POST /v1/smart-contracts/deployments',
      {},
      {
        ...{ id: 'coin', name: 'Coin', ledgerId: 'chain', templateId, tag: '1', args: ['Coin', 'C', '9'] },
        ...{ walletId: 'payer', walletPassword },
      },
    );
    const { contractAddress = '' } = await ended(tenant.api, id);
    const its = { type: { name: 'address' }, value: contractAddress };
    const abi = { type: { name: 'abi' }, value: tokenTemplate.interface };
    await see(
      'POST /v1/smart-contracts',
      {},
      {
        ...{ contractInstanceID: 'registered', ledgerID: 'chain', name: 'x', properties: [its, abi] },
        types: [{ name: 'erc20' }],
      },
    );
    await see('GET /v1/smart-contracts', {}, undefined, `?project=${tenant.projectId}`);
    await see('GET /v1/smart-contracts/{smartContractId}', { smartContractId: 'registered' });
    const properties = '/v1/smart-contracts/{smartContractId}/properties';
    await see(`PUT ${properties}`, { smartContractId: 'registered' }, { properties: [its, abi] });
    await see(
      'POST /v1/smart-contracts/tokens',
      {},
      {
        ...{ name: 'Coin', ticker: 'COIN', contractInstance: { contractInstanceID: 'registered' } },
      },
    );

    const groups = '/v1/contract-groups';
    const { groupId = '' } = await see(`POST ${groups}`, {}, { name: 'coins' });
    const contractGroupId = groupId;
    await see(`GET ${groups}`, {}, undefined, `?project=${tenant.projectId}`);
    await see(`GET ${groups}/{contractGroupId}`, { contractGroupId });
    await see(`PUT ${groups}/{contractGroupId}`, { contractGroupId }, { name: 'money' });
    const instances = `${groups}/{contractGroupId}/instances`;
    const { contractId: smartContractId = '' } = await see(
      `POST ${instances}`,
      { contractGroupId },
      {
        interface: tokenTemplate.interface,
        ledgerReference: { ledgerId: 'chain', nativeReference: contractAddress },
      },
    );
    const ids = { contractGroupId, smartContractId };
    await see(`GET ${instances}`, ids);
    await see(`GET ${instances}/{smartContractId}`, ids);
    await see(`PUT ${instances}/{smartContractId}`, ids, { name: 'renamed' });
    const service = { lookup_service: { type: 'service', value: 'service' }, resource: smartContractId };
    const glo = {
      ...{ version: '0.1.0', type: 'contract_call' },
      options: { contract_instance: service, method_name: 'transfer', args: [to, '1'] },
    };
    const wallet = { walletId: 'payer', walletPassword };
    await see('POST /v1/ledger-ops/contract/call', {}, { ...wallet, glo });
    await see(
      'POST /v1/ledger-ops/contract-call',
      {},
      {
        ...{ contractId: smartContractId, method: 'transfer', options: { service: wallet, plugin: '' } },
        params: [{ value: to }, { value: 1 }],
      },
    );
    await see(
      'POST /v1/gateway/emulations',
      {},
      {
        ...{ instanceId: smartContractId, methodName: 'totalSupply', args: [] },
      },
    );
  });

  test('of plugins, current and legacy', async () => {
    const url = 'npm:@ledger-ops/plugin-ethereum';
    const body = { name: 'own', projectId: tenant.projectId, url, tags: ['one'] };
    const { id: pluginId = '' } = await see('POST /v1/plugins', {}, body);
    await see('GET /v1/plugins', {}, undefined, `?project=${tenant.projectId}`);
    await see('GET /v1/plugins/{pluginId}', { pluginId });
    await see('PUT /v1/plugins/{pluginId}', { pluginId }, { active: true, name: 'own', url });
    await see('POST /v1/plugins/{pluginId}/tags', { pluginId }, { tags: ['two'] });
    await see('DELETE /v1/plugins/{pluginId}/tags', { pluginId }, { tags: ['two'] });
    await see(
      'POST /v1/gateway/plugin-actions',
      {},
      {
        ...{ ledger: 'ethereum', ledgerId: 'chain', pluginId, wallet: 'payer', walletId: 'payer' },
        pluginSecrets: { walletPassword },
        glo: {
          type: 'contract_call',
          params: { args: [to, '1'], contractInstance: 'registered', methodName: 'transfer' },
        },
      },
    );
    const legacy = { name: 'old', pluginId: 'old', pluginURL: url, project: tenant.projectId };
    await see('POST /v1/legacy-plugins', {}, legacy);
    await see('GET /v1/legacy-plugins', {}, undefined, `?project=${tenant.projectId}`);
    await see('GET /v1/legacy-plugins/{pluginId}', { pluginId: 'old' });
    await see('PUT /v1/legacy-plugins/{pluginId}', { pluginId: 'old' }, legacy);
    await see('POST /v1/legacy-plugins/{pluginId}/tags', { pluginId: 'old' }, { id: 1, name: 'three' });
    await see('GET /v1/legacy-plugins/tags', {}, undefined, '?plugin=old');
    await see('DELETE /v1/legacy-plugins/tags', {}, undefined, '?pluginId=old&tagName=three');
  });

  test('of ledgers, nodes, explorers and the timeline', async () => {
    const property = (name: string, value: unknown) => ({ type: { name }, value });
    const ledgerId = 'main';
    await see(
      'POST /v1/ledgers',
      {},
      {
        ...{ ledgerID: ledgerId, name: 'Main', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
        ...{ properties: [property('confirmations', 2)], featured: true },
      },
    );
    await see('GET /v1/ledgers');
    await see('GET /v1/ledgers/featured');
    await see('GET /v1/ledgers/{ledgerId}', { ledgerId });
    await see('PUT /v1/ledgers/{ledgerId}', { ledgerId }, { name: 'Main chain' });
    await see(
      'POST /v1/nodes',
      {},
      {
        ...{ nodeID: 'one', ledgerID: ledgerId, client: 'anvil', options: { uri: here.anvil.url } },
        properties: [property('admin', true)],
      },
    );
    await see('GET /v1/nodes');
    await see('GET /v1/nodes/{nodeId}', { nodeId: 'one' });
    await see('PUT /v1/nodes/{nodeId}', { nodeId: 'one' }, { name: 'One' });
    await see('GET /v1/nodes/ledgers/{ledgerId}', { ledgerId });
    await see('GET /v1/nodes/ledgers/{ledgerId}/default', { ledgerId });
    const template = property('transaction_url', 'https://scan.example/tx/{locator}');
    await see(
      'POST /v1/explorers',
      {},
      {
        ...{ explorerID: 'scan', ledgerID: ledgerId, name: 'Scan' },
        implementations: [{ type: { name: 'external-explorer' }, properties: [template] }],
      },
    );
    await see('GET /v1/explorers');
    await see('GET /v1/explorers/{explorerId}', { explorerId: 'scan' });
    await see('GET /v1/explorers/ledgers/{ledgerId}/default', { ledgerId });
    const from = '?from=2026-01-01T00:00:00Z';
    await see('GET /v1/timeline/resources/{resourceId}', { resourceId: ledgerId });
    const place = { service: 'ledger-nodes', action: 'create' };
    await see('GET /v1/timeline/services/{service}/actions/{action}', place, undefined, from);
    await see('GET /v1/timeline/resource-types/{type}', { type: 'ledger' }, undefined, from);
  });

  test('of organizations, projects, apps, accounts and identities', async () => {
    const { appId, accountId, projectId, organizationId, serviceId, email } = tenant;
    const credentials = { client_id: appId, service_account: accountId, client_secret: tenant.apiToken };
    const answer = await fetch(`${here.url}/v1/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', ...credentials }),
    });
    differences.push(...differencesOfAnswer(await answer.json(), 'Token').map((what) => `token: ${what}`));
    asked.add('POST /v1/auth/token');

    await see('GET /v1/organizations');
    await see('GET /v1/organizations/{organizationId}', { organizationId });
    await see('PUT /v1/organizations/{organizationId}/image', { organizationId }, image);
    const project = { name: 'Another', organization: { organizationID: organizationId } };
    await see('POST /v1/projects', {}, project);
    await see('GET /v1/projects', {}, undefined, `?organization=${organizationId}`);
    await see('GET /v1/projects/{projectId}', { projectId });
    await see('POST /v1/apps', {}, { name: 'Shop', projectId });
    await see('GET /v1/apps/{appId}', { appId });
    await see('PUT /v1/apps/{appId}', { appId }, { name: 'Shop', appURL: 'https://shop.example' });
    await see('PUT /v1/apps/{appId}/image', { appId }, image);
    await see('GET /v1/apps/by-token/{appToken}', { appToken: tenant.applicationToken });
    await see('GET /v1/apps/projects/{project}', { project: projectId });

    const accounts = '/v1/service-accounts';
    await see(`POST ${accounts}`, {}, { name: 'more', project: projectId });
    await see(`GET ${accounts}/{emailOrAccountId}`, { emailOrAccountId: email });
    await see(`GET ${accounts}/projects/{projectId}`, { projectId });
    const secret = { email, secret: tenant.apiToken };
    await see(`POST ${accounts}/validate`, {}, secret, '?authType=apiToken');
    await see(`GET ${accounts}/{accountId}/api-tokens`, { accountId });
    const made = await see(`POST ${accounts}/{accountId}/api-tokens`, { accountId });
    await see(
      `PUT ${accounts}/api-tokens/{apiToken}`,
      { apiToken: made.handle ?? '' },
      undefined,
      '?status=DISABLED',
    );
    const { keyID } = await see(`POST ${accounts}/{accountId}/keys`, { accountId });
    await see(`GET ${accounts}/{accountId}/keys`, { accountId }, undefined, '?status=ENABLED');
    await see(
      `PUT ${accounts}/{accountId}/keys`,
      { accountId },
      undefined,
      `?keyId=${keyID}&status=DISABLED`,
    );

    const byService = '?filter_by=SERVICE_ID';
    await see('GET /v1/identities', {}, undefined, `${byService}&identifiers=${serviceId}`);
    await see('GET /v1/identities/me');
    await see('GET /v1/identities/{id}', { id: serviceId }, undefined, byService);
    await see('GET /v1/identities/search/{searchCriteria}', { searchCriteria: email });
    const searchIn = 'GET /v1/identities/search/{searchCriteria}/in-resources';
    await see(searchIn, { searchCriteria: email }, undefined, `?resources=${tenant.projectUuid}`);
    await see('GET /v1/identities/resources/{resourceId}', { resourceId: tenant.projectUuid });
    const items = [{ key: 'language', value: 'en' }];
    await see('PUT /v1/identities/{serviceId}/config', { serviceId }, { items });
    await see('PUT /v1/identities/{serviceId}/profile', { serviceId }, { displayName: 'Table' });
    await see('PUT /v1/identities/{serviceId}/image', { serviceId }, image);
  });

  test('of resources, permissions and invitations', async () => {
    const { appUuid, projectUuid, serviceId } = tenant;
    const rm = '/v1/resource-manager';
    const resource = projectUuid;
    const permission = `?resource=${resource}&permission=project:read`;
    await see(`GET ${rm}/permission-evaluations`, {}, undefined, permission);
    await see(`GET ${rm}/permissions`, {}, undefined, `?resource=${resource}`);
    const ids = { resourceId: resource };
    await see(`GET ${rm}/resources/{resourceId}/has-permission`, ids, undefined, '?permission=project:read');
    const evaluation = `GET ${rm}/resources/{resourceId}/permission-evaluation`;
    await see(evaluation, ids, undefined, '?permissions=project:read,wallet:transact');
    const account = { id: 'reserve', type: 'billing-account', properties: { currency: 'EUR' } };
    await see(`POST ${rm}/resources`, {}, account);
    await see(`GET ${rm}/resources/{resourceId}`, ids);
    const byType = `${rm}/types/{type}/resources`;
    const type = 'billing-account';
    await see(`GET ${byType}/containing/{resourceId}`, { type, resourceId: 'eser' });
    await see(`GET ${byType}`, { type });
    await see(`GET ${byType}/mine`, { type });
    await see(`GET ${rm}/types/{type}/identities/{serviceId}/resources`, { type, serviceId });
    const app = { resourceUUID: appUuid, appId: tenant.appId };
    const identity = { serviceId };
    const viewer = { name: 'viewer' };
    await see(`POST ${rm}/app-identity-roles`, {}, { identity, app, role: viewer });
    await see(`GET ${rm}/app-identity-roles`, {}, undefined, `?app=${appUuid}`);
    await see(`PUT ${rm}/resources/{resourceId}/app-roles`, ids, { app, role: { name: 'application' } });
    await see(`GET ${rm}/resources/{resourceId}/app-roles`, ids);
    const role = { identity, resource: { resourceUUID: resource }, role: viewer };
    await see(`POST ${rm}/resource-identity-roles`, {}, role);
    const which = `?resource=${resource}&identity=${serviceId}`;
    await see(`GET ${rm}/resource-identity-roles`, {}, undefined, which);
    await see(`POST ${rm}/resources/{resourceId}/lookup-terms`, ids, { value: 'quarterly' });
    await see(`GET ${rm}/resource-identities`, {}, undefined, `?resource=${resource}`);
    await see(`POST ${rm}/app-identity-properties`, {}, { identity, app, name: 'plan', value: 'basic' });
    await see(`GET ${rm}/app-identity-properties`, {}, undefined, `?app=${appUuid}`);
    await see(`GET ${rm}/roles`);

    const invitations = '/v1/invitations';
    const userEmail = 'grace@example.com';
    const roles = [{ resource: { resourceUUID: resource }, role: viewer }];
    const invitation = { userEmail, organizationId: tenant.organizationUuid, invitationResourceRoles: roles };
    const { invitationToken, ...made } = await see(`POST ${invitations}`, {}, invitation);
    await see(`GET ${invitations}`, {}, undefined, '?invitationState=PENDING');
    await see(`PUT ${invitations}`, {}, { ...made, invitationState: 'CANCELED' });
    const second = await see(`POST ${invitations}`, {}, { ...invitation, userEmail: 'ada@example.com' });
    const post = async (path: string, body: unknown) => await tenant.api.expect(200, 'POST', path, body);
    const password = 'a rather long password';
    const additional = { name: 'Ada', password };
    const init = { acceptTnC: true, additional, initToken: second.invitationToken };
    for (const [name, answer, body] of [
      ['/v1/auth/init-user', 'InitializedUser', init],
      ['/v1/auth/login', 'Identity', { username: 'ada@example.com', password }],
      [
        '/v1/identities/authenticate',
        'Identity',
        { credentials: 'password', username: 'ada@example.com', password },
      ],
    ] as const) {
      const found = differencesOfAnswer(await post(name, body), answer);
      differences.push(...found.map((what) => `${name}: ${what}`));
      asked.add(`POST ${name}`);
    }
    await see(`GET ${invitations}/organizations`);
    const ofIdentity = `GET ${invitations}/identities/{identityId}/resource-identity-roles`;
    await see(ofIdentity, { identityId: serviceId });
    await see(`GET ${invitations}/identities`, {}, undefined, `?resources=${resource}`);
    await see(`GET ${invitations}/resource-identity-roles`, {}, undefined, `?resource=${resource}`);
    await see(`GET ${invitations}/resources`, {}, undefined, '?resourceType=project');
  });

  test('of what only an administrator does', async () => {
    const own = tenant.api;
    const api = await logIn(here.url, here.administrator);
    tenant = { ...tenant, api };
    try {
      await see('POST /v1/organizations', {}, { name: 'Third' });
      const made = { identifier: 'linus@example.com', type: 'USER', identityProfile: { displayName: 'L' } };
      const { serviceId = '' } = await see('POST /v1/identities', {}, made);
      await see('PUT /v1/identities/{id}/status', { id: serviceId }, undefined, '?status=DISABLED');
    } finally {
      tenant = { ...tenant, api: own };
    }
  });

  test('have the fields and types of the tables', () => {
    expect(differences).toEqual([]);
  });

  test('were seen of every operation that answers a record, and of every record', () => {
    const unseen = operations.filter(({ name, answer }) => answer !== '-' && !asked.has(name));
    expect(unseen.map(({ name }) => name)).toEqual([]);
    const used = new Set(operations.map(({ answer }) => answer.replace(/^\w+<|>$|\[\]$/g, '')));
    const inside = Object.values(records).flatMap((fields) =>
      Object.values(fields).map((type) => type.replace(/\|null$/, '').replace(/\[\]$/, '')),
    );
    expect(Object.keys(records).filter((name) => !used.has(name) && !inside.includes(name))).toEqual([]);
  });
});

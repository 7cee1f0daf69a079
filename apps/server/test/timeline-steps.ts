import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import { type Api, addWallet, ended, type Installation, type Tenant, transferBody } from './api.ts';
import { addPendingUser } from './users.ts';

/** A call of an operation, and the record that it must leave. */
export interface Step {
  readonly operationId: string;
  /** Absent: the service whose operation it is. */
  readonly service?: string;
  readonly action: string;
  /** Makes the call; answers the id or uid of the resource, and what must not be told of it. */
  readonly run: () => Promise<{ resource: string | undefined; secrets?: (string | undefined)[] }>;
}

const password = 'correct horse battery staple';
const newPassword = 'another horse battery staple';
const receiver = '0x00000000000000000000000000000000000000aa';
const deployed = '0x00000000000000000000000000000000000000bb';
const image = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  format: 'png',
};
/** The plugin that the installation must allow and trust. */
export const pluginUrl = 'npm:@ledger-ops/plugin-ethereum';

/** Calls in an order in which they go well, each on what those before have made. */
export async function stepsOf(here: Installation, tenant: Tenant, admin: Api): Promise<Step[]> {
  const { api, projectUuid: project, appId, serviceId } = tenant;
  await here.anvil.rpc('anvil_setCode', [deployed, '0x00']);
  const made: Record<string, string> = {};
  const step = (
    operationId: string,
    [action, service]: [action: string, service?: string],
    run: Step['run'],
  ): Step => ({ operationId, action, run, ...(service === undefined ? {} : { service }) });
  /** A call on a resource that is known before. */
  const on = (
    operationId: string,
    action: string,
    resource: () => string | undefined,
    [status, method, path, body]: [number, string, () => string, (() => unknown)?],
    by: Api = api,
  ): Step =>
    step(operationId, [action], async () => {
      await by.expect(status, method, path(), body?.());
      return { resource: resource() };
    });
  /** One that creates, and answers the id under this name. */
  const creates = (
    operationId: string,
    name: string,
    path: () => string,
    body: () => unknown,
    by: Api = api,
  ): Step =>
    step(operationId, ['create'], async () => {
      const { [name]: id } = await by.expect(201, 'POST', path(), body());
      if (id === undefined) throw new Error(`${operationId} answers no ${name}.`);
      made[operationId] = id;
      return { resource: id };
    });
  /** One that sends an action with the wallet. */
  const sends = (operationId: string, path: () => string, body: () => object, status = 201): Step =>
    step(operationId, ['accept', 'ledger-operations'], async () => {
      const { actionId, id } = await api.expect(status, 'POST', path(), body());
      if (operationId !== 'sendTransaction') await ended(api, actionId ?? id ?? '');
      return { resource: 'alice', secrets: [password] };
    });

  const wallet = { walletId: 'alice', walletPassword: password };
  const service = { ...wallet, dependencies: [], intent: null };
  const older = {
    type: 'contract_call',
    params: { contractInstance: deployed, methodName: 'transfer(address,uint256)', args: [receiver, '1'] },
  };
  const group = () => `/v1/contract-groups/${made.registerContractGroup}`;
  const instance = () => `${group()}/instances/${made.registerContract}`;
  const templates = '/v1/smart-contracts/templates';
  const manager = '/v1/resource-manager';
  const user = await addPendingUser(here.server);
  const session: { headers?: Record<string, string> } = {};
  const identity = () => made.createIdentity;

  return [
    creates(
      'createOrganization',
      'resourceUUID',
      () => '/v1/organizations',
      () => ({ name: 'New' }),
      admin,
    ),
    on(
      'setOrganizationImage',
      'update-image',
      () => made.createOrganization,
      [200, 'PUT', () => `/v1/organizations/${made.createOrganization}/image`, () => image],
      admin,
    ),
    creates(
      'createProject',
      'resourceUUID',
      () => '/v1/projects',
      () => ({
        ...{ name: 'New', organization: tenant.organizationUuid },
      }),
    ),
    creates(
      'createApp',
      'resourceUUID',
      () => '/v1/apps',
      () => ({ name: 'New' }),
    ),
    on('updateApp', 'update', () => made.createApp, [
      200,
      'PUT',
      () => `/v1/apps/${made.createApp}`,
      () => ({ name: 'Newer' }),
    ]),
    on('setAppImage', 'update-image', () => made.createApp, [
      200,
      'PUT',
      () => `/v1/apps/${made.createApp}/image`,
      () => image,
    ]),
    step('issueAppToken', ['issue-token'], async () => {
      const { appToken } = await api.expect(201, 'POST', `/v1/apps/${made.createApp}/token`);
      return { resource: made.createApp, secrets: [appToken] };
    }),

    creates(
      'createServiceAccount',
      'serviceId',
      () => '/v1/service-accounts',
      () => ({ name: 'New', accountId: 'new-account' }),
    ),
    step('createServiceAccountApiToken', ['create-api-token'], async () => {
      const path = '/v1/service-accounts/new-account/api-tokens';
      const { apiToken, handle = '' } = await api.expect(201, 'POST', path);
      made.handle = handle;
      return { resource: made.createServiceAccount, secrets: [apiToken] };
    }),
    on('updateServiceAccountApiTokenStatus', 'update-api-token', () => 'new-account', [
      ...([200, 'PUT', () => `/v1/service-accounts/api-tokens/${made.handle}?status=DISABLED`] as const),
    ]),
    step('generateServiceAccountKey', ['create-key'], async () => {
      const key = await api.expect(201, 'POST', '/v1/service-accounts/new-account/keys');
      made.key = String(key.keyID);
      return { resource: 'new-account', secrets: [key.privateKey] };
    }),
    on('updateServiceAccountKeyStatus', 'update-key', () => 'new-account', [
      ...([
        200,
        'PUT',
        () => `/v1/service-accounts/new-account/keys?keyId=${made.key}&status=DISABLED`,
      ] as const),
    ]),

    creates(
      'createIdentity',
      'serviceId',
      () => '/v1/identities',
      () => ({ identifier: 'new@example.com', type: 'USER' }),
      admin,
    ),
    on(
      'updateIdentityConfig',
      'update-config',
      identity,
      [
        200,
        'PUT',
        () => `/v1/identities/${identity()}/config`,
        () => ({ items: [{ key: 'a', value: 'of one' }] }),
      ],
      admin,
    ),
    on(
      'updateIdentityProfile',
      'update-profile',
      identity,
      [200, 'PUT', () => `/v1/identities/${identity()}/profile`, () => ({ displayName: 'Ada' })],
      admin,
    ),
    on(
      'setIdentityImage',
      'update-image',
      identity,
      [200, 'PUT', () => `/v1/identities/${identity()}/image`, () => image],
      admin,
    ),
    on(
      'updateIdentityStatus',
      'update-status',
      identity,
      [200, 'PUT', () => `/v1/identities/${identity()}/status?status=DISABLED`],
      admin,
    ),

    step('initUser', ['init-user'], async () => {
      const { initToken } = user;
      const body = { acceptTnC: true, additional: { name: 'Grace', password }, initToken };
      await api.expect(200, 'POST', '/v1/auth/init-user', body);
      return { resource: user.serviceId, secrets: [password, initToken] };
    }),
    step('login', ['login'], async () => {
      const answer = await api.call('POST', '/v1/auth/login', { username: user.email, password });
      const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? [];
      session.headers = { Cookie: cookie };
      return { resource: user.serviceId, secrets: [password, cookie.split('=')[1]] };
    }),
    step('logout', ['logout'], async () => {
      await api.call('POST', '/v1/auth/logout', undefined, session.headers);
      return { resource: user.serviceId };
    }),

    creates(
      'createResource',
      'resourceUUID',
      () => `${manager}/resources`,
      () => ({ type: 'billing-account' }),
    ),
    on('createLookupTerm', 'create-lookup-term', () => project, [
      201,
      'POST',
      () => `${manager}/resources/${project}/lookup-terms`,
      () => ({ value: 'quarterly' }),
    ]),
    on('createAppIdentityRole', 'assign-role', () => appId, [
      201,
      'POST',
      () => `${manager}/app-identity-roles`,
      () => ({
        identity: { serviceId: made.createServiceAccount },
        role: { name: 'viewer' },
        app: { appId },
      }),
    ]),
    on('setAppRole', 'assign-role', () => project, [
      200,
      'PUT',
      () => `${manager}/resources/${project}/app-roles`,
      () => ({ app: { appId: made.createApp }, role: { name: 'viewer' } }),
    ]),
    on('createResourceIdentityRole', 'assign-role', () => project, [
      201,
      'POST',
      () => `${manager}/resource-identity-roles`,
      () => ({
        identity: { serviceId: made.createServiceAccount },
        role: { name: 'viewer' },
        resource: { resourceUUID: project },
      }),
    ]),
    on('deleteResourceIdentityRole', 'revoke-role', () => project, [
      202,
      'DELETE',
      () => `${manager}/resources/${project}/identities/${made.createServiceAccount}/roles/viewer`,
    ]),
    on('createAppIdentityProperty', 'create-property', () => appId, [
      201,
      'POST',
      () => `${manager}/app-identity-properties`,
      () => ({ identity: { serviceId }, app: { appId }, name: 'plan', value: 'basic' }),
    ]),

    step('inviteUser', ['invite'], async () => {
      const body = { userEmail: 'invited@example.com', organizationId: tenant.organizationUuid };
      const { invitationToken = '' } = await api.expect(201, 'POST', '/v1/invitations', body);
      made.invitation = invitationToken;
      return { resource: tenant.organizationUuid, secrets: [invitationToken] };
    }),
    on('respondToInvitation', 'reject-invitation', () => tenant.organizationUuid, [
      200,
      'PUT',
      () => '/v1/invitations',
      () => ({ invitationToken: made.invitation, invitationState: 'REJECTED' }),
    ]),

    creates(
      'createPlugin',
      'id',
      () => '/v1/plugins',
      () => ({ name: 'P', projectId: tenant.projectId, url: pluginUrl, tags: ['ethereum'] }),
    ),
    on('addPluginTags', 'add-tags', () => made.createPlugin, [
      200,
      'POST',
      () => `/v1/plugins/${made.createPlugin}/tags`,
      () => ({ tags: ['one'] }),
    ]),
    on('removePluginTags', 'remove-tags', () => made.createPlugin, [
      200,
      'DELETE',
      () => `/v1/plugins/${made.createPlugin}/tags`,
      () => ({ tags: ['one'] }),
    ]),
    on('updatePlugin', 'update', () => made.createPlugin, [
      200,
      'PUT',
      () => `/v1/plugins/${made.createPlugin}`,
      () => ({ name: 'Q', url: pluginUrl, active: true }),
    ]),

    creates(
      'createLedger',
      'ledgerID',
      () => '/v1/ledgers',
      () => ({ ledgerID: 'other', name: 'Other', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } }),
    ),
    on('updateLedger', 'update', () => 'other', [
      200,
      'PUT',
      () => '/v1/ledgers/other',
      () => ({ name: 'Another' }),
    ]),
    creates(
      'createNode',
      'nodeID',
      () => '/v1/nodes',
      () => ({ nodeID: 'other-node', ledgerID: 'other', options: { uri: here.anvil.url } }),
    ),
    on('updateNode', 'update', () => 'other-node', [
      200,
      'PUT',
      () => '/v1/nodes/other-node',
      () => ({ name: 'N' }),
    ]),
    creates(
      'createExplorer',
      'explorerID',
      () => '/v1/explorers',
      () => ({ explorerID: 'other-explorer', ledgerID: 'other', name: 'E' }),
    ),
    on('updateExplorer', 'update', () => 'other-explorer', [
      200,
      'PUT',
      () => '/v1/explorers/other-explorer',
      () => ({ name: 'F' }),
    ]),
    on('deleteExplorer', 'delete', () => 'other-explorer', [
      204,
      'DELETE',
      () => '/v1/explorers/other-explorer',
    ]),
    on('deleteNode', 'delete', () => 'other-node', [204, 'DELETE', () => '/v1/nodes/other-node']),
    on('deleteLedger', 'delete', () => 'other', [204, 'DELETE', () => '/v1/ledgers/other']),

    step('createWallet', ['create'], async () => {
      const { walletId } = await addWallet(here, { api }, 'alice');
      return { resource: walletId, secrets: [password] };
    }),
    creates(
      'registerContractGroup',
      'groupId',
      () => '/v1/contract-groups',
      () => ({ name: 'G' }),
    ),
    on('updateContractGroup', 'update', () => made.registerContractGroup, [
      200,
      'PUT',
      group,
      () => ({ name: 'H' }),
    ]),
    creates(
      'registerContract',
      'contractId',
      () => `${group()}/instances`,
      () => ({
        ...{ interface: tokenTemplate.interface, name: 'C' },
        ledgerReference: { ledgerId: 'chain', nativeReference: deployed },
      }),
    ),
    on('updateContract', 'update', () => made.registerContract, [
      200,
      'PUT',
      instance,
      () => ({ name: 'D', interface: tokenTemplate.interface }),
    ]),
    creates(
      'createTemplate',
      'contractTemplateID',
      () => templates,
      () => ({ contractTemplateID: 'coin', name: 'Coin' }),
    ),
    on('createSpecification', 'create-version', () => 'coin', [
      201,
      'POST',
      () => `${templates}/coin/specifications`,
      () => ({
        tag: '1',
        compilationSpecification: { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code },
      }),
    ]),
    creates(
      'registerSmartContract',
      'contractInstanceID',
      () => '/v1/smart-contracts',
      () => ({
        ...{
          ledgerID: 'chain',
          contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: 'coin' } },
        },
        properties: [{ type: { name: 'address' }, value: receiver }],
      }),
    ),
    on('updateSmartContractProperties', 'update-properties', () => made.registerSmartContract, [
      200,
      'PUT',
      () => `/v1/smart-contracts/${made.registerSmartContract}/properties`,
      () => ({ properties: [{ type: { name: 'decimals' }, value: 18 }] }),
    ]),
    creates(
      'registerToken',
      'tokenID',
      () => '/v1/smart-contracts/tokens',
      () => ({
        name: 'T',
        ticker: 'T',
        contractInstance: { contractInstanceID: made.registerSmartContract },
      }),
    ),

    sends(
      'send',
      () => '/v1/ledger-ops/send',
      () => transferBody('alice', receiver),
    ),
    sends(
      'contractCall',
      () => '/v1/ledger-ops/contract/call',
      () => ({
        ...service,
        glo: {
          version: '0.1.0',
          type: 'contract_call',
          options: {
            contract_instance: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: deployed },
            method_name: 'transfer(address,uint256)',
            args: [receiver, '1'],
          },
        },
      }),
    ),
    sends(
      'contractCallAlternative',
      () => '/v1/ledger-ops/contract-call',
      () => ({
        contractId: made.registerContract,
        method: 'transfer',
        params: [{ value: receiver }, { value: 1 }],
        options: { service, plugin: '' },
      }),
    ),
    sends(
      'ledgerCall',
      () => '/v1/ledger-ops/ledger-call',
      () => ({
        ...{ ledgerId: 'chain', method: 'contract_deploy', options: { service } },
        params: [
          {
            name: 'contract_source',
            value: { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' },
          },
          { name: 'args', value: ['Coin', 'C', '1000'] },
        ],
      }),
    ),
    sends(
      'callContractMethod',
      () => `${instance()}/methods/transfer`,
      () => ({ ...wallet, arguments: [receiver, '1'] }),
    ),
    sends(
      'sendTransaction',
      () => '/v1/cloud-wallet/transactions',
      () => ({
        actionId: randomUUID(),
        wallet: 'alice',
        glo: transferBody('alice', receiver).glo,
        pluginParams: { walletPassword: password },
      }),
      200,
    ),
    sends(
      'gatewaySendAction',
      () => '/v1/gateway/actions',
      () => ({ ...wallet, glo: older }),
    ),
    sends(
      'gatewaySendPluginAction',
      () => '/v1/gateway/plugin-actions',
      () => ({
        ...{
          wallet: 'alice',
          walletId: 'alice',
          ledger: 'ethereum',
          ledgerId: 'chain',
          pluginId: made.createPlugin,
        },
        ...{
          pluginSecrets: { walletPassword: password },
          glo: older,
          dependencies: [],
          intent: null,
          tag: null,
        },
      }),
    ),
    sends(
      'deploySmartContract',
      () => '/v1/smart-contracts/deployments',
      () => ({ ...wallet, templateId: 'coin', tag: '1', args: ['Coin', 'C', '1000'], ledgerId: 'chain' }),
    ),

    on('exportWallet', 'export', () => 'alice', [
      200,
      'POST',
      () => '/v1/cloud-wallet/wallets/alice/export',
      () => ({ walletPassword: password }),
    ]),
    step('changeWalletPassword', ['change-password'], async () => {
      const body = { walletPassword: password, newPassword };
      await api.expect(204, 'PUT', '/v1/cloud-wallet/wallets/alice/password', body);
      return { resource: 'alice', secrets: [password, newPassword] };
    }),
    on('deleteContract', 'delete', () => made.registerContract, [204, 'DELETE', instance]),
    on('deleteContractGroup', 'delete', () => made.registerContractGroup, [204, 'DELETE', group]),
    step('deletePlugin', ['delete'], async () => {
      // The other one serves the wallet.
      const spare = { name: 'Spare', projectId: tenant.projectId, url: pluginUrl };
      const { id } = await api.expect(201, 'POST', '/v1/plugins', spare);
      await api.expect(204, 'DELETE', `/v1/plugins/${id}`);
      return { resource: id };
    }),

    creates(
      'legacyCreatePlugin',
      'pluginId',
      () => '/v1/legacy-plugins',
      () => ({ name: 'L', pluginURL: pluginUrl, project: tenant.projectId }),
    ),
    on('legacyUpdatePlugin', 'update', () => made.legacyCreatePlugin, [
      200,
      'PUT',
      () => `/v1/legacy-plugins/${made.legacyCreatePlugin}`,
      () => ({ name: 'M', pluginURL: pluginUrl }),
    ]),
    on('legacyAddPluginTag', 'add-tags', () => made.legacyCreatePlugin, [
      200,
      'POST',
      () => `/v1/legacy-plugins/${made.legacyCreatePlugin}/tags`,
      () => ({ name: 'one' }),
    ]),
    on('legacyRemovePluginTag', 'remove-tags', () => made.legacyCreatePlugin, [
      200,
      'DELETE',
      () => `/v1/legacy-plugins/tags?pluginId=${made.legacyCreatePlugin}&tagName=one`,
    ]),
    on('legacyDeletePlugin', 'delete', () => made.legacyCreatePlugin, [
      204,
      'DELETE',
      () => `/v1/legacy-plugins/${made.legacyCreatePlugin}`,
    ]),
  ];
}

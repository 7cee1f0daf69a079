// Calls that show the permissions of operations. These operations are not in the tables of the specification
// and leave no timeline record.
import { randomUUID } from 'node:crypto';
import { startProxy, tokenTemplate } from '@ledger-ops/devnet';
import { expect } from 'vitest';
import { pluginUrl } from '../events/timeline-steps.ts';
import { systemContract } from '../records/system-contracts.ts';
import {
  type Api,
  addTokenTemplate,
  addWallet,
  ended,
  type Installation,
  logIn,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

const walletPassword = 'correct horse battery staple';
const wallet = { walletId: 'payer', walletPassword };
const service = { lookup_service: { type: 'service', value: 'service' } };
const to = '0x00000000000000000000000000000000000000aa';
const image = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  format: 'png',
};

/** The caller and its context. */
export interface PermissionGround {
  readonly here: Installation;
  readonly tenant: Tenant;
  /** The caller whose permissions vary. */
  readonly probe: Api;
  /** A ledger of `adapterWithSystemContract`, which every project may use. */
  readonly systemLedgerId: string;
}

/** Ids and paths used by the calls. */
interface Records {
  readonly actionId: string;
  readonly contractId: string;
  readonly contractPath: string;
  readonly templateId: string;
}

const gloOf = (type: string, options: object) => ({ version: '0.1.0', type, options });

export async function usePermissions(ground: PermissionGround): Promise<void> {
  const records = await addRecords(ground);
  await send(ground, records);
  await emulate(ground, records);
  await read(ground, records);
  await useOwnLedger(ground);
  await useOthers(ground);
}

async function addRecords({ here, tenant }: PermissionGround): Promise<Records> {
  const { api } = tenant;
  await addWallet(here, tenant, 'payer');
  const sent = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('payer', to));
  const { actionId = '' } = sent;
  await ended(api, actionId);
  const templateId = 'coin-template';
  await addTokenTemplate(api, templateId);
  const { id = '' } = await api.expect(201, 'POST', '/v1/smart-contracts/deployments', {
    ...{ ...wallet, templateId, tag: '1', args: ['T', 'T', '900'], ledgerId: 'chain' },
  });
  const { contractAddress } = await ended(api, id);
  const { groupId } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'G' });
  const { contractId = '' } = await api.expect(201, 'POST', `/v1/contract-groups/${groupId}/instances`, {
    interface: tokenTemplate.interface,
    ledgerReference: { ledgerId: 'chain', nativeReference: contractAddress },
  });
  return {
    actionId,
    contractId,
    contractPath: `/v1/contract-groups/${groupId}/instances/${contractId}`,
    templateId,
  };
}

/** Adds one operation of each kind that names a record in addition to the wallet. */
function operationsOn({ contractId, templateId }: Records) {
  const source = { ...service, resource: `${templateId}:1` };
  return [
    gloOf('transfer', { recipient: { ...service, resource: 'payer' }, amount: '1' }),
    gloOf('contract_call', {
      ...{
        contract_instance: { ...service, resource: contractId },
        method_name: 'transfer',
        args: [to, '1'],
      },
    }),
    gloOf('contract_deploy', { contract_source: source, args: ['T', 'T', '9'] }),
  ];
}

async function send({ probe, tenant }: PermissionGround, records: Records): Promise<void> {
  const dependencies = [records.actionId];
  for (const glo of operationsOn(records)) {
    await probe.expect(201, 'POST', '/v1/ledger-ops/send', { ...wallet, glo });
    await probe.expect(201, 'POST', '/v1/ledger-ops/batch', { operations: [{ ...wallet, glo }] });
    await probe.expect(201, 'POST', '/v1/gateway/actions', { ...wallet, glo });
    await probe.expect(201, 'POST', '/v1/ledger-ops/ledger-call', {
      ...{ ledgerId: 'chain', method: glo.type, options: { service: wallet } },
      params: Object.entries(glo.options).map(([name, value]) => ({ name, value })),
    });
    const actionId = randomUUID();
    await probe.expect(200, 'POST', '/v1/cloud-wallet/transactions', {
      ...{ actionId, wallet: 'payer', glo, pluginParams: { walletPassword } },
    });
    // The key of this operation is derived from its id.
    const key = encodeURIComponent(`action:${actionId}`);
    await probe.expect(200, 'GET', `/v1/ledger-ops/search/actions?idempotencyKey=${key}`);
  }
  const [, glo] = operationsOn(records);
  await probe.expect(201, 'POST', '/v1/ledger-ops/contract/call', { ...wallet, glo, dependencies });
  await probe.expect(201, 'POST', '/v1/ledger-ops/contract-call', {
    ...{ contractId: records.contractId, method: 'transfer', params: [{ value: to }, { value: 1 }] },
    options: { service: { ...wallet, dependencies }, plugin: '' },
  });
  const { id: pluginId } = await tenant.api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'P', projectId: tenant.projectId, url: pluginUrl, tags: ['ethereum'] },
  });
  await probe.expect(201, 'POST', '/v1/gateway/plugin-actions', {
    ...{ ledger: 'ethereum', ledgerId: 'chain', pluginId, wallet: 'payer', walletId: 'payer' },
    ...{ pluginSecrets: { walletPassword }, glo, dependencies },
  });
  const method = `${records.contractPath}/methods`;
  await probe.expect(201, 'POST', `${method}/transfer`, { ...wallet, arguments: [to, '1'] });
  await probe.expect(200, 'POST', `${method}/totalSupply`, {});
  await probe.expect(200, 'POST', `${method}/totalSupply`, { walletId: 'payer' });
}

async function emulate({ here, probe, tenant, systemLedgerId }: PermissionGround, records: Records) {
  const path = '/v1/ledger-ops/emulate';
  for (const glo of operationsOn(records)) {
    await probe.expect(200, 'POST', path, { walletId: 'payer', glo });
    // Ethereum does not support this operation. The response says so only to callers who may use the wallet.
    await probe.expect(422, 'POST', path, { ...wallet, glo });
  }
  const [, call] = operationsOn(records);
  await probe.expect(200, 'POST', path, {
    ...{
      ledgerId: 'chain',
      glo: { ...call, options: { ...call?.options, method_name: 'totalSupply', args: [] } },
    },
  });
  const locator = {
    lookup_service: { type: 'ledger', value: 'hyperledger-fabric' },
    resource: systemContract,
  };
  const options = { contract_instance: locator, method_name: 'Read', args: [] };
  await probe.expect(200, 'POST', path, { ledgerId: systemLedgerId, glo: gloOf('contract_call', options) });
  const property = (name: string, value: unknown) => ({ type: { name }, value });
  const { contractInstanceID: instanceId = '' } = await tenant.api.expect(
    201,
    'POST',
    '/v1/smart-contracts',
    {
      ...{ contractInstanceID: 'of-the-ledger', ledgerID: systemLedgerId, name: 'S' },
      properties: [property('address', systemContract), property('abi', '{}')],
    },
  );
  await probe.expect(200, 'POST', '/v1/gateway/emulations', { instanceId, methodName: 'Read', args: [] });
  const [row] = await here.server.store.read.all<{ group_id: string }>(
    "SELECT group_id FROM contract WHERE contract_id = 'of-the-ledger'",
  );
  await probe.expect(
    200,
    'POST',
    `/v1/contract-groups/${row?.group_id}/instances/${instanceId}/methods/Read`,
    {},
  );
}

async function read(
  { probe, tenant }: PermissionGround,
  { actionId, contractId, contractPath }: Records,
): Promise<void> {
  const { api } = tenant;
  await probe.expect(200, 'HEAD', `/v1/ledger-ops/actions/${actionId}/events`);
  await probe.expect(200, 'HEAD', '/v1/ledger-ops/events?wallet=payer');
  await probe.expect(200, 'GET', '/v1/ledger-ops/actions?wallet=payer');
  await probe.expect(200, 'GET', '/v1/ledger-ops/actions/counts');
  await probe.expect(200, 'GET', '/v1/ledger-ops/actions/summary');
  await probe.expect(200, 'GET', '/v1/search?q=payer');
  await probe.expect(200, 'GET', `/v1/ledger-ops/actions/${actionId}`);
  await probe.expect(200, 'GET', `/v1/ledger-ops/actions/${actionId}/explain`);
  await probe.expect(200, 'GET', `/v1/ledger-ops/actions/${actionId}/contract-events`);
  await probe.expect(200, 'GET', '/v1/cloud-wallet/wallets');
  await probe.expect(200, 'GET', '/v1/cloud-wallet/wallets/payer');
  await probe.expect(200, 'GET', '/v1/cloud-wallet/wallets/payer/unknown-transactions');
  await probe.expect(200, 'GET', `${contractPath}/openapi.json`);
  await probe.expect(200, 'GET', `${contractPath}/methods`);
  await addTokenTemplate(api, 'seen-template');
  await probe.expect(200, 'GET', '/v1/contract-templates/seen-template/versions/1/constructor');
  const templates = '/v1/contract-templates';
  await probe.expect(201, 'POST', templates, { templateId: 'current-template', name: 'T' });
  const code = { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code };
  await probe.expect(201, 'POST', `${templates}/seen-template/versions`, { version: '2', code });
  for (const path of ['', '/seen-template', '/seen-template/versions', '/seen-template/versions/1']) {
    await probe.expect(200, 'GET', `${templates}${path}`);
  }
  await probe.expect(200, 'GET', '/v1/contracts');
  await probe.expect(200, 'GET', `/v1/contracts/${contractId}`);
  await probe.expect(200, 'GET', '/v1/organizations?all=true');
  await probe.expect(200, 'GET', '/v1/admin/organizations?all=true');
  await probe.expect(200, 'GET', '/v1/invitations/organizations?all=true');
  await probe.expect(200, 'GET', '/v1/admin/late-events');
  await probe.expect(200, 'GET', '/v1/admin/storage-limits');
  await probe.expect(200, 'GET', `/v1/admin/organizations/${tenant.organizationId}/storage-limits`);
  const { imageURL = '' } = await api.expect(200, 'PUT', `/v1/apps/${tenant.appId}/image`, image);
  await probe.expect(200, 'GET', new URL(imageURL).pathname);
}

/** Uses ledgers of the project, because every caller would see ledgers that the deployer shares. */
async function useOwnLedger({ here, probe, tenant }: PermissionGround): Promise<void> {
  const ledgerID = 'own-chain';
  await tenant.api.expect(201, 'POST', '/v1/ledgers', {
    ...{ ledgerID, name: 'Own', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
    nodes: [{ nodeID: 'own-node', options: { uri: here.anvil.url } }],
  });
  const property = (name: string, value: unknown) => ({ type: { name }, value });
  await probe.expect(201, 'POST', '/v1/smart-contracts', {
    ...{ contractInstanceID: 'elsewhere', ledgerID, name: 'E' },
    properties: [property('address', to), property('abi', '[]')],
  });
  await probe.expect(201, 'POST', '/v1/explorers', {
    ...{ explorerID: 'own-explorer', ledgerID, name: 'E', nodeID: 'own-node' },
  });
  await probe.expect(200, 'PUT', '/v1/explorers/own-explorer', { nodeID: 'own-node' });
  const ledgerId = ledgerID;
  const explorer = { explorerId: 'current-explorer', ledgerId, name: 'E', nodeId: 'own-node' };
  await probe.expect(201, 'POST', '/v1/admin/explorers', explorer);
  await probe.expect(200, 'PUT', '/v1/admin/explorers/current-explorer', { nodeId: 'own-node' });
  await probe.expect(200, 'GET', `/v1/admin/ledgers/${ledgerId}/default-node`);
  await probe.expect(200, 'GET', `/v1/admin/ledgers/${ledgerId}/default-explorer`);
  await probe.expect(200, 'GET', `/v1/admin/nodes?ledgerId=${ledgerId}`);
  await probe.expect(200, 'GET', `/v1/plugins/selection?ledgerId=${ledgerID}`);
  await suspend(probe, { ledgerId: ledgerID });
  await loseLedger({ here, probe, tenant });
  await suspend(probe, { projectId: tenant.projectId });
}

/** Reads the health of a ledger whose node stopped responding while an operation is in progress. */
async function loseLedger({ here, probe, tenant }: Omit<PermissionGround, 'systemLedgerId'>): Promise<void> {
  const node = await startProxy(here.anvil.url);
  const lost = { ledgerId: 'lost', name: 'Lost', technology: 'ethereum', nodes: [{ uri: node.url }] };
  await tenant.api.expect(201, 'POST', '/v1/admin/ledgers', lost);
  const { walletAddress = '' } = await tenant.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: 'castaway', ledgerId: 'lost', pluginParameters: { walletPassword } },
  });
  await here.anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
  await here.anvil.rpc('evm_setAutomine', [false]);
  try {
    await tenant.api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('castaway', to));
    await node.close();
    const path = '/v1/admin/ledger-health';
    const told = async () => (await tenant.api.expect(200, 'GET', path)).ledgers;
    await expect.poll(told, { timeout: 60_000 }).toMatchObject([{ ledgerId: 'lost' }]);
    await probe.expect(200, 'GET', path);
  } finally {
    await here.anvil.rpc('evm_setAutomine', [true]);
  }
}

/** Suspends a record and resumes it. Each type of record has its own permissions for this. */
async function suspend(probe: Api, body: object): Promise<void> {
  const path = '/v1/ledger-ops/suspensions';
  const { suspensionId } = await probe.expect(201, 'POST', path, { ...body, reason: 'Maintenance.' });
  await probe.expect(200, 'GET', path);
  await probe.expect(200, 'GET', `${path}/${suspensionId}`);
  await probe.expect(204, 'DELETE', `${path}/${suspensionId}`);
}

/** Adds calls on people, and on roles that are granted to them. */
async function useOthers({ here, probe, tenant }: PermissionGround): Promise<void> {
  const { accountId, api, serviceId, organizationUuid, projectUuid } = tenant;
  const byService = `filter_by=SERVICE_ID`;
  // Everyone who sees a resource sees the holders of roles on it, so the probe may see this identity.
  await api.expect(200, 'PUT', `/v1/identities/${serviceId}/image`, image);
  const me = await api.expect<{ identityProfile: { imageURL: string } }>(200, 'GET', '/v1/identities/me');
  await probe.expect(200, 'GET', new URL(me.identityProfile.imageURL).pathname);
  await probe.expect(200, 'GET', `/v1/identities?${byService}&identifiers=${serviceId}`);
  await probe.expect(200, 'GET', `/v1/identities/${serviceId}?${byService}`);
  await probe.expect(200, 'GET', `/v1/identities/search/${accountId}`);
  await probe.expect(200, 'GET', `/v1/identities/resources/${organizationUuid}`);
  const inOrganization = `resources=${organizationUuid}`;
  await probe.expect(200, 'GET', `/v1/identities/search/${accountId}/in-resources?${inOrganization}`);
  const invitation = { userEmail: 'kay@example.com', organizationId: organizationUuid };
  await probe.expect(201, 'POST', '/v1/invitations', invitation);
  const { invitationToken: _, ...made } = await api.expect(201, 'POST', '/v1/invitations', {
    ...{ ...invitation, userEmail: 'lee@example.com' },
  });
  await probe.expect(200, 'PUT', '/v1/invitations', { ...made, invitationState: 'CANCELED' });
  await probe.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
    ...{ identity: { serviceId }, resource: { resourceUUID: projectUuid }, role: { name: 'operator' } },
  });
  await probe.expect(201, 'POST', '/v1/admin/role-grants', {
    ...{ serviceId, resourceId: projectUuid, role: 'transactor' },
  });
  const body = { organizationId: organizationUuid, email: 'max@example.com' };
  const { invitationId } = await api.expect(201, 'POST', '/v1/admin/invitations', body);
  await probe.expect(200, 'GET', `/v1/admin/invitations/${invitationId}`);
  await probe.expect(204, 'DELETE', `/v1/admin/invitations/${invitationId}`);
  const { serviceId: other = '' } = await api.expect(201, 'POST', '/v1/service-accounts', { name: 'other' });
  await probe.expect(200, 'PUT', `/v1/identities/${other}/status?status=DISABLED`);
  await probe.expect(200, 'PUT', `/v1/admin/identities/${other}/status`, { status: 'DISABLED' });
  await enable(probe, tenant);
  await putAway(probe, await logIn(here.url, here.administrator));
  const organization = { type: 'project', id: 'below', parentId: organizationUuid };
  await probe.expect(201, 'POST', '/v1/resource-manager/resources', organization);
  await probe.expect(200, 'GET', `/v1/resource-manager/resources/${projectUuid}`);
}

/** Restores archived records. A restored record also restores the rights of the records below it. */
async function putAway(probe: Api, admin: Api): Promise<void> {
  const root = '/v1/admin';
  const organization = await admin.expect(201, 'POST', `${root}/organizations`, { name: 'Put away' });
  const { organizationId } = organization;
  const project = await admin.expect(201, 'POST', `${root}/projects`, { name: 'Put away', organizationId });
  const { projectId } = project;
  await admin.expect(201, 'POST', `${root}/apps`, { name: 'Put away', projectId });
  const { serviceId } = await admin.expect(201, 'POST', `${root}/accounts`, { name: 'away', projectId });
  const role = { serviceId, resourceId: project.uid, role: 'viewer' };
  await admin.expect(201, 'POST', `${root}/role-grants`, role);
  for (const path of [
    `accounts/${serviceId}`,
    `projects/${project.uid}`,
    `organizations/${organization.uid}`,
  ]) {
    await admin.expect(200, 'POST', `${root}/${path}/archive`);
    await probe.expect(200, 'POST', `${root}/${path}/restore`);
  }
}

/** Enables credentials and an identity. Enabling them restores the rights that they had. */
async function enable(probe: Api, { accountId, api, projectId }: Tenant): Promise<void> {
  const accounts = '/v1/service-accounts';
  const { handle } = await api.expect(201, 'POST', `${accounts}/${accountId}/api-tokens`);
  const { keyID } = await api.expect(201, 'POST', `${accounts}/${accountId}/keys`);
  await probe.expect(200, 'PUT', `${accounts}/api-tokens/${handle}?status=ENABLED`);
  await probe.expect(200, 'PUT', `${accounts}/${accountId}/keys?keyId=${keyID}&status=ENABLED`);
  const other = await api.expect(201, 'POST', accounts, { name: 'holds a role' });
  await api.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
    ...{ identity: { serviceId: other.serviceId }, resource: { resourceID: projectId, type: 'project' } },
    role: { name: 'operator' },
  });
  await probe.expect(200, 'PUT', `/v1/identities/${other.serviceId}/status?status=ENABLED`);
  const current = `/v1/admin/accounts/${accountId}`;
  const { tokenId } = await api.expect(201, 'POST', `${current}/tokens`);
  const { keyId } = await api.expect(201, 'POST', `${current}/keys`);
  const enabled = { status: 'ENABLED' };
  await probe.expect(200, 'PUT', `${current}/tokens/${tokenId}`, enabled);
  await probe.expect(200, 'PUT', `${current}/keys/${keyId}`, enabled);
  await probe.expect(201, 'POST', `${current}/tokens`);
  await probe.expect(201, 'POST', `${current}/keys`);
  const app = await api.expect(201, 'POST', '/v1/admin/apps', { name: 'Spare', projectId });
  await probe.expect(201, 'POST', `/v1/admin/apps/${app.uid}/token`);
  await probe.expect(204, 'DELETE', `/v1/admin/apps/${app.uid}/former-token`);
  const identity = `/v1/admin/identities/${other.serviceId}`;
  await probe.expect(200, 'GET', identity);
  await probe.expect(200, 'PUT', `${identity}/status`, enabled);
  await probe.expect(200, 'PUT', identity, { name: 'Other' });
  await probe.expect(200, 'PUT', `${identity}/image`, image);
  await probe.expect(200, 'PUT', `${identity}/config`, { items: [] });
  await api.expect(200, 'PUT', '/v1/admin/ledgers/own-chain', { active: false });
  await probe.expect(200, 'PUT', '/v1/admin/ledgers/own-chain', { active: true });
  await api.expect(200, 'PUT', '/v1/ledgers/own-chain', { active: false });
  await probe.expect(200, 'PUT', '/v1/ledgers/own-chain', { active: true });
  const asleep = { name: 'Asleep', url: pluginUrl, active: false };
  const { id } = await api.expect(201, 'POST', '/v1/plugins', { ...asleep, projectId });
  await api.expect(200, 'PUT', `/v1/plugins/${id}`, asleep);
  await probe.expect(200, 'PUT', `/v1/plugins/${id}`, { ...asleep, active: true });
  const old = { name: 'Another', pluginURL: `${pluginUrl}@>=0`, pluginId: id, project: projectId };
  await probe.expect(200, 'PUT', `/v1/legacy-plugins/${id}`, old);
}

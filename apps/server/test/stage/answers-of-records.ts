// Calls each operation on ledgers, contracts and plugins once, with real ids.
import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import type { Ground } from './answers.ts';
import { addWallet, ended, transferBody } from './api.ts';

const walletPassword = 'correct horse battery staple';
const to = '0x00000000000000000000000000000000000000aa';

/** Operations of sections 4.1 and 4.2 of the service interface, and the deprecated gateway operations. */
export async function seeLedgerOperations({ here, tenant, see }: Ground): Promise<void> {
  await addWallet(here, tenant, 'payer');
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
  await see('GET /v1/ledger-ops/actions');
  await see('GET /v1/ledger-ops/actions/counts');
  await see('GET /v1/ledger-ops/actions/{actionId}', { actionId });
  const suspensions = '/v1/ledger-ops/suspensions';
  const { suspensionId = '' } = await see(
    `POST ${suspensions}`,
    {},
    { walletId: 'payer', reason: 'Its password may be known.' },
  );
  await see(`GET ${suspensions}`);
  await see(`GET ${suspensions}/{suspensionId}`, { suspensionId });
  await see(`DELETE ${suspensions}/{suspensionId}`, { suspensionId });
  await see('GET /v1/ledger-ops/actions/{actionId}/explain', { actionId });
  // No receiver listens at this address.
  const { id: webhookId = '' } = await see('POST /v1/webhooks', {}, { url: 'http://127.0.0.1:1/' });
  await see('GET /v1/webhooks');
  await see('GET /v1/webhooks/{webhookId}', { webhookId });
  await see('PUT /v1/webhooks/{webhookId}', { webhookId }, { description: 'mine' });
  await see('POST /v1/webhooks/{webhookId}/secret', { webhookId });
  await see('POST /v1/webhooks/{webhookId}/test', { webhookId });
  await see('GET /v1/webhooks/{webhookId}/deliveries', { webhookId });
  await see('POST /v1/webhooks/{webhookId}/replay', { webhookId }, { from: new Date().toISOString() });
  await see('DELETE /v1/webhooks/{webhookId}', { webhookId });
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
}

/** Contracts and contract calls, at current and deprecated paths. */
export async function seeContracts({ tenant, see }: Ground): Promise<void> {
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
  const subscriptions = '/v1/contract-subscriptions';
  const { id: subscriptionId = '' } = await see(`POST ${subscriptions}`, {}, { contractId: smartContractId });
  await see(`GET ${subscriptions}`);
  await see(`GET ${subscriptions}/{subscriptionId}`, { subscriptionId });
  await see(`PUT ${subscriptions}/{subscriptionId}`, { subscriptionId }, { events: ['Transfer'] });
  await see(`DELETE ${subscriptions}/{subscriptionId}`, { subscriptionId });
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
}

/** Plugins, at current and deprecated paths. */
export async function seePlugins({ tenant, see }: Ground): Promise<void> {
  const url = 'npm:@ledger-ops/plugin-ethereum';
  const body = { name: 'own', projectId: tenant.projectId, url, tags: ['one'] };
  const { id: pluginId = '' } = await see('POST /v1/plugins', {}, body);
  await see('GET /v1/plugins', {}, undefined, `?project=${tenant.projectId}`);
  await see('GET /v1/plugins/{pluginId}', { pluginId });
  // Operations that the specification does not list.
  await tenant.api.expect(200, 'GET', '/v1/plugins/selection?ledgerId=chain');
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
}

/** Ledgers, nodes, explorers and the timeline. */
export async function seeLedgers({ here, see }: Ground): Promise<void> {
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
  await seeCurrentLedgers({ here, see });
  const from = '?from=2026-01-01T00:00:00Z';
  await see('GET /v1/timeline/resources/{resourceId}', { resourceId: ledgerId });
  const place = { service: 'ledger-nodes', action: 'create' };
  await see('GET /v1/timeline/services/{service}/actions/{action}', place, undefined, from);
  await see('GET /v1/timeline/resource-types/{type}', { type: 'ledger' }, undefined, from);
}

/** The same records at paths that are not deprecated. */
async function seeCurrentLedgers({ here, see }: Pick<Ground, 'here' | 'see'>): Promise<void> {
  const [ledgerId, nodeId, explorerId] = ['current', 'current-one', 'current-scan'];
  const ledger = '/v1/admin/ledgers/{ledgerId}';
  const properties = { confirmations: 2 };
  const body = { ledgerId, name: 'Current', technology: 'ethereum', featured: true, properties };
  await see('POST /v1/admin/ledgers', {}, body);
  await see('GET /v1/admin/ledgers', {}, undefined, '?featured=true');
  await see(`GET ${ledger}`, { ledgerId });
  await see(`PUT ${ledger}`, { ledgerId }, { name: 'Current chain' });
  const node = { nodeId, ledgerId, client: 'anvil', uri: here.anvil.url, properties: { admin: true } };
  await see('POST /v1/admin/nodes', {}, node);
  await see('GET /v1/admin/nodes', {}, undefined, `?ledgerId=${ledgerId}`);
  await see('GET /v1/admin/nodes/{nodeId}', { nodeId });
  await see('PUT /v1/admin/nodes/{nodeId}', { nodeId }, { name: 'One' });
  await see(`GET ${ledger}/default-node`, { ledgerId });
  const links = { transaction_url: 'https://scan.example/tx/{locator}' };
  const implementations = [{ type: 'external-explorer', properties: links }];
  await see('POST /v1/admin/explorers', {}, { explorerId, ledgerId, name: 'Scan', implementations });
  await see('GET /v1/admin/explorers');
  await see('GET /v1/admin/explorers/{explorerId}', { explorerId });
  await see('PUT /v1/admin/explorers/{explorerId}', { explorerId }, { name: 'Scanner' });
  await see(`GET ${ledger}/default-explorer`, { ledgerId });
  await see('DELETE /v1/admin/explorers/{explorerId}', { explorerId });
  await see('DELETE /v1/admin/nodes/{nodeId}', { nodeId });
  await see(`DELETE ${ledger}`, { ledgerId });
}

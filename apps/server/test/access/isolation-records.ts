import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import { addWallet, ended, type Installation, type Tenant, transferBody } from '../stage/api.ts';

/** Creates one record of every kind. */
export async function recordsOf(
  here: Installation,
  { api, ...tenant }: Tenant,
  marker: string,
): Promise<Record<string, string>> {
  const project = tenant.projectUuid;
  const { walletId } = await addWallet(here, { api }, `${marker}-wallet`);
  const to = '0x00000000000000000000000000000000000000aa';
  const intent = randomUUID();
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', {
    ...transferBody(walletId, to),
    intent,
    tag: marker,
  });
  const { txId = '' } = await ended(api, actionId);
  const image = {
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    format: 'png',
  };
  const app = await api.expect(200, 'PUT', `/v1/apps/${tenant.appId}/image`, image);
  const group = await api.expect(201, 'POST', '/v1/contract-groups', { name: marker });
  const deployed = '0x00000000000000000000000000000000000000bb';
  await here.anvil.rpc('anvil_setCode', [deployed, '0x00']);
  const contract = await api.expect(201, 'POST', `/v1/contract-groups/${group.groupId}/instances`, {
    interface: '[]',
    ledgerReference: { ledgerId: 'chain', nativeReference: deployed },
    name: marker,
  });
  const template = await api.expect(201, 'POST', '/v1/smart-contracts/templates', {
    contractTemplateID: `${marker}-template`,
    name: marker,
  });
  const specification = await api.expect(
    201,
    'POST',
    `/v1/smart-contracts/templates/${template.contractTemplateID}/specifications`,
    {
      tag: '1',
      compilationSpecification: { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code },
    },
  );
  const { handle = '' } = await api.expect(
    201,
    'POST',
    `/v1/service-accounts/${tenant.accountId}/api-tokens`,
  );
  const key = await api.expect(201, 'POST', `/v1/service-accounts/${tenant.accountId}/keys`);
  await api.expect(201, 'POST', `/v1/resource-manager/resources/${project}/lookup-terms`, { value: marker });
  const invitation = await api.expect(201, 'POST', '/v1/invitations', {
    userEmail: `${marker}@example.com`,
    organizationId: tenant.organizationUuid,
  });
  const plugin = await api.expect(201, 'POST', '/v1/plugins', {
    name: marker,
    projectId: tenant.projectId,
    url: 'npm:@ledger-ops/plugin-ethereum',
  });
  const ledger = await api.expect(201, 'POST', '/v1/ledgers', {
    ledgerID: `${marker}-ledger`,
    name: marker,
    ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
  });
  const node = await api.expect(201, 'POST', '/v1/nodes', {
    nodeID: `${marker}-node`,
    ledgerID: ledger.ledgerID,
    options: { uri: here.anvil.url },
  });
  const explorer = await api.expect(201, 'POST', '/v1/explorers', {
    explorerID: `${marker}-explorer`,
    ledgerID: ledger.ledgerID,
    name: marker,
  });
  const suspension = await api.expect(201, 'POST', '/v1/ledger-ops/suspensions', {
    ...{ ledgerId: ledger.ledgerID, reason: marker },
  });
  const webhook = await api.expect(201, 'POST', '/v1/webhooks', {
    url: 'http://127.0.0.1:1/',
    description: marker,
  });
  // The webhook is disabled, like the subscription below, so that their rows do not change during the test.
  await api.expect(200, 'PUT', `/v1/webhooks/${webhook.id}`, { status: 'DISABLED' });
  const subscription = await api.expect(201, 'POST', '/v1/contract-subscriptions', {
    ...{ contractId: contract.contractId, fromBlock: 1_000_000_000 },
  });
  await api.expect(200, 'PUT', `/v1/contract-subscriptions/${subscription.id}`, { status: 'PAUSED' });
  const groups = {
    subscription: { subscriptionId: subscription.id ?? '' },
    webhook: { webhookId: webhook.id ?? '' },
    action: { actionId, intent, txId, locator: txId },
    wallet: { walletId, wallet: walletId },
    contract: {
      contractGroupId: group.groupId,
      groupId: group.groupId,
      smartContractId: contract.contractId,
      contractId: contract.contractId,
      instanceId: contract.contractId,
      contractInstanceID: contract.contractId,
      specificationId: String(specification.id),
      templateId: template.contractTemplateID,
      contractTemplateID: template.contractTemplateID,
    },
    ledger: {
      ledgerId: ledger.ledgerID,
      ledgerID: ledger.ledgerID,
      nodeId: node.nodeID,
      nodeID: node.nodeID,
      explorerId: explorer.explorerID,
      explorerID: explorer.explorerID,
      suspensionId: suspension.suspensionId,
    },
    place: {
      resourceId: project,
      resource: project,
      resources: project,
      resourceUUID: project,
      resourceID: tenant.projectId,
      projectID: tenant.projectId,
      parentId: project,
      project: tenant.projectId,
      projectId: tenant.projectId,
      organization: tenant.organizationUuid,
      organizationId: tenant.organizationUuid,
      organizationID: tenant.organizationId,
    },
    identity: {
      serviceId: tenant.serviceId,
      identity: tenant.serviceId,
      identityId: tenant.serviceId,
      id: tenant.serviceId,
      identifiers: tenant.serviceId,
      searchCriteria: tenant.email,
    },
    app: { app: tenant.appUuid, appId: tenant.appId, appToken: tenant.applicationToken },
    account: {
      accountId: tenant.accountId,
      emailOrAccountId: tenant.accountId,
      email: tenant.email,
      apiToken: handle,
      keyId: String(key.keyID),
    },
    other: {
      imageId: (app.imageURL ?? '').split('/').at(-1),
      invitationId: String(invitation.id),
      invitationToken: invitation.invitationToken,
      pluginId: plugin.id,
      plugin: plugin.id,
    },
  };
  return Object.fromEntries(
    Object.values(groups)
      .flatMap((group) => Object.entries(group))
      .map(([name, id]) => {
        if (id === undefined || id === '') throw new Error(`The victim has no ${name}.`);
        return [name, id];
      }),
  );
}

/** Returns an unused id of the same form. */
export function likeIt(id: string, marker: string): string {
  if (/^[0-9]+$/.test(id)) return '999999999';
  if (/^0x[0-9a-f]{64}$/.test(id)) return `0x${'e'.repeat(64)}`;
  if (/^[0-9a-f]{8}-/.test(id)) return randomUUID();
  if (/^app_|^inv_/.test(id)) return id.slice(0, 4) + 'x'.repeat(id.length - 4);
  return id.replace(marker, 'i'.repeat(marker.length));
}

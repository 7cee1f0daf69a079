// One request for each operation that contacts other systems.
import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import { nobody, transferBody } from '../stage/api.ts';
import { type Side, walletPassword } from './stall-ground.ts';

export interface StalledCall {
  readonly operationId: string;
  /** Prepares the call while all peers respond; its result is passed to `call`. */
  readonly prepare?: (side: Side) => Promise<string>;
  /** Status of the response if all peers respond. Default: any success. */
  readonly refusal?: number;
  readonly call: (side: Side, prepared: string) => readonly [method: string, path: string, body?: unknown];
}

const service = { lookup_service: { type: 'service', value: 'service' } };
const gloOf = (type: string, options: object) => ({ version: '0.1.0', type, options });
const walletOf = ({ walletId }: Side) => ({ walletId, walletPassword });
const contractCall = ({ contractId }: Side, method = 'transfer', args: unknown[] = [nobody, '1']) =>
  gloOf('contract_call', {
    ...{ contract_instance: { ...service, resource: contractId }, method_name: method, args },
  });
const contractPath = ({ groupId, contractId }: Side) =>
  `/v1/contract-groups/${groupId}/instances/${contractId}`;
const unique = (prefix: string) => `${prefix}-${randomUUID().slice(0, 8)}`;
const property = (name: string, value: unknown) => ({ type: { name }, value });

/** Suspends the wallet and sends a transfer, which is then not signed. */
async function addUnsigned(side: Side): Promise<string> {
  const { api, walletId } = side;
  await api.call('POST', '/v1/ledger-ops/suspensions', { walletId, reason: 'Maintenance.' });
  const { actionId = '' } = await api.expect(
    201,
    'POST',
    '/v1/ledger-ops/send',
    transferBody(walletId, nobody),
  );
  return actionId;
}

/** Simulates what the engine stores if a wallet has an unknown transaction. */
async function addUnknown({ here, walletId }: Side): Promise<string> {
  await here.server.store.transaction((tx) =>
    tx.run(
      `INSERT INTO unknown_transaction (chain, address, name, sequence, tx_id, found_at)
        SELECT DISTINCT chain, address, 'nonce:0', 0, $2, 1 FROM action WHERE wallet_uid IN
          (SELECT uid FROM wallet WHERE wallet_id = $1) ON CONFLICT DO NOTHING`,
      [walletId, `0x${'1'.repeat(64)}`],
    ),
  );
  return '';
}

/** Suspends a wallet whose unsigned action an unknown transaction may have executed. Returns the suspension's id. */
async function suspendDoubtful(side: Side): Promise<string> {
  await addUnsigned(side);
  await addUnknown(side);
  const { suspensions } = await side.api.expect<{
    suspensions: { suspensionId: string; walletId?: string }[];
  }>(...([200, 'GET', '/v1/ledger-ops/suspensions?size=100'] as const));
  return suspensions.find(({ walletId }) => walletId === side.walletId)?.suspensionId ?? '';
}

const addPlugin =
  (active: boolean) =>
  async ({ api, projectId, plugin }: Side) => {
    const body = { name: unique('p'), url: plugin };
    const { id = '' } = await api.expect(201, 'POST', '/v1/plugins', {
      ...body,
      projectId,
      tags: [unique('t')],
    });
    if (!active) await api.expect(200, 'PUT', `/v1/plugins/${id}`, { ...body, active });
    return id;
  };

/** Operations that contact a ledger's nodes. */
export const nodeCalls: readonly StalledCall[] = [
  { operationId: 'getWallet', call: ({ walletId }) => ['GET', `/v1/cloud-wallet/wallets/${walletId}`] },
  {
    operationId: 'createWallet',
    call: ({ ledgerId }) => [
      'POST',
      '/v1/cloud-wallet/wallets',
      { walletId: unique('w'), ledgerId, pluginParameters: { walletPassword } },
    ],
  },
  {
    operationId: 'emulate',
    call: (side) => ['POST', '/v1/ledger-ops/emulate', { walletId: side.walletId, glo: contractCall(side) }],
  },
  {
    operationId: 'gatewayEmulate',
    call: ({ contractId }) => [
      'POST',
      '/v1/gateway/emulations',
      { instanceId: contractId, methodName: 'totalSupply', args: [] },
    ],
  },
  {
    operationId: 'gatewaySearchTransaction',
    refusal: 404,
    call: ({ ledgerId }) => [
      'GET',
      `/v1/gateway/transactions?ledgerId=${ledgerId}&locator=0x${'1'.repeat(64)}&withReceipt=false`,
    ],
  },
  {
    operationId: 'getPluginSelection',
    call: ({ ledgerId }) => ['GET', `/v1/plugins/selection?ledgerId=${ledgerId}`],
  },
  {
    operationId: 'callContractMethod',
    call: (side) => ['POST', `${contractPath(side)}/methods/totalSupply`, {}],
  },
  {
    operationId: 'registerContract',
    call: ({ groupId, ledgerId, contractAddress }) => [
      'POST',
      `/v1/contract-groups/${groupId}/instances`,
      {
        ledgerReference: { ledgerId, nativeReference: contractAddress },
        interface: tokenTemplate.interface,
      },
    ],
  },
  {
    operationId: 'createContractSubscription',
    call: ({ contractId }) => ['POST', '/v1/contract-subscriptions', { contractId, events: ['Transfer'] }],
  },
  {
    operationId: 'listActionContractEvents',
    call: ({ actionId }) => ['GET', `/v1/ledger-ops/actions/${actionId}/contract-events`],
  },
  {
    operationId: 'adminCreateLedger',
    call: ({ node }) => [
      'POST',
      '/v1/admin/ledgers',
      { ledgerId: unique('l'), name: 'L', technology: 'ethereum', nodes: [{ uri: node }] },
    ],
  },
  {
    operationId: 'adminCreateNode',
    call: ({ node, ledgerId }) => [
      'POST',
      '/v1/admin/nodes',
      { nodeId: unique('n'), ledgerId, name: 'N', uri: node },
    ],
  },
  {
    operationId: 'adminUpdateNode',
    call: ({ name, node }) => ['PUT', `/v1/admin/nodes/${name}-node`, { uri: `${node}/` }],
  },
  {
    operationId: 'createLedger',
    call: ({ node }) => [
      'POST',
      '/v1/ledgers',
      {
        ...{ ledgerID: unique('l'), name: 'L', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
        nodes: [{ nodeID: unique('n'), options: { uri: node } }],
      },
    ],
  },
  {
    operationId: 'createNode',
    call: ({ node, ledgerId }) => [
      'POST',
      '/v1/nodes',
      { nodeID: unique('n'), ledgerID: ledgerId, options: { uri: node } },
    ],
  },
  {
    operationId: 'updateNode',
    call: ({ name, node }) => ['PUT', `/v1/nodes/${name}-node`, { options: { uri: `${node}/` } }],
  },
  {
    operationId: 'send',
    call: ({ walletId }) => ['POST', '/v1/ledger-ops/send', transferBody(walletId, nobody)],
  },
  {
    operationId: 'sendBatch',
    call: ({ walletId }) => [
      'POST',
      '/v1/ledger-ops/batch',
      { operations: [transferBody(walletId, nobody)] },
    ],
  },
  {
    operationId: 'contractCall',
    call: (side) => ['POST', '/v1/ledger-ops/contract/call', { ...walletOf(side), glo: contractCall(side) }],
  },
  {
    operationId: 'contractCallAlternative',
    call: (side) => [
      'POST',
      '/v1/ledger-ops/contract-call',
      {
        ...{ contractId: side.contractId, method: 'transfer', params: [{ value: nobody }, { value: 1 }] },
        options: { service: walletOf(side), plugin: '' },
      },
    ],
  },
  {
    operationId: 'ledgerCall',
    call: (side) => [
      'POST',
      '/v1/ledger-ops/ledger-call',
      {
        ...{ ledgerId: side.ledgerId, method: 'contract_call', options: { service: walletOf(side) } },
        params: Object.entries(contractCall(side).options).map(([name, value]) => ({ name, value })),
      },
    ],
  },
  {
    operationId: 'deploySmartContract',
    call: (side) => [
      'POST',
      '/v1/smart-contracts/deployments',
      {
        ...{ ...walletOf(side), templateId: side.templateId, tag: '1', args: ['T', 'T', '9'] },
        ledgerId: side.ledgerId,
      },
    ],
  },
  {
    operationId: 'sendTransaction',
    call: ({ walletId }) => [
      'POST',
      '/v1/cloud-wallet/transactions',
      {
        ...{ actionId: randomUUID(), wallet: walletId, glo: transferBody(walletId, nobody).glo },
        pluginParams: { walletPassword },
      },
    ],
  },
  {
    operationId: 'gatewaySendAction',
    call: (side) => ['POST', '/v1/gateway/actions', { ...walletOf(side), glo: contractCall(side) }],
  },
  {
    operationId: 'cancelAction',
    prepare: addUnsigned,
    call: (_, actionId) => ['POST', `/v1/ledger-ops/actions/${actionId}/cancel`, {}],
  },
  {
    operationId: 'markExecuted',
    refusal: 400,
    prepare: addUnsigned,
    call: (_, actionId) => [
      'POST',
      `/v1/ledger-ops/actions/${actionId}/executed`,
      { txId: `0x${'1'.repeat(64)}` },
    ],
  },
  {
    operationId: 'gatewaySendPluginAction',
    call: (side) => [
      'POST',
      '/v1/gateway/plugin-actions',
      {
        ...{ ledger: 'ethereum', ledgerId: side.ledgerId, pluginId: 'ethereum', dependencies: [] },
        ...{ wallet: side.walletId, walletId: side.walletId, pluginSecrets: { walletPassword } },
        glo: contractCall(side),
      },
    ],
  },
  {
    operationId: 'setWalletExclusive',
    prepare: async ({ api, walletId }) => {
      await api.expect(200, 'PUT', `/v1/cloud-wallet/wallets/${walletId}/exclusive`, { exclusive: false });
      return '';
    },
    call: ({ walletId }) => ['PUT', `/v1/cloud-wallet/wallets/${walletId}/exclusive`, { exclusive: true }],
  },
  ...['/v1/ledger-ops', '/v1/ledger/ops'].map((root, at) => ({
    operationId: at === 0 ? 'searchWallet' : 'legacySearchWallet',
    call: ({ walletId }: Side) => ['GET', `${root}/search/wallets/${walletId}/actions`] as const,
  })),
  // Runs last, because afterwards the wallet has an unknown transaction.
  {
    operationId: 'listUnknownTransactions',
    prepare: addUnknown,
    call: ({ walletId }) => ['GET', `/v1/cloud-wallet/wallets/${walletId}/unknown-transactions`],
  },
  {
    operationId: 'resume',
    refusal: 409,
    prepare: suspendDoubtful,
    call: (_, suspensionId) => ['DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`],
  },
];

/** Operations that contact the plugin of a ledger or a technology to read the plugin's description. */
export const pluginCalls: readonly StalledCall[] = [
  { operationId: 'getContractDocument', call: (side) => ['GET', `${contractPath(side)}/openapi.json`] },
  { operationId: 'listContractMethods', call: (side) => ['GET', `${contractPath(side)}/methods`] },
  {
    operationId: 'updateContract',
    call: (side) => ['PUT', contractPath(side), { interface: tokenTemplate.interface }],
  },
  {
    operationId: 'getTemplateConstructor',
    call: ({ templateId }) => ['GET', `/v1/contract-templates/${templateId}/versions/1/constructor`],
  },
  {
    operationId: 'createContractTemplateVersion',
    refusal: 400,
    call: ({ templateId }) => [
      'POST',
      `/v1/contract-templates/${templateId}/versions`,
      {
        ...{ version: unique('v'), technology: 'ethereum' },
        code: { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code },
      },
    ],
  },
  {
    operationId: 'createSpecification',
    refusal: 400,
    call: ({ templateId }) => [
      'POST',
      `/v1/smart-contracts/templates/${templateId}/specifications`,
      {
        ...{ tag: unique('v'), ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
        compilationSpecification: { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code },
      },
    ],
  },
  {
    operationId: 'updateContractSubscription',
    call: ({ subscriptionId }) => [
      'PUT',
      `/v1/contract-subscriptions/${subscriptionId}`,
      { events: ['Transfer'] },
    ],
  },
  {
    operationId: 'updateSmartContractProperties',
    call: ({ contractId, contractAddress }) => [
      'PUT',
      `/v1/smart-contracts/${contractId}/properties`,
      { properties: [property('address', contractAddress)] },
    ],
  },
  {
    operationId: 'registerSmartContract',
    call: ({ ledgerId, templateId, contractAddress }) => [
      'POST',
      '/v1/smart-contracts',
      {
        ...{ ledgerID: ledgerId, name: 'C', properties: [property('address', contractAddress)] },
        contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: templateId } },
      },
    ],
  },
  {
    operationId: 'adminUpdateLedger',
    refusal: 409,
    call: ({ ledgerId }) => [
      'PUT',
      `/v1/admin/ledgers/${ledgerId}`,
      { properties: { polling_interval: 500 } },
    ],
  },
  {
    operationId: 'updateLedger',
    refusal: 409,
    call: ({ ledgerId }) => [
      'PUT',
      `/v1/ledgers/${ledgerId}`,
      { properties: [property('polling_interval', 500)] },
    ],
  },
  {
    operationId: 'createPlugin',
    call: ({ projectId, plugin }) => [
      'POST',
      '/v1/plugins',
      { name: unique('p'), projectId, url: plugin, tags: [unique('t')] },
    ],
  },
  {
    operationId: 'legacyCreatePlugin',
    call: ({ projectId, plugin }) => [
      'POST',
      '/v1/legacy-plugins',
      { name: unique('p'), project: projectId, pluginURL: plugin, tags: [{ name: unique('t') }] },
    ],
  },
  {
    operationId: 'updatePlugin',
    prepare: addPlugin(false),
    call: ({ plugin }, pluginId) => [
      'PUT',
      `/v1/plugins/${pluginId}`,
      { name: 'P', url: plugin, active: true },
    ],
  },
  {
    operationId: 'legacyUpdatePlugin',
    prepare: addPlugin(true),
    call: ({ plugin }, pluginId) => [
      'PUT',
      `/v1/legacy-plugins/${pluginId}`,
      { name: 'P', pluginURL: `${plugin}/other` },
    ],
  },
];

/** Operations that open a ledger, but send no requests for the ledgers of this test, with the reason. */
export const withoutRequests: Readonly<Record<string, string>> = {
  hurryAction: 'opens the ledger through the plugin that signed the action; remote plugins sign none',
};

/** Operations that contact receivers of webhooks. */
export const receiverCalls: readonly StalledCall[] = [
  { operationId: 'testWebhook', call: ({ webhookId }) => ['POST', `/v1/webhooks/${webhookId}/test`] },
];

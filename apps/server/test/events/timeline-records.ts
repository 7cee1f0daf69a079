import { randomUUID } from 'node:crypto';
import { tokenTemplate } from '@ledger-ops/devnet';
import { addWallet, ended, transferBody } from '../stage/api.ts';
import { type Ground, password, pluginUrl, type Step, stepKit } from './timeline-steps.ts';

const newPassword = 'another horse battery staple';
const receiver = '0x00000000000000000000000000000000000000aa';
const deployed = '0x00000000000000000000000000000000000000bb';

/** Calls on plugins, ledgers, contracts and a wallet. */
export async function recordSteps(ground: Ground): Promise<Step[]> {
  const { api, here, tenant, made, step, on, creates, sends } = stepKit(ground);
  await here.anvil.rpc('anvil_setCode', [deployed, '0x00']);
  const wallet = { walletId: 'alice', walletPassword: password };
  const service = { ...wallet, dependencies: [], intent: null };
  const older = {
    type: 'contract_call',
    params: { contractInstance: deployed, methodName: 'transfer(address,uint256)', args: [receiver, '1'] },
  };
  const group = () => `/v1/contract-groups/${made.registerContractGroup}`;
  const instance = () => `${group()}/instances/${made.registerContract}`;
  const templates = '/v1/smart-contracts/templates';

  /** Sends an action and cancels it before its block is mined. */
  async function sendHasty(): Promise<void> {
    await api.expect(201, 'POST', '/v1/ledgers', {
      ...{ ledgerID: 'patient', name: 'Patient', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
      properties: [{ type: { name: 'replace_after' }, value: 3600 }],
      nodes: [{ nodeID: 'patient-node', options: { uri: here.anvil.url } }],
    });
    const { walletAddress } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId: 'hasty', ledgerId: 'patient', pluginParameters: { walletPassword: password } },
    });
    await here.anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
    await here.anvil.rpc('evm_setIntervalMining', [0]);
    const sent = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('hasty', receiver));
    made.hasty = sent.actionId ?? '';
  }

  /** Adds a step that calls a webhook operation. Its timeline record must belong to the project. */
  const onWebhook = (
    operationId: string,
    action: string,
    status: number,
    [method, path, body]: [string, string, object?],
  ) =>
    step(operationId, [action], async () => {
      const { id = '', secret } = await api.expect(
        status,
        method,
        `/v1/webhooks${webhookPath()}${path}`,
        body,
      );
      made.webhook ||= id;
      return { resource: tenant.projectId, secrets: [secret] };
    });
  /** Adds a step that calls an operation on contract subscriptions. Its timeline record must belong to the project. */
  const onSubscription = (
    operationId: string,
    action: string,
    status: number,
    [method, body]: [string, (() => object)?],
  ) =>
    step(operationId, [action], async () => {
      const path = made.subscription === undefined ? '' : `/${made.subscription}`;
      const { id = '' } = await api.expect(status, method, `/v1/contract-subscriptions${path}`, body?.());
      made.subscription ||= id;
      return { resource: tenant.projectId };
    });
  const webhookPath = () => (made.webhook === undefined ? '' : `/${made.webhook}`);

  return [
    onWebhook('createWebhook', 'create', 201, ['POST', '', { url: 'http://127.0.0.1:1/' }]),
    onWebhook('updateWebhook', 'update', 200, ['PUT', '', { description: 'mine' }]),
    onWebhook('rotateWebhookSecret', 'rotate', 201, ['POST', '/secret']),
    onWebhook('testWebhook', 'test', 200, ['POST', '/test']),
    onWebhook('replayWebhook', 'replay', 204, ['POST', '/replay', { from: new Date().toISOString() }]),
    onWebhook('deleteWebhook', 'delete', 204, ['DELETE', '']),
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
    ...[
      [201, 'Create', 'Ledger', { ledgerId: 'current', name: 'C', technology: 'ethereum' }],
      [200, 'Update', 'Ledger', { name: 'D' }],
      [201, 'Create', 'Node', { nodeId: 'current', ledgerId: 'current', uri: here.anvil.url }],
      [200, 'Update', 'Node', { name: 'D' }],
      [201, 'Create', 'Explorer', { explorerId: 'current', ledgerId: 'current', name: 'C' }],
      [200, 'Update', 'Explorer', { name: 'D' }],
      [204, 'Delete', 'Explorer', undefined],
      [204, 'Delete', 'Node', undefined],
      [204, 'Delete', 'Ledger', undefined],
    ].map(([status, verb, kind, body]) =>
      step(`admin${verb}${kind}`, [String(verb).toLowerCase(), 'ledger-nodes'], async () => {
        const method = { 200: 'PUT', 201: 'POST', 204: 'DELETE' }[Number(status)] ?? '';
        const path = `/v1/admin/${String(kind).toLowerCase()}s${status === 201 ? '' : '/current'}`;
        await api.expect(Number(status), method, path, body);
        return { resource: 'current' };
      }),
    ),
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
    step('createContractTemplate', ['create', 'older-contract-registry'], async () => {
      const body = { templateId: 'shell', name: 'Shell' };
      const { templateId = '' } = await api.expect(201, 'POST', '/v1/contract-templates', body);
      return { resource: templateId };
    }),
    step('createContractTemplateVersion', ['create-version', 'older-contract-registry'], async () => {
      const abi = JSON.parse(tokenTemplate.interface);
      const body = { version: '1', code: { abi, bytecode: tokenTemplate.code } };
      await api.expect(201, 'POST', '/v1/contract-templates/shell/versions', body);
      return { resource: 'shell' };
    }),
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
      'sendBatch',
      () => '/v1/ledger-ops/batch',
      () => ({ operations: [transferBody('alice', receiver)] }),
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

    step('hurryAction', ['hurry'], async () => {
      await sendHasty();
      await api.expect(202, 'POST', `/v1/ledger-ops/actions/${made.hasty}/hurry`);
      return { resource: 'hasty' };
    }),
    step('cancelAction', ['cancel'], async () => {
      await api.expect(202, 'POST', `/v1/ledger-ops/actions/${made.hasty}/cancel`);
      await here.anvil.rpc('evm_setIntervalMining', [1]);
      await ended(api, made.hasty ?? '');
      return { resource: 'hasty' };
    }),
    step('suspend', ['suspend'], async () => {
      const body = { walletId: 'alice', reason: 'Its password may be known.' };
      const { suspensionId } = await api.expect(201, 'POST', '/v1/ledger-ops/suspensions', body);
      made.suspension = suspensionId ?? '';
      return { resource: 'alice' };
    }),
    step('markExecuted', ['mark-executed'], async () => {
      const { walletAddress: from } = await api.expect(200, 'GET', '/v1/cloud-wallet/wallets/alice');
      const { actionId } = await api.expect(
        201,
        'POST',
        '/v1/ledger-ops/send',
        transferBody('alice', receiver),
      );
      await here.anvil.rpc('anvil_impersonateAccount', [from]);
      const transaction = { from, to: receiver, value: '0x1' };
      const txId = await here.anvil.rpc<string>('eth_sendTransaction', [transaction]);
      await here.anvil.rpc('anvil_mine', ['0x10']);
      await api.expect(200, 'POST', `/v1/ledger-ops/actions/${actionId}/executed`, { txId });
      return { resource: 'alice' };
    }),
    step('releaseAction', ['release'], async () => {
      const sent = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('alice', receiver));
      // Simulates what the engine stores if a wallet has an unknown transaction.
      await here.server.store.transaction((tx) =>
        tx.run(
          `INSERT INTO unknown_transaction (chain, address, name, sequence, tx_id, found_at)
            SELECT chain, address, 'nonce:0', 0, NULL, $2 FROM action WHERE id = $1`,
          [sent.actionId ?? '', Date.now()],
        ),
      );
      const { transactions } = await api.expect<{ transactions: { id: string }[] }>(
        200,
        'GET',
        '/v1/cloud-wallet/wallets/alice/unknown-transactions',
      );
      await api.expect(200, 'POST', `/v1/ledger-ops/actions/${sent.actionId}/release`, {
        transactions: transactions.map(({ id }) => id),
      });
      return { resource: 'alice' };
    }),
    on('resume', 'resume', () => 'alice', [
      204,
      'DELETE',
      () => `/v1/ledger-ops/suspensions/${made.suspension}`,
    ]),
    on('exportWallet', 'export', () => 'alice', [
      200,
      'POST',
      () => '/v1/cloud-wallet/wallets/alice/export',
      () => ({ walletPassword: password }),
    ]),
    step('setWalletExclusive', ['update'], async () => {
      await api.expect(200, 'PUT', '/v1/cloud-wallet/wallets/alice/exclusive', { exclusive: false });
      return { resource: 'alice' };
    }),
    step('changeWalletPassword', ['change-password'], async () => {
      const body = { walletPassword: password, newPassword };
      await api.expect(204, 'PUT', '/v1/cloud-wallet/wallets/alice/password', body);
      return { resource: 'alice', secrets: [password, newPassword] };
    }),
    onSubscription('createContractSubscription', 'create', 201, [
      'POST',
      () => ({ contractId: made.registerContract }),
    ]),
    onSubscription('updateContractSubscription', 'update', 200, ['PUT', () => ({ events: ['Transfer'] })]),
    onSubscription('deleteContractSubscription', 'delete', 204, ['DELETE']),
    on('deleteContract', 'delete', () => made.registerContract, [204, 'DELETE', instance]),
    on('deleteContractGroup', 'delete', () => made.registerContractGroup, [204, 'DELETE', group]),
    step('deletePlugin', ['delete'], async () => {
      // Deletes a spare plugin, because the registered one serves the wallet.
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

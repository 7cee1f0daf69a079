// A contract on a ledger of a remote plugin: its events are delivered, and the plugin's requests to nodes are counted.
import { type Anvil, startAnvil, tokenTemplate } from '@ledger-ops/devnet';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TestPlugin } from '../../../../packages/cloud-wallet/test/test-plugin.ts';
import { startReceiver } from '../events/receiver.ts';
import {
  addTenant,
  addTokenTemplate,
  ended,
  type Installation,
  install,
  nobody,
  type Tenant,
} from '../stage/api.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const ledgerID = 'far';
const wallet = { walletId: 'owner', walletPassword: 'correct horse battery staple' };
const stack = new AsyncDisposableStack();

let anvil: Anvil;
let here: Installation;
let tenant: Tenant;

beforeAll(async () => {
  anvil = await startAnvil();
  stack.defer(() => anvil.stop());
  const plugin = new TestPlugin(ethereumAdapter, {
    ...{ ledgerId: ledgerID, technology: 'ethereum' },
    properties: { chain_id: 31_337, development: true, polling_interval: 50 },
    nodes: [{ nodeId: 'node', uri: anvil.url, properties: {} }],
  });
  await plugin.start();
  stack.defer(() => plugin.close());
  const quick = { look: 20, poll: 20, again: { first: 20, longest: 100 } };
  here = await install({ METRICS_PORT: '0', PLUGINS_ALLOWED: plugin.url }, [], {}, { look: 20 }, quick);
  stack.defer(() => here.close());
  tenant = await addTenant(here.url, here.administrator, 'one');
  const { api, projectId } = tenant;
  await api.expect(201, 'POST', '/v1/plugins', {
    ...{ name: 'far', projectId, url: plugin.url, tags: ['ethereum', 'far'] },
  });
  await api.expect(201, 'POST', '/v1/ledgers', {
    ...{ ledgerID, name: ledgerID, projectId, ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
    properties: [
      { type: { name: 'plugin_tags' }, value: ['far'] },
      { type: { name: 'polling_interval' }, value: 50 },
    ],
  });
  const { walletAddress } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: wallet.walletId, ledgerId: ledgerID },
    pluginParameters: { walletPassword: wallet.walletPassword },
  });
  await anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
});
afterAll(() => stack.disposeAsync());

test('contract events arrive once and decoded, and requests to nodes appear in the metrics', async () => {
  const { api } = tenant;
  await addTokenTemplate(api, 'coin-template');
  const { id: deployment = '' } = await api.expect(201, 'POST', '/v1/smart-contracts/deployments', {
    ...{ ...wallet, ledgerId: ledgerID, templateId: 'coin-template', tag: '1' },
    args: ['Token', 'TOK', '1000'],
  });
  const { contractAddress: nativeReference = '' } = await ended(api, deployment);
  const { groupId = '' } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'tokens' });
  const { contractId = '' } = await api.expect(201, 'POST', `/v1/contract-groups/${groupId}/instances`, {
    interface: tokenTemplate.interface,
    ledgerReference: { ledgerId: ledgerID, nativeReference },
  });
  const receiver = await startReceiver();
  stack.defer(() => receiver.close());
  const webhook = await api.expect(201, 'POST', '/v1/webhooks', {
    ...{ url: receiver.url, types: ['contract.event'] },
  });
  receiver.secret = webhook.secret ?? '';
  const { id = '' } = await api.expect(201, 'POST', '/v1/contract-subscriptions', {
    ...{ contractId, events: ['Transfer'], fromBlock: 0 },
  });
  for (const amount of ['1', '2']) {
    const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', {
      ...wallet,
      glo: {
        ...{ version: '0.1.0', type: 'contract_call' },
        options: {
          contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: contractId },
          ...{ method_name: 'transfer', args: [nobody, amount] },
        },
      },
    });
    await ended(api, actionId);
  }
  await vi.waitFor(() => expect(receiver.received).toHaveLength(3), 30_000);
  expect(receiver.received.map(({ data }) => data.args?.value)).toEqual(['1000', '1', '2']);
  expect(receiver.received[2]).toMatchObject({
    data: { subscriptionId: id, ledgerId: ledgerID, contractAddress: nativeReference, name: 'Transfer' },
  });

  await vi.waitFor(async () => {
    const text = await (await fetch(here.server.metricsUrl ?? '')).text();
    const countOf = (method: string) => {
      const series = `ledger_ops_node_request_seconds_count{ledger="${ledgerID}",method="${method}",result="ok"}`;
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.slice(series.length + 1),
      );
    };
    // The plugin reports the requests with statuses and with pages of events. The deployment and two
    // transfers were sent, on a busy machine several times.
    expect(countOf('eth_sendRawTransaction')).toBeGreaterThanOrEqual(3);
    expect(countOf('eth_getLogs')).toBeGreaterThan(0);
  }, 30_000);
});

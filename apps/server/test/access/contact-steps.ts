// Calls operations that contact a ledger or a plugin. The calls that show permissions do not cover these.
import { tokenTemplate } from '@ledger-ops/devnet';
import { expect } from 'vitest';
import {
  addProject,
  addTokenTemplate,
  addWallet,
  ended,
  nobody,
  send,
  type Tenant,
  transferBody,
} from '../stage/api.ts';
import type { PermissionGround } from './permission-steps.ts';

const walletPassword = 'correct horse battery staple';

export async function contactOthers({
  here,
  tenant,
}: Pick<PermissionGround, 'here' | 'tenant'>): Promise<void> {
  await changeLedgers({ here, tenant });
  await addWallet(here, tenant, 'caller');
  await useContract(tenant);
  await receive({ here, tenant });
  await changeActions({ here, tenant });
}

type Ground = Pick<PermissionGround, 'here' | 'tenant'>;

/**
 * Adds calls about nodes and properties. Nodes are queried before they are recorded; the ledger's plugin
 * validates properties.
 */
async function changeLedgers({ here, tenant: { api } }: Ground): Promise<void> {
  const { url } = here.anvil;
  const ledger = '/v1/admin/ledgers';
  const nodes = [{ nodeId: 'queried', uri: url }];
  const properties = { chain_id: 31_337, replace_after: 0 };
  await api.expect(201, 'POST', ledger, { ledgerId: 'queried', name: 'Q', technology: 'ethereum', nodes });
  await api.expect(200, 'PUT', `${ledger}/queried`, { properties });
  await api.expect(200, 'PUT', '/v1/ledgers/queried', {
    properties: Object.entries(properties).map(([name, value]) => ({ type: { name }, value })),
  });
  await api.expect(200, 'PUT', '/v1/admin/nodes/queried', { uri: `${url}/?first` });
  await api.expect(200, 'PUT', '/v1/nodes/queried', { options: { uri: `${url}/?second` } });
}

async function useContract({ api }: Tenant): Promise<void> {
  const wallet = { walletId: 'caller', walletPassword };
  await addTokenTemplate(api, 'called');
  const { id = '' } = await api.expect(201, 'POST', '/v1/smart-contracts/deployments', {
    ...{ ...wallet, templateId: 'called', tag: '1', args: ['T', 'T', '900'], ledgerId: 'chain' },
  });
  const { contractAddress } = await ended(api, id);
  const { groupId } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'Called' });
  const { contractId } = await api.expect(201, 'POST', `/v1/contract-groups/${groupId}/instances`, {
    interface: tokenTemplate.interface,
    ledgerReference: { ledgerId: 'chain', nativeReference: contractAddress },
  });
  const methods = `/v1/contract-groups/${groupId}/instances/${contractId}/methods`;
  const { actionId = '' } = await api.expect(201, 'POST', `${methods}/transfer`, {
    ...{ ...wallet, arguments: [nobody, '1'] },
  });
  await ended(api, actionId);
  await api.expect(200, 'GET', `/v1/ledger-ops/actions/${actionId}/contract-events`);
}

/**
 * Searches for an action on another ledger of the same chain. The ledger decides whether the action is shown
 * to a receiving wallet.
 */
async function receive({ here, tenant }: Ground): Promise<void> {
  const { api } = tenant;
  const other = await addProject(here.url, tenant, 'sender-elsewhere');
  await other.api.expect(201, 'POST', '/v1/admin/ledgers', {
    ...{ ledgerId: 'elsewhere', name: 'E', technology: 'ethereum', nodes: [{ uri: here.anvil.url }] },
  });
  const { walletAddress: payer } = await other.api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: 'payer', ledgerId: 'elsewhere', pluginParameters: { walletPassword } },
  });
  await here.anvil.rpc('anvil_setBalance', [payer, '0x56BC75E2D63100000']);
  const { walletAddress = '' } = await api.expect(200, 'GET', '/v1/cloud-wallet/wallets/caller');
  const sent = await other.api.expect(
    201,
    'POST',
    '/v1/ledger-ops/send',
    transferBody('payer', walletAddress),
  );
  await ended(other.api, sent.actionId ?? '');
  await api.expect(200, 'GET', '/v1/ledger-ops/search/wallets/caller/actions');
  await api.expect(200, 'GET', '/v1/ledger/ops/search/wallets/caller/actions');
}

/** Uses a suspended exclusive wallet, and a wallet whose transactions the server does not replace. */
async function changeActions({ here, tenant }: Ground): Promise<void> {
  const { api } = tenant;
  const exclusive = '/v1/cloud-wallet/wallets/caller/exclusive';
  for (const value of [false, true]) await api.expect(200, 'PUT', exclusive, { exclusive: value });
  const suspensions = '/v1/ledger-ops/suspensions';
  const { suspensionId } = await api.expect(201, 'POST', suspensions, {
    walletId: 'caller',
    reason: 'Test.',
  });
  const unsigned = await send(tenant, 'caller');
  await api.expect(200, 'POST', `/v1/ledger-ops/actions/${unsigned}/cancel`);
  await api.expect(204, 'DELETE', `${suspensions}/${suspensionId}`);
  const { walletAddress } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId: 'unreplaced', ledgerId: 'queried', pluginParameters: { walletPassword } },
  });
  await here.anvil.rpc('anvil_setBalance', [walletAddress, '0x56BC75E2D63100000']);
  await here.anvil.rpc('evm_setAutomine', [false]);
  try {
    const signed = await send(tenant, 'unreplaced');
    const path = `/v1/ledger-ops/actions/${signed}`;
    const stage = async () =>
      (await api.expect<{ pending?: { stage: string } }>(200, 'GET', path)).pending?.stage;
    await expect.poll(stage, { timeout: 60_000 }).toBe('signed');
    await api.expect(202, 'POST', `${path}/hurry`, { walletPassword });
  } finally {
    await here.anvil.rpc('evm_setAutomine', [true]);
    await here.anvil.rpc('anvil_mine', ['0x1']);
  }
}

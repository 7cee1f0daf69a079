// Reading a ledger under its own identity requires a permission. Visibility of the ledger is not enough.
import { tokenTemplate } from '@ledger-ops/devnet';
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
let tenant: Tenant;
/** A caller in the tenant's project and application without any role. */
let nobody: Api;
/** A caller that has a role only on the wallet. */
let holder: Api;
/** A caller whose role on the project grants visibility. */
let viewer: Api;
let ids: { txId: string; contractId: string; groupId: string };

const { glo } = transferBody('payer', '0x00000000000000000000000000000000000000aa');

async function addAccount(accountId: string, role?: { name: string; resourceUUID: string }): Promise<Api> {
  const { api } = tenant;
  const account = await api.expect(201, 'POST', '/v1/service-accounts', { name: accountId, accountId });
  const { apiToken = '' } = await api.expect(201, 'POST', `/v1/service-accounts/${accountId}/api-tokens`);
  if (role !== undefined) {
    const { name, resourceUUID } = role;
    await api.expect(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
      ...{ identity: { serviceId: account.serviceId }, resource: { resourceUUID }, role: { name } },
    });
  }
  return await logIn(here.url, { ...tenant, accountId, apiToken });
}

beforeAll(async () => {
  here = await install();
  tenant = await addTenant(here.url, here.administrator, 'one');
  const { api } = tenant;
  await addWallet(here, tenant, 'payer');
  const to = '0x00000000000000000000000000000000000000aa';
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('payer', to));
  const { txId = '' } = await ended(api, actionId);
  const deployed = '0x00000000000000000000000000000000000000bb';
  await here.anvil.rpc('anvil_setCode', [deployed, `0x${'00'.repeat(4)}`]);
  const { groupId = '' } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'G' });
  const { contractId = '' } = await api.expect(201, 'POST', `/v1/contract-groups/${groupId}/instances`, {
    interface: tokenTemplate.interface,
    ledgerReference: { ledgerId: 'chain', nativeReference: deployed },
  });
  ids = { txId, contractId, groupId };
  const [wallet] = await here.server.store.read.all<{ uid: string }>('SELECT uid FROM wallet');
  nobody = await addAccount('nobody');
  holder = await addAccount('holder', { name: 'viewer', resourceUUID: wallet?.uid ?? '' });
  viewer = await addAccount('viewer', { name: 'viewer', resourceUUID: tenant.projectUuid });
});
afterAll(() => here?.close());

describe('a ledger of the deployer, visible to every account', () => {
  const emulate = '/v1/ledger-ops/emulate';
  const transaction = () => `/v1/gateway/transactions?ledgerId=chain&locator=${ids.txId}&withReceipt=true`;

  test('reading under the ledger’s own identity requires ledger:read on the ledger or its project', async () => {
    await nobody.expect(200, 'GET', '/v1/ledgers/chain');
    for (const stranger of [nobody, holder]) {
      const refused = await stranger.call('POST', emulate, { ledgerId: 'chain', glo });
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('ledger:read')]);
      expect((await stranger.call('GET', transaction())).status).toBe(403);
    }
    await viewer.expect(200, 'POST', emulate, { ledgerId: 'chain', glo });
    await viewer.expect(200, 'GET', transaction());
  });

  test('reading through a wallet requires access to the wallet', async () => {
    await holder.expect(200, 'POST', emulate, { walletId: 'payer', glo });
    expect((await nobody.call('POST', emulate, { walletId: 'payer', glo })).status).toBe(404);
  });

  test('reading through a contract requires ledger:read in addition to access to the contract', async () => {
    const { contractId, groupId } = ids;
    const [contract] = await here.server.store.read.all<{ uid: string }>('SELECT uid FROM contract');
    const reader = await addAccount('reader', { name: 'viewer', resourceUUID: contract?.uid ?? '' });
    const body = { instanceId: contractId, methodName: 'totalSupply', args: [] };
    const method = `/v1/contract-groups/${groupId}/instances/${contractId}/methods/totalSupply`;
    for (const [path, sent] of [
      ['/v1/gateway/emulations', body],
      [method, {}],
    ] as const) {
      const refused = await reader.call('POST', path, sent);
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('ledger:read')]);
      expect((await viewer.call('POST', path, sent)).status).not.toBe(403);
    }
  });

  test('emulating a call to a registered contract uses the contract’s ledger, and requires access to both', async () => {
    const call = (type: 'service' | 'ledger', resource: string) => ({
      ...{ version: '0.1.0', type: 'contract_call' },
      options: {
        contract_instance: {
          lookup_service: { type, value: type === 'service' ? 'service' : 'ethereum' },
          resource,
        },
        ...{ method_name: 'totalSupply', args: [] },
      },
    });
    const asked = { glo: call('service', ids.contractId) };
    expect((await viewer.call('POST', emulate, asked)).text).not.toMatch(/walletId|ledgerId/);
    const contracts = await here.server.store.read.all<{ uid: string }>('SELECT uid FROM contract');
    const reader = await addAccount('sole-reader', {
      name: 'viewer',
      resourceUUID: contracts[0]?.uid ?? '',
    });
    const refused = await reader.call('POST', emulate, asked);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('ledger:read')]);
    expect((await nobody.call('POST', emulate, asked)).status).toBe(404);
    expect((await viewer.call('POST', emulate, { glo: call('service', 'action:none') })).status).toBe(404);
    const address = await viewer.call('POST', emulate, {
      glo: call('ledger', '0x00000000000000000000000000000000000000bb'),
    });
    expect([address.status, address.text]).toEqual([400, expect.stringContaining('/walletId')]);
  });

  test('permission to create contracts is not sufficient to read a contract’s interface from the ledger', async () => {
    const [group] = await here.server.store.read.all<{ uid: string }>(
      'SELECT group_id AS uid FROM contract_group',
    );
    const creator = await addAccount('creator', { name: 'operator', resourceUUID: group?.uid ?? '' });
    const contract = {
      interface: '[]',
      ledgerReference: { ledgerId: 'chain', nativeReference: '0x00000000000000000000000000000000000000bb' },
    };
    const refused = await creator.call('POST', `/v1/contract-groups/${ids.groupId}/instances`, contract);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('ledger:read')]);
  });

  test('a caller that may not use the wallet learns nothing about the ledger’s technology', async () => {
    const call = { type: 'contract_call', params: { args: [], contractInstance: 'x', methodName: 'f' } };
    const ask = async (ledgerId: string) =>
      await nobody.call('POST', '/v1/gateway/plugin-actions', {
        ...{
          ledger: 'hyperledger-fabric',
          ledgerId,
          wallet: 'payer',
          walletId: 'payer',
          glo: call,
          pluginId: 'any',
        },
        pluginSecrets: { walletPassword: 'correct horse battery staple' },
      });
    const [known, unknown] = [await ask('chain'), await ask('nothere')];
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
  });
});

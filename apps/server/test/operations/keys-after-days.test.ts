// If a request is sent again with its key after its stored response was deleted, the same action is returned.
// Tests every path that accepts operations.
import { tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pluginUrl } from '../events/timeline-steps.ts';
import { addTenant, addWallet, type Installation, install, type Tenant, transferBody } from '../stage/api.ts';

const walletPassword = transferBody('alice', '').walletPassword;
const receiver = '0x00000000000000000000000000000000000000aa';
const deployed = '0x00000000000000000000000000000000000000bb';
const wallet = { walletId: 'alice', walletPassword };
const service = { ...wallet, dependencies: [], intent: null };
const older = {
  type: 'contract_call',
  params: { contractInstance: deployed, methodName: 'transfer(address,uint256)', args: [receiver, '1'] },
};

let place: Installation;
let tenant: Tenant;
let ids: Record<'group' | 'contract' | 'plugin', string>;

beforeAll(async () => {
  place = await install({ PLUGINS_ALLOWED: pluginUrl });
  tenant = await addTenant(place.url, place.administrator, 'keys');
  await addWallet(place, tenant, 'alice');
  await place.anvil.rpc('anvil_setCode', [deployed, '0x00']);
  const { api, projectId } = tenant;
  const plugin = { name: 'P', projectId, url: pluginUrl, tags: ['ethereum'] };
  const { id = '' } = await api.expect(201, 'POST', '/v1/plugins', plugin);
  const { groupId = '' } = await api.expect(201, 'POST', '/v1/contract-groups', { name: 'G' });
  const { contractId = '' } = await api.expect(201, 'POST', `/v1/contract-groups/${groupId}/instances`, {
    ...{ interface: tokenTemplate.interface, name: 'C' },
    ledgerReference: { ledgerId: 'chain', nativeReference: deployed },
  });
  const templates = '/v1/contract-templates';
  await api.expect(201, 'POST', templates, { templateId: 'coin', name: 'Coin' });
  const code = { abi: JSON.parse(tokenTemplate.interface), bytecode: tokenTemplate.code };
  await api.expect(201, 'POST', `${templates}/coin/versions`, { version: '1', code });
  ids = { group: groupId, contract: contractId, plugin: id };
}, 180_000);
afterAll(() => place?.close());

const operations: readonly (readonly [path: string, body: () => object])[] = [
  ['/v1/ledger-ops/send', () => transferBody('alice', receiver)],
  ['/v1/ledger-ops/batch', () => ({ operations: [1, 2].map(() => transferBody('alice', receiver)) })],
  [
    '/v1/ledger-ops/contract/call',
    () => ({
      ...service,
      glo: {
        ...{ version: '0.1.0', type: 'contract_call' },
        options: {
          contract_instance: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: deployed },
          ...{ method_name: 'transfer(address,uint256)', args: [receiver, '1'] },
        },
      },
    }),
  ],
  [
    '/v1/ledger-ops/contract-call',
    () => ({
      ...{ contractId: ids.contract, method: 'transfer', options: { service, plugin: '' } },
      params: [{ value: receiver }, { value: 1 }],
    }),
  ],
  [
    '/v1/ledger-ops/ledger-call',
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
  ],
  [
    '/v1/contract-groups/{group}/instances/{contract}/methods/transfer',
    () => ({ ...wallet, arguments: [receiver, '1'] }),
  ],
  ['/v1/gateway/actions', () => ({ ...wallet, glo: older })],
  [
    '/v1/gateway/plugin-actions',
    () => ({
      ...{ wallet: 'alice', walletId: 'alice', ledger: 'ethereum', ledgerId: 'chain', pluginId: ids.plugin },
      ...{ pluginSecrets: { walletPassword }, glo: older, dependencies: [], intent: null, tag: null },
    }),
  ],
  [
    '/v1/smart-contracts/deployments',
    () => ({ ...wallet, templateId: 'coin', tag: '1', args: ['Coin', 'C', '1000'], ledgerId: 'chain' }),
  ],
];

test.each(operations)(
  'days later, POST %s with the same key returns the same response and accepts no other operation',
  async (template, body) => {
    const path = template.replace('{group}', ids.group).replace('{contract}', ids.contract);
    const request = body();
    const send = (content: object = request) =>
      tenant.api.call('POST', path, content, { 'Idempotency-Key': `days${template}` });
    const count = async () => (await place.server.store.read.all('SELECT id FROM action')).length;
    const before = await count();
    const first = await send();
    expect([path, first.status, first.text]).toEqual([path, 201, expect.any(String)]);
    const after = await count();
    expect(after).toBeGreaterThan(before);
    await place.server.store.transaction((tx) =>
      tx.run('UPDATE idempotency SET created_at = created_at - $1', [2 * 86_400_000]),
    );
    const again = await send();
    expect([path, again.status, again.body]).toEqual([path, 201, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await count()).toBe(after);
    const other = await send({ ...request, intent: crypto.randomUUID() });
    expect([path, other.status]).not.toEqual([path, 201]);
    expect(await count()).toBe(after);
  },
);

test('sending a cancellation again after days has no effect', async () => {
  const { api } = tenant;
  await place.anvil.rpc('evm_setIntervalMining', [0]);
  const first = await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody('alice', receiver));
  const body = { ...transferBody('alice', receiver), dependencies: [first.actionId] };
  const { actionId } = await api.expect(201, 'POST', '/v1/ledger-ops/send', body);
  const cancel = () =>
    api.call('POST', `/v1/ledger-ops/actions/${actionId}/cancel`, {}, { 'Idempotency-Key': 'cancel' });
  const canceled = await cancel();
  expect(canceled).toMatchObject({ status: 200, body: { status: 'FAILED' } });
  await place.server.store.transaction((tx) =>
    tx.run('UPDATE idempotency SET created_at = created_at - $1', [2 * 86_400_000]),
  );
  expect([200, 409]).toContain((await cancel()).status);
  expect(await api.expect(200, 'GET', `/v1/ledger-ops/search/actions/${actionId}`)).toMatchObject({
    status: 'FAILED',
  });
  await place.anvil.rpc('evm_setIntervalMining', [1]);
});

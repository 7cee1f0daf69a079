import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addTenant,
  addTokenTemplate,
  addWallet,
  ended,
  type Installation,
  install,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

let here: Installation;
let tenant: Tenant;
let receiver: string;
beforeAll(async () => {
  here = await install();
  tenant = await addTenant(here.url, here.administrator, 'own');
  await addWallet(here, tenant, 'payer');
  receiver = (await addWallet(here, tenant, 'payee')).walletAddress;
  await addTokenTemplate(tenant.api, 'coin');
});
afterAll(() => here.close());

/** Sends under a chosen action id; resolves when it is final. */
async function send(glo: unknown): Promise<string> {
  const actionId = randomUUID();
  const pluginParams = { walletPassword: 'correct horse battery staple' };
  const body = { actionId, wallet: 'payer', glo, pluginParams };
  await tenant.api.expect(200, 'POST', '/v1/cloud-wallet/transactions', body);
  expect(await ended(tenant.api, actionId)).toMatchObject({ actionId, status: 'SUCCEEDED' });
  return actionId;
}

test('the sending and the receiving wallet see an action under the id that its sender chose', async () => {
  const actionId = await send(transferBody('payer', receiver).glo);
  for (const wallet of ['payer', 'payee']) {
    const path = `/v1/ledger/ops/search/wallets/${wallet}/actions/${actionId}`;
    expect(await tenant.api.expect(200, 'GET', path)).toMatchObject({ actionId });
  }
});

test('a deployed contract is registered under the action id chosen by the sender', async () => {
  const actionId = await send({
    version: '0.1.0',
    type: 'contract_deploy',
    options: {
      contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 'coin:1' },
      args: ['Coin', 'COIN', '9'],
    },
  });
  const contract = await tenant.api.expect(200, 'GET', `/v1/smart-contracts/${actionId}`);
  expect(contract).toMatchObject({ contractInstanceID: actionId });
});

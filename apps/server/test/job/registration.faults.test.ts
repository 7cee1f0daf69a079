import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobProject } from './ground.ts';
import { createProduct, type Product } from './product.ts';

let anvil: Anvil;
let product: Product;

beforeEach(async () => {
  anvil = await startAnvil();
  product = createProduct({ rpcUrl: () => anvil.url });
});

afterEach(async () => {
  await product.stop();
  await anvil.stop();
});

test('a contract is registered once, when its deployment succeeds, although the server is killed meanwhile', async () => {
  await product.start({ point: 'settle:before-commit', nth: 1 });
  const wallet = await product.wallet();
  await product.template();
  const sent = await product.call('POST', '/v1/smart-contracts/deployments', {
    ...{
      templateId: 'coin',
      tag: '1',
      args: ['C', 'C', '100'],
      id: 'mine-alone',
      ledgerId: 'dev-ethereum',
    },
    ...{ walletId: wallet.walletId, walletPassword: wallet.password },
  });
  expect(sent).toMatchObject({ status: 201, body: { state: 'PENDING' } });
  await product.exited();
  await product.start();
  const [action] = await product.ended([String(sent.body.id)]);
  expect(action).toMatchObject({ status: 'SUCCEEDED' });
  const found = await product.call('GET', '/v1/smart-contracts/mine-alone');
  expect(found).toMatchObject({
    status: 200,
    body: { properties: [{ type: { name: 'address' }, value: action?.contractAddress }] },
  });
  const listed = await product.call('GET', `/v1/smart-contracts?project=${jobProject}`);
  expect(listed.body).toMatchObject({ totalElements: 1 });
}, 300_000);

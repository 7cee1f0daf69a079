import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshAddress, tokenBalanceOf } from './chain.ts';
import { createProduct, deploy, type Product, type TestWallet } from './product.ts';

let anvil: Anvil;
let product: Product;

beforeAll(async () => {
  anvil = await startAnvil();
  product = createProduct({ rpcUrl: () => anvil.url });
  await product.start();
});

afterAll(async () => {
  await product.stop();
  await anvil.stop();
});

/** Returns a call to the contract that an action deploys. */
function callDeployed(wallet: TestWallet, actionId: string, method: string, args: string[]) {
  return {
    walletId: wallet.walletId,
    walletPassword: wallet.password,
    glo: {
      version: '0.1.0',
      type: 'contract_call',
      options: {
        contract_instance: {
          lookup_service: { type: 'service', value: 'service' },
          resource: `action:${actionId}`,
        },
        method_name: method,
        args,
      },
    },
  };
}

test('a deployment and calls to the new contract are sent in the same block and executed in order', async () => {
  const wallet = await product.wallet();
  const template = await product.template();
  // No block is mined until all operations are sent.
  await anvil.rpc('evm_setIntervalMining', [0]);
  const deployed = await product.call(
    'POST',
    '/v1/ledger-ops/send',
    deploy(wallet, template, ['C', 'C', '100']),
  );
  expect(deployed).toMatchObject({ status: 201 });
  const deployment = String(deployed.body.actionId);
  const target = freshAddress();

  const wrong = await product.call(
    'POST',
    '/v1/ledger-ops/send',
    callDeployed(wallet, deployment, 'transfer', [target]),
  );
  expect(wrong.status).toBe(400);
  expect(JSON.stringify(wrong.body)).toContain('/glo/options/args');
  const unknown = await product.call(
    'POST',
    '/v1/ledger-ops/send',
    callDeployed(wallet, '01990000-0000-7000-8000-000000000000', 'transfer', [target, '1']),
  );
  expect(unknown.status).toBe(404);

  const calls = await Promise.all(
    ['30', '12'].map((amount) =>
      product.call(
        'POST',
        '/v1/ledger-ops/send',
        callDeployed(wallet, deployment, 'transfer', [target, amount]),
      ),
    ),
  );
  for (const call of calls) expect(call).toMatchObject({ status: 201 });
  await anvil.rpc('evm_setIntervalMining', [1]);
  const ids = calls.map(({ body }) => String(body.actionId));
  const [first, ...rest] = await product.ended([deployment, ...ids]);
  expect(rest.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(await tokenBalanceOf(anvil, String(first?.contractAddress), target)).toBe(42n);
  const found = await product.call('GET', `/v1/ledger-ops/search/actions/${ids[0]}`);
  expect(found.body.dependencies).toEqual([deployment]);

  // After the deployment has finished, the action's id still identifies the contract.
  const late = await product.call(
    'POST',
    '/v1/ledger-ops/send',
    callDeployed(wallet, deployment, 'transfer', [target, '1']),
  );
  await product.ended([String(late.body.actionId)]);
  expect(await tokenBalanceOf(anvil, String(first?.contractAddress), target)).toBe(43n);

  const noContract = await product.call(
    'POST',
    '/v1/ledger-ops/send',
    callDeployed(wallet, ids[0] ?? '', 'transfer', [target, '1']),
  );
  expect(noContract.status).toBe(400);
});

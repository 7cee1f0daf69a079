import { type Anvil, startAnvil, tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { freshAddress } from './chain.ts';
import { callContract, createProduct, deploy, type Product } from './product.ts';

const atOnce = 5;

let anvil: Anvil;
let product: Product;
let receiver: Receiver;
beforeAll(async () => {
  [anvil, receiver] = await Promise.all([startAnvil(), startReceiver()]);
});
afterAll(async () => {
  await product?.stop();
  await Promise.all([anvil?.stop(), receiver?.close()]);
});

test('every contract event arrives once and in order, even if the server is killed before or after storing its position', async () => {
  product = createProduct({
    rpcUrl: () => anvil.url,
    webhookTiming: { look: 50, lease: 1_000, again: { first: 50, longest: 500 } },
    contractEventTiming: { look: 20, poll: 20, lease: 1_000, again: { first: 20, longest: 200 } },
  });
  await product.start();
  const wallet = await product.wallet();
  const deployment = await product.call<{ actionId: string }>(
    ...(['POST', '/v1/ledger-ops/send'] as const),
    deploy(wallet, await product.template(), ['Coin', 'COIN', '1000']),
  );
  const [deployed] = await product.ended([deployment.body.actionId]);
  const nativeReference = String(deployed?.contractAddress);
  const group = await product.call<{ groupId: string }>('POST', '/v1/contract-groups', { name: 'coins' });
  const contract = await product.call<{ contractId: string }>(
    ...(['POST', `/v1/contract-groups/${group.body.groupId}/instances`] as const),
    { interface: tokenTemplate.interface, ledgerReference: { ledgerId: 'dev-ethereum', nativeReference } },
  );
  const made = await product.call<{ secret: string }>('POST', '/v1/webhooks', {
    ...{ url: receiver.url, types: ['contract.event'] },
  });
  receiver.secret = made.body.secret;
  const { contractId } = contract.body;
  const subscribed = await product.call('POST', '/v1/contract-subscriptions', { contractId });
  expect(subscribed.status).toBe(201);

  const send = async (amount: number) => {
    const call = callContract(wallet, nativeReference, 'transfer(address,uint256)', [
      freshAddress(),
      `${amount}`,
    ]);
    const { body } = await product.call<{ actionId: string }>('POST', '/v1/ledger-ops/send', call);
    return body.actionId;
  };
  let accepted: string[] = [];
  for (const point of ['tell:before-commit', 'tell:after-commit'] as const) {
    await product.breakAt({ point, nth: 1 });
    const answers = await Promise.allSettled(Array.from({ length: atOnce }, (_, index) => send(index + 1)));
    accepted = accepted.concat(answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
    // The receiver got the first event, and the server is killed.
    await product.exited();
    await product.start();
  }
  await product.ended(accepted);
  accepted.push(await send(7));
  await product.ended(accepted);

  const logs = await anvil.rpc<{ blockNumber: string; transactionHash: string; logIndex: string }[]>(
    'eth_getLogs',
    [{ address: nativeReference, fromBlock: '0x0', toBlock: 'latest' }],
  );
  // The first event belongs to the deployment, which precedes the subscription.
  const expected = logs
    .slice(1)
    .map(
      ({ blockNumber, transactionHash, logIndex }) =>
        `${Number(blockNumber)}/${transactionHash}/${Number(logIndex)}`,
    );
  expect(expected.length).toBeGreaterThanOrEqual(accepted.length);
  // A delivery whose response was not stored is repeated with the same id.
  const seen = () => [...new Map(receiver.received.map(({ id, data }) => [id, data.ledgerEventId])).values()];
  await vi.waitFor(() => expect(seen().length).toBeGreaterThanOrEqual(expected.length), {
    ...{ timeout: 60_000, interval: 100 },
  });
  expect(seen()).toEqual(expected);
  expect(receiver.forged).toEqual([]);
}, 300_000);

import {
  type Anvil,
  type Fault,
  misbehaving,
  profileFault,
  type RpcProxy,
  startAnvil,
  startProxy,
  tokenTemplate,
  wrongs,
} from '@ledger-ops/devnet';
import { expect, vi } from 'vitest';
import type { Receiver } from '../events/receiver.ts';
import { balanceOf, freshAddress, nonceOf, poolSize, tokenBalanceOf } from '../job/chain.ts';
import { callContract, deploy, type Product, type TestWallet, transferTo } from '../job/product.ts';
import { BlockClock } from '../stage/block-clock.ts';
import type { EthereumNetwork } from './ethereum-network.ts';

const parallel = 50;
const walletPassword = 'correct horse battery staple';
const gwei = 10n ** 9n;
/** Balance of each wallet: 1,000 ether. */
const funds = 10n ** 21n;

/** A ledger whose development node answers like the network's nodes, and a wallet with 1,000 ether. */
interface Scene extends AsyncDisposable {
  node: Anvil;
  proxy: RpcProxy;
  clock: BlockClock;
  wallet: TestWallet;
  /** Makes the development node answer like the network's nodes. */
  fault: Fault;
}

async function openScene(product: Product, network: EthereumNetwork): Promise<Scene> {
  const node = await startAnvil({ mining: 'manual', ...network.node });
  const [clock, proxy] = [new BlockClock(node, 100), await startProxy(node.url)];
  const fault = profileFault(network.profile());
  proxy.setFault(fault);
  const close = async () => {
    await clock.hold();
    await proxy.close();
    await node.stop();
  };
  try {
    const ledgerId = network.name;
    const made = await product.call('POST', '/v1/admin/ledgers', {
      ledgerId,
      name: ledgerId,
      technology: 'ethereum',
      properties: { polling_interval: 50, replace_after: 1, ...network.properties },
      nodes: [{ nodeId: `${ledgerId}-node`, uri: proxy.url }],
    });
    expect(made).toMatchObject({ status: 201 });
    const walletId = `${ledgerId}-wallet`;
    const { status, body } = await product.call('POST', '/v1/cloud-wallet/wallets', {
      walletId,
      ledgerId,
      pluginParameters: { walletPassword },
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    const address = String(body.walletAddress);
    await node.rpc('anvil_setBalance', [address, `0x${funds.toString(16)}`]);
    const wallet = { walletId, password: walletPassword, address, privateKey: '' };
    return { node, proxy, clock, wallet, fault, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Does on one network what users do with a ledger. Checks on the chain that each step is executed exactly once.
 */
export async function runJob(
  product: Product,
  receiver: Receiver,
  network: EthereumNetwork,
  template: string,
): Promise<void> {
  await using scene = await openScene(product, network);
  const { node, wallet } = scene;
  const send = async (body: unknown) => {
    // The service accepts nothing while the provider's rate limit applies.
    return vi.waitFor(
      async () => {
        const { status, body: answer } = await product.call('POST', '/v1/ledger-ops/send', body);
        expect({ status, answer }).toMatchObject({ status: 201 });
        return String(answer.actionId);
      },
      { timeout: 30_000, interval: 250 },
    );
  };
  const ended = async (id: string) => (await product.ended([id]))[0];

  const unit = network.amountUnit ?? 1n;
  const transfer = (to: string, amount: number) => transferTo(wallet, to, Number(BigInt(amount) * unit));
  const target = freshAddress();
  expect(await ended(await send(transfer(target, 7)))).toMatchObject({ status: 'SUCCEEDED' });
  expect(await balanceOf(node, target)).toBe(7n * unit);

  const deployed = await ended(await send(deploy(wallet, template, ['Coin', 'COIN', '1000'])));
  expect(deployed).toMatchObject({ status: 'SUCCEEDED' });
  const token = String(deployed?.contractAddress);
  const pay = (amount: string) => callContract(wallet, token, 'transfer(address,uint256)', [target, amount]);
  const subscription = await subscribe(product, network.name, token);
  expect(await ended(await send(pay('5')))).toMatchObject({ status: 'SUCCEEDED' });
  expect(await tokenBalanceOf(node, token, target)).toBe(5n);
  await vi.waitFor(
    () => {
      const deliveries = receiver.received.filter(({ data }) => data.subscriptionId === subscription);
      expect(deliveries.map(({ data }) => data.args)).toEqual([
        expect.objectContaining({ to: wallet.address, value: '1000' }),
        expect.objectContaining({ to: target, value: '5' }),
      ]);
    },
    { timeout: 60_000, interval: 50 },
  );
  // The test stops the network's node, so the subscription must no longer read from it.
  const path = `/v1/contract-subscriptions/${subscription}`;
  expect(await product.call('DELETE', path)).toMatchObject({ status: 204 });

  // Pays more than the balance. The first transfer fails in the estimate, the second one in a block.
  expect(await ended(await send(pay('5000')))).toMatchObject({ status: 'FAILED' });
  const before = await nonceOf(node, wallet.address);
  expect(await ended(await send(withGas(pay('5000'), 200_000)))).toMatchObject({
    status: 'FAILED',
    locator: expect.stringMatching(/^0x/),
  });
  expect(await nonceOf(node, wallet.address)).toBe(before + 1);

  await replaceOne(scene, network, () => send(transfer(target, 11)), ended);
  expect(await balanceOf(node, target)).toBe(18n * unit);
  expect(await nonceOf(node, wallet.address)).toBe(before + 2);

  const crowd = freshAddress();
  const ids = await Promise.all(
    Array.from({ length: parallel }, (_, index) => send(transfer(crowd, index + 1))),
  );
  await product.kill();
  await product.start();
  const ends = await product.ended(ids);
  expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  expect(await balanceOf(node, crowd)).toBe(BigInt((parallel * (parallel + 1)) / 2) * unit);
  expect(await nonceOf(node, wallet.address)).toBe(before + 2 + parallel);
  expect(await poolSize(node)).toBe(0);
  // On a network without fees, the wallet's balance shows what it sent.
  const sent = BigInt(7 + 11 + (parallel * (parallel + 1)) / 2) * unit;
  if (network.lowFee === 'none') expect(await balanceOf(node, wallet.address)).toBe(funds - sent);
}

/** Subscribes the receiver to a token's events. Returns the subscription's id. */
async function subscribe(product: Product, ledgerId: string, token: string): Promise<string> {
  const created = async (path: string, body: object) => {
    const answer = await product.call('POST', path, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };
  const { groupId } = await created('/v1/contract-groups', { name: ledgerId });
  const { contractId } = await created(`/v1/contract-groups/${groupId}/instances`, {
    interface: tokenTemplate.interface,
    ledgerReference: { ledgerId, nativeReference: token },
  });
  const { id } = await created('/v1/contract-subscriptions', { contractId, fromBlock: 0 });
  return String(id);
}

function withGas(body: ReturnType<typeof callContract>, gasLimit: number): unknown {
  const meta = { ledger: { ethereum: { version: '0.1.0', native_transaction_content: { gasLimit } } } };
  return { ...body, glo: { ...body.glo, meta } };
}

/** Sends a transaction before the base fee rises tenfold. On a network without fees, the node drops it instead. */
async function replaceOne(
  { node, proxy, clock, fault }: Scene,
  { lowFee }: EthereumNetwork,
  send: () => Promise<string>,
  ended: (id: string) => Promise<unknown>,
): Promise<void> {
  const raised = async () => {
    const block = await node.rpc<{ baseFeePerGas: string }>('eth_getBlockByNumber', ['latest', false]);
    clock.baseFee = BigInt(block.baseFeePerGas) * 10n + 60n * gwei;
    await node.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${clock.baseFee.toString(16)}`]);
  };
  await clock.hold();
  const sent = new Set<unknown>();
  proxy.setFault(async (calls, ...others) => {
    const bytes = calls.filter(({ method }) => method === 'eth_sendRawTransaction');
    const isFirst = bytes.length > 0 && sent.size === 0;
    for (const { params } of bytes) sent.add(params[0]);
    if (isFirst) {
      if (lowFee === 'none') return misbehaving(wrongs.swallow())(calls, ...others);
      if (lowFee === 'refused') await raised();
    }
    return fault(calls, ...others);
  });
  const id = await send();
  await vi.waitFor(() => expect(sent.size).toBe(1), { timeout: 30_000, interval: 20 });
  if (lowFee === 'kept') {
    await vi.waitFor(async () => expect(await poolSize(node)).toBe(1), { timeout: 30_000, interval: 20 });
    await raised();
  }
  clock.goOn();
  expect(await ended(id)).toMatchObject({ status: 'SUCCEEDED' });
  // A transaction with a low fee is replaced. A dropped one is sent again unchanged.
  if (lowFee !== 'none') expect(sent.size).toBeGreaterThan(1);
  proxy.setFault(fault);
  clock.baseFee = undefined;
}

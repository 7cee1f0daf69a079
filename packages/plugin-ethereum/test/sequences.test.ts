import { type Anvil, misbehaving, type RpcProxy, startProxy, wrongs } from '@ledger-ops/devnet';
import { JsonRpcProvider, Wallet } from 'ethers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shareAnvil } from './shared-anvil.ts';
import { keyOf, ledgerOf, openSession, type TestSession } from './stage.ts';

let node: Anvil;
const shared = shareAnvil();
let first: RpcProxy;
let second: RpcProxy;
const open: TestSession[] = [];

beforeEach(async () => {
  node = shared();
  first = await startProxy(node.url);
  second = await startProxy(node.url);
});
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
  await Promise.all([first.close(), second.close()]);
});

async function enter(proxies: RpcProxy[]): Promise<TestSession> {
  const uris = proxies.map(({ url }) => url);
  const actor = await openSession(ledgerOf(uris), keyOf(node));
  open.push(actor);
  return actor;
}

/** Transactions that the account's owner signs elsewhere, each in a block of its own. */
async function outside(count: number): Promise<void> {
  const provider = new JsonRpcProvider(node.url, 31_337, { staticNetwork: true, cacheTimeout: -1 });
  const wallet = new Wallet(keyOf(node), provider);
  for (let nonce = 0; nonce < count; nonce += 1) {
    await wallet.sendTransaction({ to: wallet.address, value: 1n, nonce, gasLimit: 21_000n });
    await node.rpc('anvil_mine', ['0x3', '0x1']);
  }
  provider.destroy();
}

test.each([1, 2])(
  'a count above what the host expects is believed where a block shows it, of %i nodes',
  async (nodes) => {
    const { session, wallet } = await enter([first, second].slice(0, nodes));
    await outside(3);
    expect(await session.sequences([wallet.address], { expected: [1n] })).toEqual([3n]);
    first.setFault(misbehaving(wrongs.count((count) => count + 4)));
    expect(await session.sequences([wallet.address], { expected: [3n] })).toEqual([3n]);
    // Another node shows the transaction that the lying one cannot: the truth is above what the host expects as well.
    expect(await session.sequences([wallet.address], { expected: [1n] })).toEqual([nodes === 1 ? 1n : 3n]);
  },
);

test('a count at or below what the host expects, or of which it expects nothing, costs no further look', async () => {
  const { session, wallet } = await enter([first]);
  await outside(2);
  await session.chain();
  const before = first.methods.length;
  expect(await session.sequences([wallet.address], { expected: [2n] })).toEqual([2n]);
  expect(await session.sequences([wallet.address], { expected: [9n] })).toEqual([2n]);
  expect(await session.sequences([wallet.address], { expected: [null] })).toEqual([2n]);
  expect(await session.sequences([wallet.address])).toEqual([2n]);
  expect(first.methods.slice(before)).toEqual(Array(4).fill('eth_getTransactionCount'));
});

test('a node that has not kept the state in which to look is believed', async () => {
  const { session, wallet } = await enter([first]);
  await outside(2);
  first.setFault(misbehaving(wrongs.pruned()));
  expect(await session.sequences([wallet.address], { expected: [1n] })).toEqual([2n]);
});

test('every node is asked, and the highest count of each account answered', async () => {
  const { session, wallet } = await enter([first, second]);
  const other = node.accounts[1]?.address ?? '';
  await outside(3);
  first.setFault(misbehaving(wrongs.count(() => 0)));
  expect(await session.sequences([wallet.address])).toEqual([0n]);
  expect(await session.sequences([other, wallet.address], { everyNode: true })).toEqual([0n, 3n]);
  // Whatever the host expects.
  const expected = [0n];
  expect(await session.sequences([wallet.address], { everyNode: true, expected })).toEqual([3n]);
  first.setFault(undefined);
  second.setFault(misbehaving(wrongs.count((count) => count - 1)));
  expect(await session.sequences([wallet.address], { everyNode: true })).toEqual([3n]);
});

test('no count of every node is answered while one is silent, and the error names it', async () => {
  const { session, wallet } = await enter([first, second]);
  await outside(2);
  await second.goDown();
  const refused = { code: 'unavailable', phase: 'check', message: expect.stringContaining('node-1') };
  const asked = () => session.sequences([wallet.address], { everyNode: true });
  await expect(asked()).rejects.toMatchObject(refused);
  // One that rests after its failure is asked all the same.
  await expect(asked()).rejects.toMatchObject(refused);
  expect(await session.sequences([wallet.address])).toEqual([2n]);
  await second.comeUp();
  expect(await asked()).toEqual([2n]);
});

test('a node that refuses to count, or is on another chain, makes the count of every node unavailable', async () => {
  const { session, wallet } = await enter([first, second]);
  await outside(1);
  const asked = () => session.sequences([wallet.address], { everyNode: true });
  expect(await asked()).toEqual([1n]);
  const busy = { error: { code: -32_000, message: 'busy' } };
  second.setFault(misbehaving({ eth_getTransactionCount: async () => busy }));
  const message = 'Node node-1 refused eth_getTransactionCount.';
  await expect(asked()).rejects.toMatchObject({ code: 'unavailable', message });
  second.setFault(misbehaving({ eth_chainId: async () => ({ result: '0x7' }) }));
  const stranger = expect.stringContaining('Node node-1 is on chain 7');
  await expect(asked()).rejects.toMatchObject({ code: 'unavailable', message: stranger });
});

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

/** Sends transactions that the account's owner signed outside this service, each in its own block. */
async function outside(count: number, from = 0): Promise<void> {
  for (let nonce = from; nonce < from + count; nonce += 1) {
    await sendOutside(nonce);
    await node.rpc('anvil_mine', ['0x3', '0x1']);
  }
}

/** Sends a transaction that the account's owner signed outside this service. It waits in the mempool. */
async function sendOutside(nonce: number): Promise<{ hash: string }> {
  const provider = new JsonRpcProvider(node.url, 31_337, { staticNetwork: true, cacheTimeout: -1 });
  const wallet = new Wallet(keyOf(node), provider);
  const sent = wallet.sendTransaction({ to: wallet.address, value: 1n, nonce, gasLimit: 21_000n });
  return await sent.finally(() => provider.destroy());
}

test.each([1, 2])(
  'accepts a transaction count above the expected count if a block proves it (%i nodes)',
  async (nodes) => {
    const { session, wallet } = await enter([first, second].slice(0, nodes));
    await outside(3);
    expect(await session.sequences([wallet.address], { expected: [1n] })).toEqual([3n]);
    first.setFault(misbehaving(wrongs.count((count) => count + 4)));
    expect(await session.sequences([wallet.address], { expected: [3n] })).toEqual([3n]);
    // The lying node cannot return the last transaction that it counts, so the count of the other node is
    // used.
    expect(await session.sequences([wallet.address], { expected: [1n] })).toEqual([nodes === 1 ? 1n : 3n]);
  },
);

test('does not verify a transaction count at or below the expected count, or without an expected count', async () => {
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

test('trusts the transaction count of a node that pruned the state needed to verify it', async () => {
  const { session, wallet } = await enter([first]);
  await outside(2);
  first.setFault(misbehaving(wrongs.pruned()));
  expect(await session.sequences([wallet.address], { expected: [1n] })).toEqual([2n]);
});

test('counts transactions in any node’s mempool, including those behind a missing nonce', async () => {
  const { session, wallet } = await enter([first, second]);
  await outside(1);
  const unmined = () => session.sequences([wallet.address], { unmined: true });
  expect(await unmined()).toEqual([1n]);
  const { hash } = await sendOutside(1);
  expect(await unmined()).toEqual([2n]);
  expect(await session.sequences([wallet.address])).toEqual([1n]);
  for (const one of [first, second]) {
    one.setFault(misbehaving(wrongs.count((count) => count + 1)));
    expect(await unmined()).toEqual([3n]);
    one.setFault(
      misbehaving({
        txpool_contentFrom: async () => ({ result: { pending: { 1: { hash } }, queued: { 4: { hash } } } }),
      }),
    );
    expect(await unmined()).toEqual([5n]);
    one.setFault(undefined);
  }
});

test.each([0, 1])(
  'counts transactions in the mempool of the node that answers last (node %i)',
  async (last) => {
    const { session, wallet } = await enter([first, second]);
    const answered = Promise.withResolvers<void>();
    const [early, late] = last === 0 ? [second, first] : [first, second];
    early.setFault(
      misbehaving({
        async txpool_contentFrom() {
          answered.resolve();
          return { result: { pending: {}, queued: {} } };
        },
      }),
    );
    late.setFault(
      misbehaving({
        async txpool_contentFrom() {
          await answered.promise;
          return { result: { pending: {}, queued: { 4: { hash: `0x${'1'.repeat(64)}` } } } };
        },
      }),
    );
    expect(await session.sequences([wallet.address], { unmined: true })).toEqual([5n]);
  },
);

test('finds the transaction that used a nonce, even on a node that keeps no old state', async () => {
  const { session, wallet } = await enter([first]);
  await outside(3);
  const find = () =>
    Promise.all([0n, 1n, 2n, 3n].map((sequence) => session.transactionAt?.({ ...wallet, sequence })));
  const shown = await find();
  expect(shown).toEqual([...Array(3).fill(expect.stringMatching(/^0x[0-9a-f]{64}$/)), null]);
  first.setFault(misbehaving(wrongs.pruned()));
  expect(await find()).toEqual(shown);
  // Blocks that were mined in the meantime are searched as well.
  await outside(1, 3);
  const last = await session.transactionAt?.({ ...wallet, sequence: 3n });
  expect(last).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await find()).toEqual([...shown.slice(0, 3), last]);
});

test('queries every node, and returns the highest transaction count of each account', async () => {
  const { session, wallet } = await enter([first, second]);
  const other = node.accounts[1]?.address ?? '';
  await outside(3);
  first.setFault(misbehaving(wrongs.count(() => 0)));
  expect(await session.sequences([wallet.address])).toEqual([0n]);
  expect(await session.sequences([other, wallet.address], { everyNode: true })).toEqual([0n, 3n]);
  // With `everyNode`, the expected numbers have no effect.
  const expected = [0n];
  expect(await session.sequences([wallet.address], { everyNode: true, expected })).toEqual([3n]);
  first.setFault(undefined);
  second.setFault(misbehaving(wrongs.count((count) => count - 1)));
  expect(await session.sequences([wallet.address], { everyNode: true })).toEqual([3n]);
});

test('returns no transaction counts while one node does not answer, and names the node in the error', async () => {
  const { session, wallet } = await enter([first, second]);
  await outside(2);
  await second.goDown();
  const refused = { code: 'unavailable', phase: 'check', message: expect.stringContaining('node-1') };
  const asked = () => session.sequences([wallet.address], { everyNode: true });
  await expect(asked()).rejects.toMatchObject(refused);
  // The node is queried even while it is skipped after a failure.
  await expect(asked()).rejects.toMatchObject(refused);
  expect(await session.sequences([wallet.address])).toEqual([2n]);
  await second.comeUp();
  expect(await asked()).toEqual([2n]);
});

test('transaction counts are unavailable if a node refuses to count or is on another chain', async () => {
  const { session, wallet } = await enter([first, second]);
  await outside(1);
  const asked = () => session.sequences([wallet.address], { everyNode: true });
  expect(await asked()).toEqual([1n]);
  const busy = { error: { code: -32_000, message: 'busy' } };
  second.setFault(misbehaving({ eth_getTransactionCount: async () => busy }));
  const message = 'Node node-1 refused eth_getTransactionCount. It said: busy (-32000).';
  await expect(asked()).rejects.toMatchObject({ code: 'unavailable', message });
  second.setFault(misbehaving({ eth_chainId: async () => ({ result: '0x7' }) }));
  const stranger = expect.stringContaining('Node node-1 is on chain 7');
  await expect(asked()).rejects.toMatchObject({ code: 'unavailable', message: stranger });
});

import type { Confirmed, PendingTransaction } from '@ledger-ops/adapter';
import { type Anvil, misbehaving, type RpcProxy, startAnvil, startProxy, wrongs } from '@ledger-ops/devnet';
import { JsonRpcProvider, Wallet } from 'ethers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keyOf, ledgerOf, openSession, sign, type TestSession, transfer } from './stage.ts';

let node: Anvil;
let first: RpcProxy;
let second: RpcProxy;
let provider: JsonRpcProvider;
const open: TestSession[] = [];

beforeEach(async () => {
  node = await startAnvil({ mining: 'manual' });
  first = await startProxy(node.url);
  second = await startProxy(node.url);
  provider = new JsonRpcProvider(node.url, 31_337, { staticNetwork: true, cacheTimeout: -1 });
});
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
  provider.destroy();
  await Promise.all([first.close(), second.close()]);
  await node.stop();
});

const other = '0x000000000000000000000000000000000000bEEF';
const mine = (blocks = 1) => node.rpc('anvil_mine', [`0x${blocks.toString(16)}`, '0x1']);

async function enter(proxies: RpcProxy[] = [first], properties = {}): Promise<TestSession> {
  const uris = proxies.map(({ url }) => url);
  const actor = await openSession(ledgerOf(uris, properties), keyOf(node));
  open.push(actor);
  return actor;
}

type Pending = ReadonlyMap<string, PendingTransaction>;

/** Confirms repeatedly, as after a restart of the server, with enough blocks in between. */
async function look({ session }: TestSession, pending: Pending, times = 4): Promise<Confirmed[]> {
  const all: Confirmed[] = [];
  let left = pending;
  for (let time = 0; time < times; time += 1) {
    const confirmed = await session.confirm({ cursor: all.at(-1)?.cursor ?? null, pending: left });
    all.push(confirmed);
    const ended = new Set(confirmed.outcomes.map(({ txId }) => txId));
    left = new Map([...left].filter(([txId]) => !ended.has(txId)));
    await mine(20);
  }
  return all;
}

const outcomes = (all: readonly Confirmed[]) => all.flatMap((one) => one.outcomes);
const remarks = (all: readonly Confirmed[]) => all.at(-1)?.remarks ?? [];

/** Signs and sends this many transfers. They are mined in a block below the newest one. */
async function executed(actor: TestSession, count: number): Promise<Map<string, PendingTransaction>> {
  const all = new Map<string, PendingTransaction>();
  for (let nonce = 0n; nonce < BigInt(count); nonce += 1n) {
    const { main, pending } = await sign(actor, transfer(other), nonce);
    await actor.session.submit([main]);
    for (const [txId, one] of pending) all.set(txId, one);
  }
  await mine(6);
  return all;
}

/** Sends a transaction that the account's owner signed outside this service. */
async function outside(nonce: number): Promise<string> {
  const wallet = new Wallet(keyOf(node), provider);
  const { hash } = await wallet.sendTransaction({ to: other, value: 3n, nonce, gasLimit: 21_000n });
  await mine();
  return hash;
}

test('reports that the receipt of a mined transaction is missing, and reports success when the receipt arrives', async () => {
  const pending = await executed(await enter(), 3);
  const height = 1;
  first.setFault(misbehaving(wrongs.noReceipts()));
  const late = await enter();
  const all = await look(late, pending);
  expect(outcomes(all)).toEqual([]);
  expect(remarks(all)).toHaveLength(3);
  for (const { txId, detail } of remarks(all)) {
    expect(pending.has(txId)).toBe(true);
    expect(detail).toContain('node-0');
    expect(detail).toContain(`block ${height}`);
    expect(detail).toContain('receipt');
  }
  first.setFault(undefined);
  const after = await look(late, pending, 2);
  expect(outcomes(after).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  expect(remarks(after)).toEqual([]);
});

test('queries other nodes for receipts that the first node lacks', async () => {
  const pending = await executed(await enter(), 2);
  first.setFault(misbehaving(wrongs.noReceipts()));
  const all = await look(await enter([first, second]), pending);
  expect(outcomes(all).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
});

test('reads the receipts of a whole block from a node that cannot yet find receipts by transaction id', async () => {
  const pending = await executed(await enter(), 2);
  const { eth_getTransactionReceipt } = wrongs.noReceipts();
  if (eth_getTransactionReceipt === undefined) throw new TypeError('The receipts are there.');
  first.setFault(misbehaving({ eth_getTransactionReceipt }));
  const all = await look(await enter(), pending);
  expect(outcomes(all).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
});

test('reports the outside transaction that used a nonce, even if transactions with earlier nonces have no receipts', async () => {
  const actor = await enter([first], { replace_after: 5, presigned_replacements: true });
  const many = await executed(actor, 70);
  await outside(70);
  const lost = await sign(actor, transfer(other), 70n);
  await mine(7);
  const by = await outside(71);
  const another = await sign(actor, transfer(other), 71n);
  first.setFault(misbehaving(wrongs.noReceipts()));
  const all = await look(await enter(), new Map([...many, ...lost.pending, ...another.pending]), 12);
  const found = outcomes(all);
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set(['superseded']));
  const ids = [...lost.attempts, ...another.attempts].map(({ txId }) => txId);
  expect(another.attempts.map(({ kind }) => kind)).toEqual(['main', 'bump', 'bump', 'noop']);
  expect(found.map(({ txId }) => txId).toSorted()).toEqual(ids.toSorted());
  expect(found.filter(({ txId }) => another.pending.has(txId))).toEqual(
    another.attempts.map(({ txId }) => expect.objectContaining({ txId, by, height: 15 })),
  );
});

test.each([
  ['the only node', 1],
  ['the first of two nodes', 2],
])('does not give up a transaction if %s counts too many transactions', async (_, nodes) => {
  const actor = await enter();
  const { main, pending } = await sign(actor, transfer(other), 0n);
  await mine(3);
  first.setFault(misbehaving(wrongs.count((count) => count + 4)));
  const late = await enter([first, second].slice(0, nodes));
  const all = await look(late, pending);
  expect(outcomes(all)).toEqual([]);
  expect(remarks(all)).toEqual([
    { txId: main.txId, detail: expect.stringMatching(/node-0 counts.*nonce 0.*does not return/) },
  ]);
  await late.session.submit([main]);
  first.setFault(undefined);
  await mine();
  const after = await look(late, pending, 2);
  expect(outcomes(after)).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  expect(remarks(after)).toEqual([]);
});

test('after a node counted too few transactions, reports a used nonce when the node has caught up', async () => {
  const actor = await enter();
  const { pending } = await sign(actor, transfer(other), 0n);
  const by = await outside(0);
  first.setFault(misbehaving(wrongs.count(() => 0)));
  const late = await enter();
  expect(outcomes(await look(late, pending))).toEqual([]);
  first.setFault(undefined);
  expect(outcomes(await look(late, pending, 3))).toMatchObject([{ status: 'superseded', by }]);
});

test('if the first node pruned the state, finds the transaction that used a nonce on another node, or waits', async () => {
  const actor = await enter();
  const { main, pending } = await sign(actor, transfer(other), 0n);
  const by = await outside(0);
  await mine(30);
  const top = Number(await node.rpc<string>('eth_blockNumber'));
  first.setFault(
    misbehaving({
      async eth_getTransactionCount(call, ask) {
        const [, block] = call.params;
        const isOld = typeof block === 'string' && block.startsWith('0x') && Number(block) < top;
        return isOld ? { error: { code: -32_000, message: 'missing trie node 1234' } } : ask(call);
      },
    }),
  );
  const alone = await look(await enter(), pending);
  expect(outcomes(alone)).toEqual([]);
  expect(remarks(alone)).toEqual([
    { txId: main.txId, detail: expect.stringMatching(/node-0.*does not keep/) },
  ]);
  expect(outcomes(await look(await enter([first, second]), pending))).toMatchObject([
    { status: 'superseded', by },
  ]);
});

test('detects a nonce that was used by an authorization in another account’s transaction', async () => {
  const actor = await enter();
  const { main, pending } = await sign(actor, transfer(other), 0n);
  const owner = new Wallet(keyOf(node), provider);
  const sponsor = new Wallet(keyOf(node, 1), provider);
  const authorizationList = [await owner.authorize({ address: other, nonce: 0n, chainId: 31_337n })];
  const { hash } = await sponsor.sendTransaction({
    ...{ type: 4, to: other, authorizationList, gasLimit: 200_000n, nonce: 0 },
  });
  await mine();
  const all = await look(await enter(), pending);
  expect(outcomes(all)).toMatchObject([{ txId: main.txId, status: 'superseded', by: hash, height: 1 }]);
});

test('detects nonces that were used by the delegated code of an account', async () => {
  const actor = await enter();
  // PUSH0 PUSH0 PUSH0 CREATE STOP: creates an empty contract with each call.
  const code = '0x8f';
  await node.rpc('anvil_setCode', [other, '0x5f5f5ff000']);
  const owner = new Wallet(keyOf(node), provider);
  const sponsor = new Wallet(keyOf(node, 1), provider);
  const authorizationList = [await owner.authorize({ address: other, nonce: 0n, chainId: 31_337n })];
  await sponsor.sendTransaction({
    ...{ type: 4, to: other, authorizationList, gasLimit: 200_000n, nonce: 0 },
  });
  await mine();
  const { main, pending } = await sign(actor, transfer('0x000000000000000000000000000000000000dEaD'), 1n);
  await sponsor.sendTransaction({ to: owner.address, gasLimit: 200_000n, nonce: 1, data: code });
  await mine();
  expect((await actor.session.sequences([owner.address]))[0]).toBe(2n);
  const [outcome] = outcomes(await look(await enter(), pending));
  expect(outcome).toMatchObject({ txId: main.txId, status: 'superseded', height: 2 });
  expect(outcome).not.toHaveProperty('by');
});

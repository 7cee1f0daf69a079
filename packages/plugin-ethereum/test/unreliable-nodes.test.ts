import { type Anvil, misbehaving, type RpcProxy, startProxy, wrongs } from '@ledger-ops/devnet';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shareAnvil } from './shared-anvil.ts';
import { keyOf, ledgerOf, openSession, sign, type TestSession, transfer, until } from './stage.ts';

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
  vi.useRealTimers();
  for (const { session } of open.splice(0)) await session.close();
  await Promise.all([first.close(), second.close()]);
});

const other = '0x000000000000000000000000000000000000bEEF';
const known = wrongs.refuse('already known');

async function enter(proxies: RpcProxy[] = [first, second], properties = {}): Promise<TestSession> {
  const uris = proxies.map(({ url }) => url);
  const actor = await openSession(ledgerOf(uris, properties), keyOf(node));
  open.push(actor);
  return actor;
}

const warnings = async ({ session }: TestSession) =>
  (await session.confirm({ cursor: null, pending: new Map() })).warnings ?? [];
const unreliable = ({ log }: TestSession) => log.filter(({ event }) => event === 'ethereum.node-passed-over');
const inPool = async () => Number((await node.rpc<{ pending: string }>('txpool_status')).pending);
const sends = ({ methods }: RpcProxy) =>
  methods.filter((method) => method === 'eth_sendRawTransaction').length;

test('tries the next node if a node claims to know a transaction but does not return it, and names the unreliable node', async () => {
  first.setFault(misbehaving({ ...known, ...wrongs.hide() }));
  const actor = await enter();
  const one = await sign(actor, transfer(other), 0n);
  expect(await actor.session.submit([{ ...one.main, first: true }])).toEqual([
    { txId: one.main.txId, status: 'accepted' },
  ]);
  expect(await inPool()).toBe(1);
  expect(unreliable(actor)).toMatchObject([
    { level: 'warn', fields: { nodeId: 'node-0', ledgerId: 'test' } },
  ]);
  expect(await warnings(actor)).toEqual([expect.stringMatching(/node-0.*know.*not return/)]);
  const before = sends(first);
  const two = await sign(actor, transfer(other), 1n);
  expect(await actor.session.submit([{ ...two.main, first: true }])).toMatchObject([{ status: 'accepted' }]);
  expect(sends(first)).toBe(before);
  expect(unreliable(actor)).toHaveLength(1);
});

test('accepts "already known" from a node that returns the transaction', async () => {
  const actor = await enter();
  const { main } = await sign(actor, transfer(other));
  await actor.session.submit([{ ...main, first: true }]);
  expect(await actor.session.submit([main])).toEqual([{ txId: main.txId, status: 'known' }]);
  expect(sends(second)).toBe(0);
  expect(await warnings(actor)).toEqual([]);
});

test.each([
  'nonce too low: next nonce 1, tx nonce 0',
  'invalid nonce; got 0, expected 1: invalid sequence',
  'max fee per gas less than block base fee: maxFeePerGas: 1, baseFee: 2',
  'insufficient funds for gas * price + value',
])('if the transaction is mined, treats the refusal "%s" as "already known"', async (text) => {
  first.setFault(misbehaving(wrongs.refuse(text)));
  const actor = await enter([first]);
  const { main } = await sign(actor, transfer(other));
  expect(await actor.session.submit([main])).toMatchObject([{ status: 'refused' }]);
  await node.rpc('eth_sendRawTransaction', [`0x${Buffer.from(main.bytes).toString('hex')}`]);
  // While the transaction is only in the mempool, it may still need a higher fee, so the refusal counts.
  expect(await actor.session.submit([main])).toMatchObject([{ status: 'refused' }]);
  await node.rpc('anvil_mine', ['0x1', '0x1']);
  expect(await actor.session.submit([main])).toEqual([{ txId: main.txId, status: 'known' }]);
});

test('if the only node claims to know a transaction but does not return it, refuses it and quotes the node', async () => {
  first.setFault(misbehaving(known));
  const actor = await enter([first]);
  const { main } = await sign(actor, transfer(other));
  const detail = expect.stringMatching(/already known \(-32000\).*node-0 does not return/);
  for (const _ of [1, 2]) {
    expect(await actor.session.submit([main])).toMatchObject([{ status: 'refused', problem: { detail } }]);
  }
  expect(await warnings(actor)).toEqual([expect.stringContaining('node-0')]);
  expect(unreliable(actor)).toHaveLength(1);
});

test('after a node accepted and dropped a transaction, sends it to the next node and skips the unreliable one', async () => {
  first.setFault(misbehaving(wrongs.swallow()));
  const actor = await enter();
  const one = await sign(actor, transfer(other), 0n);
  expect(await actor.session.submit([{ ...one.main, first: true }])).toMatchObject([{ status: 'accepted' }]);
  expect(await inPool()).toBe(0);
  expect(await actor.session.submit([one.main])).toMatchObject([{ status: 'accepted' }]);
  expect(await inPool()).toBe(1);
  expect(await warnings(actor)).toEqual([expect.stringMatching(/node-0.*accepted.*no longer returns/)]);
  const two = await sign(actor, transfer(other), 1n);
  await actor.session.submit([{ ...two.main, first: true }]);
  expect(await inPool()).toBe(2);
});

test('sends a late transaction to all nodes, and detects the node that dropped it', async () => {
  first.setFault(misbehaving(wrongs.swallow()));
  const actor = await enter();
  const { main } = await sign(actor, transfer(other));
  await actor.session.submit([{ ...main, first: true }]);
  const before = [sends(first), sends(second)];
  expect(await actor.session.submit([{ ...main, everyNode: true }])).toEqual([
    { txId: main.txId, status: 'accepted' },
  ]);
  expect([sends(first), sends(second)]).toEqual(before.map((count) => count + 1));
  expect(unreliable(actor)).toMatchObject([{ fields: { nodeId: 'node-0' } }]);
});

test('a hanging node delays a late transaction only until the request times out', async () => {
  const actor = await enter([first, second], { rpc_timeout: 2_000 });
  const { main } = await sign(actor, transfer(other));
  first.setFault(() => new Promise(() => {}));
  const sent = actor.session.submit([{ ...main, everyNode: true }]);
  expect(await sent).toMatchObject([{ status: 'accepted' }]);
  expect(await inPool()).toBe(1);
});

test('if no node accepts a late transaction, refuses it and quotes every node', async () => {
  first.setFault(misbehaving(wrongs.refuse('txpool is full')));
  second.setFault(misbehaving(wrongs.refuse('transaction underpriced')));
  const actor = await enter();
  const { main } = await sign(actor, transfer(other));
  expect(await actor.session.submit([{ ...main, everyNode: true }])).toMatchObject([
    {
      status: 'refused',
      problem: { detail: expect.stringMatching(/node-0.*txpool is full.*node-1.*transaction underpriced/) },
    },
  ]);
});

test('sends a transaction to the next node if a mempool is full, and uses the first node again when it has capacity', async () => {
  let room = 1;
  const full = wrongs.refuse('txpool is full').eth_sendRawTransaction;
  const fault = misbehaving({
    eth_sendRawTransaction: async (call, ask) => {
      room -= 1;
      return room >= 0 || full === undefined ? ask(call) : full(call, ask);
    },
  });
  first.setFault(fault);
  second.setFault(misbehaving(wrongs.refuse('txpool is full')));
  const actor = await enter();
  const signed = [];
  for (let nonce = 0n; nonce < 3n; nonce += 1n) signed.push((await sign(actor, transfer(other), nonce)).main);
  const answers = await actor.session.submit(signed.map((one) => ({ ...one, first: true })));
  expect(answers.map(({ status }) => status)).toEqual(['accepted', 'unavailable', 'unavailable']);
  expect(sends(second)).toBe(2);
  room = 10;
  const again = await actor.session.submit(signed);
  expect(again.map(({ status }) => status)).toEqual(['known', 'accepted', 'accepted']);
  expect(await inPool()).toBe(3);
  expect(await warnings(actor)).toEqual([]);
});

test('a transaction that its fee bump replaced is not treated as dropped', async () => {
  const actor = await enter([first, second], { presigned_replacements: true });
  const { attempts } = await sign(actor, transfer(other));
  const [main, bump] = attempts;
  if (main === undefined || bump === undefined) throw new Error('There is no bump.');
  await actor.session.submit([{ ...main, first: true }]);
  await actor.session.submit([{ ...bump, first: true }]);
  const again = await actor.session.submit([
    { ...main, everyNode: true },
    { ...bump, everyNode: true },
  ]);
  expect(again).toMatchObject([{ status: 'refused' }, { status: 'known' }]);
  expect(await warnings(actor)).toEqual([]);
});

test('retries a skipped node at doubling intervals, and ends the warning when the node works', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000);
  const swallowing = misbehaving(wrongs.swallow());
  first.setFault(swallowing);
  const actor = await enter();
  let nonce = 0n;
  const submit = async () => {
    const { main } = await sign(actor, transfer(other), nonce);
    nonce += 1n;
    const before = [sends(first), sends(second)];
    await actor.session.submit([{ ...main, first: true }]);
    await actor.session.submit([main]);
    return [sends(first) - (before[0] ?? 0) > 0, sends(second) - (before[1] ?? 0) > 0];
  };
  expect(await submit()).toEqual([true, true]);
  expect(await submit()).toEqual([false, true]);
  minutes(2.5);
  // The loss is detected immediately, because a node on trial must return the transactions that it accepts.
  expect(await submit()).toEqual([true, true]);
  minutes(2.5);
  expect(await submit()).toEqual([false, true]);
  minutes(2.5);
  first.setFault(undefined);
  expect(await submit()).toEqual([true, false]);
  expect(await warnings(actor)).toEqual([]);
  expect(actor.log.filter(({ event }) => event === 'ethereum.node-back')).toHaveLength(1);
  expect(await inPool()).toBe(Number(nonce));
});

test('reports an outcome even if the first of two nodes drops every transaction', async () => {
  first.setFault(misbehaving({ ...wrongs.swallow(), ...wrongs.hide() }));
  const actor = await enter();
  const { main, pending } = await sign(actor, transfer(other));
  await actor.session.submit([{ ...main, first: true }]);
  await actor.session.submit([main]);
  await node.rpc('anvil_mine', ['0x1']);
  await until(async () => {
    const { outcomes } = await actor.session.confirm({ cursor: null, pending });
    return outcomes.some(({ status }) => status === 'succeeded');
  });
});

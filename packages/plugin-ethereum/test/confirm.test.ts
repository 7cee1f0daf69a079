import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cursor, PendingTransaction } from '@ledger-ops/adapter';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freePort } from '../../../testing/children.ts';
import { type ProxiedCall, type RpcProxy, startProxy } from './proxy.ts';
import { shareAnvil } from './shared-anvil.ts';
import {
  contracts,
  deploy,
  ethereum,
  keyOf,
  ledgerOf,
  openSession,
  settle,
  sign,
  type TestSession,
  transfer,
  until,
} from './stage.ts';

let node: Anvil;
const shared = shareAnvil();
const open: TestSession[] = [];

beforeEach(() => {
  node = shared();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const { session } of open.splice(0)) await session.close();
});

const other = '0x000000000000000000000000000000000000bEEF';
const none = new Map();

async function enter(properties = {}, account = 0, uris = [node.url]): Promise<TestSession> {
  const actor = await openSession(ledgerOf(uris, properties), keyOf(node, account));
  open.push(actor);
  return actor;
}
const mine = (blocks = 1) => node.rpc('anvil_mine', [`0x${blocks.toString(16)}`, '0x1']);

test('reports an outcome only when its block is deep enough, and moves the cursor as the chain grows', async () => {
  const { session, ...rest } = await enter({ confirmations: 3 });
  const { main, pending } = await sign({ session, ...rest }, transfer(other));
  await mine(5);
  const start = await session.confirm({ cursor: null, pending });
  expect(start).toMatchObject({
    cursor: { height: 3 },
    head: { height: 5 },
    outcomes: [],
    reorganised: false,
  });
  await session.submit([main]);
  await mine(2);
  const early = await session.confirm({ cursor: start.cursor, pending });
  expect(early).toMatchObject({ cursor: { height: 5 }, outcomes: [] });
  await mine();
  const done = await session.confirm({ cursor: early.cursor, pending });
  expect(done.outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded', height: 6 }]);
  expect(done.cursor).toMatchObject({ height: 6, hash: done.outcomes[0]?.blockHash });
});

test('reports the outcome of a transaction whose block was read before the transaction became pending', async () => {
  const actor = await enter();
  const { session } = actor;
  let { cursor } = await session.confirm({ cursor: null, pending: none });
  const { main, pending } = await sign(actor, transfer(other));
  await session.submit([main]);
  await mine();
  ({ cursor } = await session.confirm({ cursor, pending: none }));
  const { outcomes } = await session.confirm({ cursor, pending });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
});

test('confirms a whole block in one call; if the cursor is more than 64 blocks behind, looks up receipts by transaction id instead of reading blocks', async () => {
  const actor = await enter();
  const { session, wallet } = actor;
  const { cursor } = await session.confirm({ cursor: null, pending: none });
  const signed = [];
  for (let nonce = 0n; nonce < 120n; nonce += 1n) signed.push(await sign(actor, transfer(other), nonce));
  const answers = await session.submit(signed.map(({ main }) => main));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['accepted']));
  await mine();
  const pending = new Map(signed.flatMap((one) => [...one.pending]));
  const walked = await session.confirm({ cursor, pending });
  expect(walked.outcomes.map(({ status }) => status)).toEqual(Array(120).fill('succeeded'));
  await mine(200);
  const leapt = await session.confirm({ cursor, pending });
  expect(leapt.outcomes).toHaveLength(120);
  expect(leapt.cursor.height).toBe(201);
  expect((await session.sequences([wallet.address]))[0]).toBe(120n);
});

test('reports the mined attempt of an action as succeeded, and its other attempts as superseded', async () => {
  const actor = await enter({ presigned_replacements: true, max_bumps: 3 });
  const { session } = actor;
  const { attempts, main, pending } = await sign(actor, transfer(other));
  expect(attempts.map(({ kind }) => kind)).toEqual(['main', 'bump', 'bump', 'bump', 'noop']);
  await session.submit([main]);
  await mine();
  const first = await session.confirm({ cursor: null, pending });
  expect(first.outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  pending.delete(main.txId);
  await mine(20);
  const then = await session.confirm({ cursor: first.cursor, pending });
  expect(then.outcomes.map(({ status }) => status)).toEqual([
    'superseded',
    'superseded',
    'superseded',
    'superseded',
  ]);
});

test('if the base fee is too high for the main transaction, a bump is mined, or the no-op if it is too high for bumps', async () => {
  const actor = await enter({ presigned_replacements: true });
  const { session, wallet } = actor;
  for (const wanted of ['bump', 'noop']) {
    const { attempts, main, pending, plan } = await sign(actor, transfer(other, 777n));
    const [had] = await session.balances([other]);
    await session.submit([main]);
    const step = wanted === 'bump' ? 1.2 : 1.9;
    const raised = BigInt(Math.floor(Number(plan.maxFeePerGas) * step));
    await node.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${raised.toString(16)}`]);
    await mine();
    const waiting = await session.confirm({ cursor: null, pending });
    expect(waiting.outcomes).toEqual([]);
    const next = attempts.find(({ kind }) => kind === wanted);
    if (next === undefined) throw new Error(`There is no ${wanted}.`);
    expect(await session.submit([next])).toMatchObject([{ status: 'accepted' }]);
    await node.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${raised.toString(16)}`]);
    await mine();
    const done = await session.confirm({ cursor: waiting.cursor, pending });
    expect(done.outcomes).toMatchObject([{ txId: next.txId, status: 'succeeded' }]);
    const [has] = await session.balances([other]);
    expect((has ?? 0n) - (had ?? 0n)).toBe(wanted === 'bump' ? 777n : 0n);
    await node.rpc('anvil_setNextBlockBaseFeePerGas', ['0x1']);
    await mine();
    expect((await session.sequences([wallet.address]))[0]).toBe(wanted === 'bump' ? 1n : 2n);
  }
});

test('reports a transaction as superseded only when the transaction that used its nonce is deep enough', async () => {
  const actor = await enter({ confirmations: 2 });
  const outside = await enter({ confirmations: 2 });
  const { main, pending } = await sign(actor, transfer(other, 1n));
  const { cursor } = await actor.session.confirm({ cursor: null, pending });
  const { main: taken } = await sign(outside, transfer(other, 2n));
  await outside.session.submit([taken]);
  await mine();
  expect((await actor.session.confirm({ cursor: null, pending })).outcomes).toEqual([]);
  expect(await actor.session.submit([main])).toMatchObject([
    { status: 'refused', problem: { code: 'refused', data: { node: 'nonce-too-low' } } },
  ]);
  const { outcomes } = await (async () => {
    let at: Cursor = cursor;
    for (let blocks = 0; blocks < 60; blocks += 1) {
      await mine();
      const confirmed = await actor.session.confirm({ cursor: at, pending });
      at = confirmed.cursor;
      if (confirmed.outcomes.length > 0) return confirmed;
    }
    throw new Error('There was no outcome within 60 blocks.');
  })();
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'superseded' }]);
});

test('after a reorg removed a transaction, reports it as superseded when another transaction with its nonce is deep enough', async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({ confirmations: 2 }, 0, [proxy.url]);
  const outside = await enter({ confirmations: 2 });
  const { main, pending } = await sign(actor, transfer(other, 1n));
  let { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
  await mine(3);
  ({ cursor } = await actor.session.confirm({ cursor, pending: new Map() }));
  // The host does this for a finished action whose transaction disappeared from the chain.
  await actor.session.confirm({ cursor: null, pending });
  const read = async () => {
    const confirmed = await actor.session.confirm({ cursor, pending });
    cursor = confirmed.cursor;
    return confirmed.outcomes;
  };
  expect(await read()).toEqual([]);
  const { main: taken } = await sign(outside, transfer(other, 2n));
  await outside.session.submit([taken]);
  await mine();
  expect(await read()).toEqual([]);
  await mine();
  expect(await read()).toMatchObject([
    { txId: main.txId, status: 'superseded', claim: 'nonce:0', by: taken.txId },
  ]);
  await proxy.close();
});

test('does not read transaction counts at every block for recently sent transactions', async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({ confirmations: 30 }, 0, [proxy.url]);
  let { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
  await mine(30);
  ({ cursor } = await actor.session.confirm({ cursor, pending: new Map() }));
  const { main, pending } = await sign(actor, transfer(other, 1n));
  await actor.session.submit([main]);
  let counts = 0;
  proxy.setFault(async (calls) => {
    counts += calls.filter(({ method }) => method === 'eth_getTransactionCount').length;
    return undefined;
  });
  for (let blocks = 0; blocks < 12; blocks += 1) {
    await mine();
    ({ cursor } = await actor.session.confirm({ cursor, pending }));
  }
  expect(counts).toBeLessThan(4);
  await proxy.close();
});

test.each([1, 2])(
  'an action does not lose its nonce if its receipt is missing in %i answers after the node counted the nonce',
  async (times) => {
    const proxy = await startProxy(node.url);
    const actor = await enter({}, 0, [proxy.url]);
    const { main, pending } = await sign(actor, transfer(other));
    await actor.session.submit([main]);
    await mine();
    let withheld = 0;
    proxy.setFault(async (calls, forward) => {
      const hidden = calls.filter(({ method }) => method === 'eth_getTransactionReceipt').map(({ id }) => id);
      if (withheld === times || hidden.length === 0) return undefined;
      withheld += hidden.length;
      const answers: { id: number }[] = JSON.parse(await forward());
      return JSON.stringify(
        answers.map((one) => (hidden.includes(one.id) ? { jsonrpc: '2.0', id: one.id, result: null } : one)),
      );
    });
    const late = await enter({}, 0, [proxy.url]);
    // If the receipt is missing in both answers, the block itself is read.
    const { outcomes } = await late.session.confirm({ cursor: null, pending });
    expect(withheld).toBe(times);
    expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
    await proxy.close();
  },
);

const isReceipt = ({ method }: ProxiedCall) => /Receipts?$/.test(method);

/**
 * Makes the node return null for the calls that `isWithheld` selects, in the first `times` requests that contain any.
 */
function withhold(proxy: RpcProxy, isWithheld: (call: ProxiedCall) => boolean, times: number): () => number {
  let withheld = 0;
  proxy.setFault(async (calls, forward) => {
    const hidden = calls.filter(isWithheld).map(({ id }) => id);
    if (withheld >= times || hidden.length === 0) return undefined;
    withheld += 1;
    const answers: { id: number }[] = [JSON.parse(await forward())].flat();
    const shown = answers.map((one) =>
      hidden.includes(one.id) ? { jsonrpc: '2.0', id: one.id, result: null } : one,
    );
    return JSON.stringify(calls.length === 1 ? shown[0] : shown);
  });
  return () => withheld;
}

test('does not wait long for a node that temporarily lacks the block of the cursor', async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({}, 0, [proxy.url]);
  const { session } = actor;
  await mine(3);
  const { cursor } = await session.confirm({ cursor: null, pending: none });
  const { main, pending } = await sign(actor, transfer(other));
  await session.submit([main]);
  await mine();
  const isCursor = ({ method, params }: ProxiedCall) =>
    method === 'eth_getBlockByNumber' && Number(params[0]) === cursor.height;
  const withheld = withhold(proxy, isCursor, 2);
  const waiting = await session.confirm({ cursor, pending });
  expect(withheld()).toBe(2);
  expect(waiting).toMatchObject({ cursor, outcomes: [], reorganised: false });
  const { outcomes, reorganised } = await session.confirm({ cursor, pending });
  expect(reorganised).toBe(false);
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  await proxy.close();
});

test('reads blocks only up to the newest one that the node returns, even if it reports a higher block number', async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({}, 0, [proxy.url]);
  const { session } = actor;
  await mine(3);
  const { cursor } = await session.confirm({ cursor: null, pending: none });
  const { main, pending } = await sign(actor, transfer(other));
  await session.submit([main]);
  await mine(2);
  const isNewest = ({ method, params }: ProxiedCall) =>
    method === 'eth_getBlockByNumber' && Number(params[0]) === 5;
  withhold(proxy, isNewest, Number.POSITIVE_INFINITY);
  const first = await session.confirm({ cursor, pending });
  expect(first).toMatchObject({ cursor: { height: 4 }, head: { height: 5 }, reorganised: false });
  expect(first.outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  proxy.setFault(undefined);
  expect(await session.confirm({ cursor: first.cursor, pending: none })).toMatchObject({
    cursor: { height: 5 },
  });
  await proxy.close();
});

test('reports an outcome when its delayed receipt is available', async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({}, 0, [proxy.url]);
  const { session } = actor;
  await mine(3);
  const { cursor } = await session.confirm({ cursor: null, pending: none });
  const { main, pending } = await sign(actor, transfer(other));
  await session.submit([main]);
  await mine(2);
  withhold(proxy, isReceipt, Number.POSITIVE_INFINITY);
  const early = await session.confirm({ cursor, pending });
  expect(early).toMatchObject({ cursor: { height: 5 }, outcomes: [] });
  proxy.setFault(undefined);
  const { outcomes } = await session.confirm({ cursor: early.cursor, pending });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  await proxy.close();
});

test('reads a receipt from a second node if the first node lacks it', async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({}, 0, [proxy.url, node.url]);
  const { session } = actor;
  const { cursor } = await session.confirm({ cursor: null, pending: none });
  const { main, pending } = await sign(actor, transfer(other));
  await session.submit([main]);
  await mine();
  withhold(proxy, isReceipt, Number.POSITIVE_INFINITY);
  const { outcomes } = await session.confirm({ cursor, pending });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  await proxy.close();
});

test('ignores receipts from a node behind a shared address that lacks the block', async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({}, 0, [proxy.url]);
  const { main, pending } = await sign(actor, transfer(other));
  await actor.session.submit([main]);
  await mine();
  const late = await enter({}, 0, [proxy.url]);
  // The node that answers requests for receipts is one block behind.
  proxy.setFault((calls) =>
    calls.some(({ method }) => method === 'eth_getTransactionReceipt')
      ? JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: null })))
      : undefined,
  );
  for (let look = 0; look < 3; look += 1) {
    await expect(late.session.confirm({ cursor: null, pending })).rejects.toThrow('The chain changed');
    await mine(20);
  }
  proxy.setFault(undefined);
  const { outcomes } = await late.session.confirm({ cursor: null, pending });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  await proxy.close();
});

test('on nodes that return blocks only by number, detects that another transaction used a nonce', async () => {
  const proxy = await startProxy(node.url);
  proxy.setFault(async (calls, forward) => {
    const strange = calls.filter(({ params }) => typeof params[1] === 'object').map(({ id }) => id);
    if (strange.length === 0) return undefined;
    const error = { code: -32602, message: 'invalid argument 1: hex string expected' };
    const answers = [JSON.parse(await forward())]
      .flat()
      .map((one: { id: number }) => (strange.includes(one.id) ? { jsonrpc: '2.0', id: one.id, error } : one));
    return JSON.stringify(calls.length === 1 ? answers[0] : answers);
  });
  const actor = await enter({}, 0, [proxy.url]);
  const lost = await sign(actor, transfer(other), 0n);
  const taking = await sign(actor, transfer(other, 7n), 0n);
  await actor.session.submit([taking.main]);
  await mine();
  const found: string[] = [];
  for (let look = 0; look < 3; look += 1) {
    const { outcomes } = await actor.session.confirm({ cursor: null, pending: lost.pending });
    found.push(...outcomes.map(({ status }) => status));
    await mine(20);
  }
  expect(new Set(found)).toEqual(new Set(['superseded']));
  await proxy.close();
});

test('with small batches, accepts a receipt only if the same request also returns its block', async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({}, 0, [proxy.url]);
  const all = new Map<string, PendingTransaction>();
  for (let nonce = 0n; nonce < 20n; nonce += 1n) {
    const { main, pending } = await sign(actor, transfer(other), nonce);
    await actor.session.submit([main]);
    for (const [txId, one] of pending) all.set(txId, one);
  }
  await mine();
  const late = await enter({ rpc_batch: 3 }, 0, [proxy.url]);
  // Requests with only receipts go to a node that is one block behind.
  proxy.setFault((calls) =>
    calls.every(({ method }) => method === 'eth_getTransactionReceipt')
      ? JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: null })))
      : undefined,
  );
  const found = new Map<string, string>();
  for (let look = 0; look < 4; look += 1) {
    const pending = new Map([...all].filter(([txId]) => !found.has(txId)));
    const { outcomes } = await late.session.confirm({ cursor: null, pending });
    for (const { txId, status } of outcomes) found.set(txId, status);
    await mine(20);
  }
  expect(new Set(found.values())).toEqual(new Set(['succeeded']));
  expect(found.size).toBe(20);
  await proxy.close();
});

test('a reorg above the required depth does not cause an outcome, and the transaction becomes final in its new block', async () => {
  const actor = await enter({ confirmations: 3 });
  const { session } = actor;
  await mine(3);
  const { main, pending } = await sign(actor, transfer(other));
  const { cursor } = await session.confirm({ cursor: null, pending });
  await session.submit([main]);
  await mine(2);
  await node.rpc('anvil_reorg', [2, []]);
  const after = await session.confirm({ cursor, pending });
  expect(after).toMatchObject({ outcomes: [], reorganised: false });
  await session.submit([main]);
  await mine(4);
  const { outcomes } = await settle(session, pending, after.cursor);
  expect(outcomes.get(main.txId)).toMatchObject({ status: 'succeeded', height: 6 });
});

test('a reorg below the cursor is reported once, together with the new blocks and outcomes', async () => {
  const actor = await enter();
  const { session } = actor;
  await mine(3);
  const { main, pending } = await sign(actor, transfer(other));
  await session.submit([main]);
  await mine();
  const before = await session.confirm({ cursor: null, pending: none });
  const bytes = `0x${Buffer.from(main.bytes).toString('hex')}`;
  await node.rpc('anvil_reorg', [2, [[bytes, 0]]]);
  await mine();
  const after = await session.confirm({ cursor: before.cursor, pending });
  expect(after.reorganised).toBe(true);
  expect(after.outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded', height: 3 }]);
  expect((await session.confirm({ cursor: after.cursor, pending: none })).reorganised).toBe(false);
});

test('detects a shorter chain as soon as a new block replaces one that was already read', async () => {
  const actor = await enter();
  const { session } = actor;
  let { cursor } = await session.confirm({ cursor: null, pending: none });
  await mine(6);
  ({ cursor } = await session.confirm({ cursor, pending: none }));
  await node.rpc('anvil_rollback', [4]);
  const waiting = await session.confirm({ cursor, pending: none });
  expect(waiting).toMatchObject({ cursor, reorganised: false, outcomes: [] });
  await node.rpc('evm_increaseTime', [500]);
  await node.rpc('evm_mine');
  const after = await session.confirm({ cursor, pending: none });
  expect(after).toMatchObject({ reorganised: true, cursor: { height: 3 } });
});

test('does not report a reorg if one node lacks blocks that were already read and another node has them', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const behind = await startProxy(node.url);
  const actor = await enter({}, 0, [behind.url, node.url]);
  const { session } = actor;
  await mine(3);
  const { cursor } = await session.confirm({ cursor: null, pending: none });
  const { main, pending } = await sign(actor, transfer(other));
  await session.submit([main]);
  await mine(2);
  const old = await node.rpc('eth_getBlockByNumber', ['0x2', false]);
  behind.setFault(async (calls, forward) => {
    const answers: { id: number }[] = JSON.parse(await forward());
    const isNewer = ({ params: [block] }: ProxiedCall) => typeof block === 'string' && Number(block) > 2;
    return JSON.stringify(
      answers.map((answer) => {
        const call = calls.find(({ id }) => id === answer.id);
        if (call?.method !== 'eth_getBlockByNumber') return answer;
        if (call.params[0] === 'latest') return { ...answer, result: old };
        return isNewer(call) ? { ...answer, result: null } : answer;
      }),
    );
  });
  for (let look = 0; look < 3; look += 1) {
    vi.advanceTimersByTime(20_000);
    const confirmed = await session.confirm({ cursor, pending });
    expect(confirmed).toMatchObject({ cursor: { height: 5 }, reorganised: false });
    expect(confirmed.outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
  }
  await behind.close();
});

test("after a reset, reports the new chain's genesis and uses no cached state", async () => {
  const proxy = await startProxy(node.url);
  const actor = await enter({ chain_id: 31337 }, 0, [proxy.url]);
  const { session, wallet } = actor;
  await node.rpc('evm_setAutomine', [true]);
  const contract = await deploy(actor, contracts.Receiver);
  const before = await session.chain();
  const { cursor } = await session.confirm({ cursor: null, pending: none });
  const fresh = await startAnvil({ mining: 'manual', extraArgs: ['--timestamp', '1700000000'] });
  try {
    await proxy.goDown();
    await expect(session.confirm({ cursor, pending: none })).rejects.toMatchObject({
      code: 'unavailable',
      phase: 'confirm',
    });
    proxy.retarget(fresh.url);
    await proxy.comeUp();
    const after = await session.confirm({ cursor, pending: none });
    expect(after).toMatchObject({ reorganised: true, cursor: { height: 0 } });
    const now = await session.chain();
    expect(now.id).toBe(before.id);
    expect(now.genesis).not.toBe(before.genesis);
    expect((await session.confirm({ cursor: after.cursor, pending: none })).reorganised).toBe(false);
    const operation = {
      type: 'contract_call',
      contract: { address: contract },
      data: '0x',
      value: 0n,
      native: ethereum,
    } as const;
    await expect(session.check({ wallet, operation })).rejects.toMatchObject({ code: 'unknown-contract' });
  } finally {
    await proxy.close();
    await fresh.stop();
  }
});

test('detects a reset of the chain by the cursor, even if the connection was not lost', async () => {
  const { session } = await enter();
  await mine(2);
  const { cursor } = await session.confirm({ cursor: null, pending: none });
  await node.rpc('anvil_rollback', [2]);
  await node.rpc('evm_increaseTime', [100]);
  await mine(3);
  expect((await session.confirm({ cursor, pending: none })).reorganised).toBe(true);
});

test('detects that a killed node lost its last blocks, and can submit the same bytes again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plugin-ethereum-'));
  const stateFile = join(folder, 'state.json');
  // The node saves its state only if it exits cleanly, so all later blocks are lost.
  const options = { stateFile, stateInterval: 3600 };
  // A node may not save its state if it is stopped right after its start.
  await until(async () => {
    await (await startAnvil(options)).stop();
    return existsSync(stateFile);
  });
  let own = await startAnvil({ ...options, port: await freePort() });
  const actor = await enter({}, 0, [own.url]);
  const { session } = actor;
  try {
    const { genesis } = await session.chain();
    const { main, pending } = await sign(actor, transfer(other, 3n));
    await session.submit([main]);
    const { cursor } = await settle(session, pending);
    await own.kill();
    own = await startAnvil({ ...options, port: own.port });
    let at = cursor;
    await until(async () => {
      const confirmed = await session.confirm({ cursor: at, pending });
      at = confirmed.cursor;
      return confirmed.reorganised;
    });
    expect((await session.chain()).genesis).toBe(genesis);
    expect(await session.submit([main])).toMatchObject([{ status: 'accepted' }]);
    expect((await settle(session, pending, at)).outcomes.get(main.txId)).toHaveProperty(
      'status',
      'succeeded',
    );
  } finally {
    await own.stop();
    await rm(folder, { recursive: true });
  }
});

test('does not treat the chain as a new one if only block 0 changes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plugin-ethereum-'));
  const stateFile = join(folder, 'state.json');
  const options = { stateFile, stateInterval: 3600, mining: 'manual' } as const;
  let own = await startAnvil({ ...options, port: await freePort() });
  try {
    await own.rpc('anvil_mine', ['0x3']);
    const firstBlock = () => own.rpc<{ hash: string }>('eth_getBlockByNumber', ['0x0', false]);
    const { hash } = await firstBlock();
    const { session } = await enter({}, 0, [own.url]);
    const before = await session.chain();
    expect(before.genesis).toBe(hash);
    const { cursor } = await session.confirm({ cursor: null, pending: none });
    await own.stop();
    // Anvil creates a block 0 at each start, keeps all former ones, and continues from any of them.
    const state = JSON.parse(await readFile(stateFile, 'utf8'));
    const first = state.blocks.find(
      ({ header }: { header: { number: string } }) => Number(header.number) === 0,
    );
    first.header.timestamp = '0x1';
    await writeFile(stateFile, JSON.stringify(state));
    own = await startAnvil({ ...options, port: own.port });
    expect((await firstBlock()).hash).not.toBe(hash);
    await own.rpc('anvil_mine', ['0x1']);
    await until(async () => (await session.chain().catch(() => null)) !== null);
    const after = await session.confirm({ cursor, pending: none });
    expect(after).toMatchObject({ cursor: { height: 4 }, reorganised: false });
    expect(await session.chain()).toEqual(before);
    expect(await session.chain({ everyNode: true })).toEqual(before);
    const { session: reopened } = await enter({}, 0, [own.url]);
    expect(await reopened.chain()).toEqual(before);
  } finally {
    await own.stop();
    await rm(folder, { recursive: true });
  }
});

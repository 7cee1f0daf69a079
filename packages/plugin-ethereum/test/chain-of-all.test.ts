import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fault, type RpcProxy, startProxy } from './proxy.ts';
import { execute, keyOf, ledgerOf, openSession, type TestSession, transfer } from './stage.ts';

/** Two nodes with the same chain id; the second one was reset. */
let right: Anvil;
let rebuilt: Anvil;
let nodes: [RpcProxy, RpcProxy];
const open: TestSession[] = [];
const other = '0x000000000000000000000000000000000000bEEF';
const rebuiltAt = ['--timestamp', '1600000000'];

beforeAll(async () => {
  right = await startAnvil();
  rebuilt = await startAnvil({ extraArgs: rebuiltAt });
});
afterAll(async () => {
  await right?.stop();
  await rebuilt?.stop();
});
beforeEach(async () => {
  nodes = [await startProxy(right.url), await startProxy(rebuilt.url)];
});
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
  for (const node of nodes) await node.close();
});

async function enter(properties = {}): Promise<TestSession> {
  const actor = await openSession(
    ledgerOf(
      nodes.map(({ url }) => url),
      properties,
    ),
    keyOf(right),
  );
  open.push(actor);
  return actor;
}

/** Makes a node answer one method differently. */
function answering(method: string, parameter: unknown, result: () => Promise<unknown>): Fault {
  return async (calls, forward) => {
    const one = calls.find((call) => call.method === method && call.params[0] === parameter);
    if (one === undefined) return undefined;
    const answers: { id: number }[] = JSON.parse(await forward());
    const other = { jsonrpc: '2.0', id: one.id, result: await result() };
    return JSON.stringify(answers.map((answer) => (answer.id === one.id ? other : answer)));
  };
}

test('the chain identity is uncertain while one node does not answer, and the reason names that node', async () => {
  const [first] = nodes;
  await first.goDown();
  const { session } = await enter({ chain_id: 31337 });
  const seen = await session.chain();
  expect(seen).not.toHaveProperty('unsure');
  const all = await session.chain({ everyNode: true });
  expect(all).toEqual({ ...seen, unsure: expect.stringContaining('node-0') });
});

test('after first connecting to a node of a wrong chain, a session accepts the right node when it is reachable again', async () => {
  const [first, second] = nodes;
  await first.goDown();
  const actor = await enter();
  const wrong = await actor.session.chain();
  await actor.session.chain({ everyNode: true });
  await first.comeUp();
  await second.goDown();
  const chain = await actor.session.chain();
  expect(chain.genesis).not.toBe(wrong.genesis);
  expect(await execute(actor, transfer(other))).toHaveProperty('status', 'succeeded');
});

test('if nodes disagree, the chain is unavailable, and the error names both nodes', async () => {
  const { session } = await enter();
  const { genesis } = await session.chain();
  await expect(session.chain({ everyNode: true })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/node-0.*node-1/),
  });
  // The ledger can still be used through one of the nodes.
  expect((await session.chain()).genesis).toBe(genesis);
});

test('the chain identity is certain if all nodes agree, even after the chain was reset', async () => {
  const [first, second] = nodes;
  second.retarget(right.url);
  const { session } = await enter();
  const before = await session.chain();
  expect(await session.chain({ everyNode: true })).toEqual(before);
  first.retarget(rebuilt.url);
  second.retarget(rebuilt.url);
  const after = await session.chain({ everyNode: true });
  expect(after).toEqual({ id: before.id, genesis: expect.not.stringContaining(before.genesis) });
  expect(await session.chain()).toEqual(after);
});

test('the chain identity is uncertain while a node is far behind or syncing', async () => {
  const [first, second] = nodes;
  second.retarget(right.url);
  await right.rpc('anvil_mine', ['0x60']);
  const { session } = await enter();
  first.setFault(
    answering('eth_getBlockByNumber', 'latest', () => right.rpc('eth_getBlockByNumber', ['0x2', false])),
  );
  expect(await session.chain({ everyNode: true })).toMatchObject({
    unsure: expect.stringMatching(/^Node node-0 is at block 2, but node node-1 is at block \d+\.$/),
  });
  first.setFault(answering('eth_syncing', undefined, async () => ({ currentBlock: '0x7' })));
  expect(await session.chain({ everyNode: true })).toMatchObject({
    unsure: expect.stringMatching(/^Node node-0 is still syncing; it is at block \d+\.$/),
  });
  first.setFault(undefined);
  expect(await session.chain({ everyNode: true })).not.toHaveProperty('unsure');
});

test('requests the chain identity from all nodes concurrently', async () => {
  const [, second] = nodes;
  second.retarget(right.url);
  const asked = nodes.map(() => Promise.withResolvers<void>());
  for (const [index, node] of nodes.entries()) {
    node.setFault(async (_calls, forward) => {
      asked[index]?.resolve();
      // No node answers until all have been queried.
      await Promise.all(asked.map(({ promise }) => promise));
      return forward();
    });
  }
  const { session } = await enter();
  expect(await session.chain({ everyNode: true })).not.toHaveProperty('unsure');
});

test('does not wait for an unreachable node unless every node must answer', async () => {
  const [, second] = nodes;
  second.setFault(async (_calls, _forward, response) => {
    await new Promise((resolve) => response.once('close', resolve));
    return undefined;
  });
  const { session } = await enter();
  expect(await session.chain()).toMatchObject({ id: 'eip155:31337' });
  expect(second.requests()).toBe(0);
});

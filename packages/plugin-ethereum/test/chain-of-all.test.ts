import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RpcProxy, startProxy } from './proxy.ts';
import { execute, keyOf, ledgerOf, openSession, type TestSession, transfer } from './stage.ts';

/** Two nodes with one chain id; the second was made anew. */
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

test('while one node is silent, the chain of the other is unsure, and the words name the silent one', async () => {
  const [first] = nodes;
  await first.goDown();
  const { session } = await enter({ chain_id: 31337 });
  const seen = await session.chain();
  expect(seen).not.toHaveProperty('unsure');
  const all = await session.chain({ everyNode: true });
  expect(all).toEqual({ ...seen, unsure: expect.stringContaining('node-0') });
});

test('the right node that comes back is no stranger to a session that met the wrong one first', async () => {
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

test('nodes that disagree make the chain unavailable, and the error names both', async () => {
  const { session } = await enter();
  const { genesis } = await session.chain();
  await expect(session.chain({ everyNode: true })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/node-0.*node-1/),
  });
  // One of them is still what the ledger is used by, as ever.
  expect((await session.chain()).genesis).toBe(genesis);
});

test('nodes that agree are sure, also that the chain was reset', async () => {
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

test('all nodes are asked at once', async () => {
  const [, second] = nodes;
  second.retarget(right.url);
  const asked = nodes.map(() => Promise.withResolvers<void>());
  for (const [index, node] of nodes.entries()) {
    node.setFault(async (_calls, forward) => {
      asked[index]?.resolve();
      // None answers before all are asked.
      await Promise.all(asked.map(({ promise }) => promise));
      return forward();
    });
  }
  const { session } = await enter();
  expect(await session.chain({ everyNode: true })).not.toHaveProperty('unsure');
});

test('without the question for every node, a dead node is not waited for', async () => {
  const [, second] = nodes;
  second.setFault(async (_calls, _forward, response) => {
    await new Promise((resolve) => response.once('close', resolve));
    return undefined;
  });
  const { session } = await enter();
  expect(await session.chain()).toMatchObject({ id: 'eip155:31337' });
  expect(second.requests()).toBe(0);
});

import type { Head } from '@ledger-ops/adapter';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forwardBlockedPort } from '../../../testing/blocked-port.ts';
import { freePort } from '../../../testing/children.ts';
import { startProxy } from './proxy.ts';
import { keyOf, ledgerOf, openSession, type TestSession, until } from './stage.ts';

let node: Anvil;
let actor: TestSession | undefined;

beforeEach(async () => {
  // A fixed port, so that a restarted node uses the same one.
  node = await startAnvil({ mining: 'manual', port: await freePort() });
});
afterEach(async () => {
  await actor?.session.close();
  await node.stop();
});

test('reports a new head through a WebSocket address without waiting for the next poll', async () => {
  // The polling interval is longer than the test, so every head comes from the subscription.
  actor = await openSession(ledgerOf([node.wsUrl], { polling_interval: 600_000 }), keyOf(node));
  const { session } = actor;
  const heads: Head[] = [];
  const stop = session.onHead((head) => heads.push(head));
  await until(() => heads.length > 0);
  for (let height = 1; height <= 3; height += 1) {
    await node.rpc('evm_mine');
    await until(() => heads.at(-1)?.height === height);
  }
  expect((await session.confirm({ cursor: null, pending: new Map() })).head).toEqual(heads.at(-1));
  stop();
});

test('subscribes to heads at a port that browsers block, and names the port in the error if nothing listens there', async () => {
  const { port, close } = await forwardBlockedPort(node.url);
  actor = await openSession(ledgerOf([`ws://127.0.0.1:${port}`], { polling_interval: 600_000 }), keyOf(node));
  const { session } = actor;
  const heads: Head[] = [];
  const stop = session.onHead((head) => heads.push(head));
  await until(() => heads.length > 0);
  for (let height = 1; height <= 3; height += 1) {
    await node.rpc('evm_mine');
    await until(() => heads.at(-1)?.height === height);
  }
  stop();
  await close();
  await expect(session.chain({ everyNode: true })).rejects.toThrow(`cannot be reached on port ${port}`);
});

test('polls for new heads when a subscription is lost', async () => {
  actor = await openSession(ledgerOf([node.wsUrl], { polling_interval: 20 }), keyOf(node));
  const { session } = actor;
  const heads: Head[] = [];
  session.onHead((head) => heads.push(head));
  await until(() => heads.length > 0);
  const { port } = node;
  await node.kill();
  node = await startAnvil({ mining: 'manual', port, extraArgs: ['--timestamp', '1700000000'] });
  await node.rpc('anvil_mine', ['0x3']);
  await until(() => heads.at(-1)?.height === 3);
  const { genesis } = await session.chain();
  const first = await node.rpc<{ hash: string }>('eth_getBlockByNumber', ['0x0', false]);
  expect(genesis).toBe(first.hash);
});

test('sends no queries for new heads while there are no listeners', async () => {
  const proxy = await startProxy(node.url);
  actor = await openSession(ledgerOf([proxy.url], { polling_interval: 10 }), keyOf(node));
  const heads: Head[] = [];
  const stop = actor.session.onHead((head) => heads.push(head));
  await until(() => heads.length > 0);
  const polled = proxy.requests();
  await until(() => proxy.requests() > polled + 3);
  stop();
  await actor.session.chain();
  const before = proxy.requests();
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 100);
  await promise;
  // One poll may have been running already.
  expect(proxy.requests() - before).toBeLessThanOrEqual(1);
  await proxy.close();
});

test('reports each head once, even if it is polled several times', async () => {
  actor = await openSession(ledgerOf([node.url], { polling_interval: 10 }), keyOf(node));
  const heads: Head[] = [];
  actor.session.onHead((head) => heads.push(head));
  for (let height = 1; height <= 3; height += 1) {
    await node.rpc('evm_mine');
    await until(() => heads.at(-1)?.height === height);
  }
  expect(new Set(heads.map(({ hash }) => hash)).size).toBe(heads.length);
});

import { type Anvil, type RpcProxy, startAnvil, startProxy } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readProperties } from '../src/properties.ts';
import { Nodes } from '../src/rpc/nodes.ts';
import { defaultTiming } from '../src/timing.ts';
import { ledgerOf } from './stage.ts';

let anvil: Anvil;
/** A proxy that answers every request with HTTP status 429. */
let limited: RpcProxy;
let other: RpcProxy;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil?.stop());
beforeEach(async () => {
  limited = await startProxy(anvil.url);
  other = await startProxy(anvil.url);
  limited.setFault((_calls, _forward, response) => {
    response.writeHead(429, { 'retry-after': '30' }).end('Too Many Requests');
    return undefined;
  });
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await limited.close();
  await other.close();
});

function open(urls: string[]) {
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const { signal } = new AbortController();
  const host = { now: () => clock.now, log: () => undefined, signal };
  const ledger = ledgerOf(urls);
  const nodes = new Nodes(ledger, readProperties(ledger), host, signal, defaultTiming);
  ends.push(() => nodes.close());
  const ask = () =>
    nodes.onNode('check', async (node) => {
      await node.batch([{ method: 'eth_blockNumber', params: [] }]);
      return node.nodeId;
    });
  return { ask, clock };
}

test('sends no requests to a node until its rate limit ends, and reports the remaining time', async () => {
  const { ask, clock } = open([limited.url]);
  await expect(ask()).rejects.toMatchObject({ problem: { code: 'unavailable', retryAfterMs: 30_000 } });
  expect(limited.requests()).toBe(1);
  clock.now += 29_000;
  const refusals = await Promise.allSettled(Array.from({ length: 20 }, ask));
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ reason: { problem: { code: 'unavailable', retryAfterMs: 1_000 } } });
  }
  expect(limited.requests()).toBe(1);
  clock.now += 1_000;
  await expect(ask()).rejects.toMatchObject({ problem: { retryAfterMs: 30_000 } });
  expect(limited.requests()).toBe(2);
});

test('uses another node while one node has a rate limit', async () => {
  const { ask, clock } = open([limited.url, other.url]);
  for (let times = 0; times < 10; times += 1) {
    expect(await ask()).toBe('node-1');
    clock.now += 2_000;
  }
  expect(limited.requests()).toBe(1);
});

test('sends a whole batch to another node if one of its calls exceeds a rate limit', async () => {
  limited.setFault(async (calls, forward) => {
    const answers: { id: number }[] = JSON.parse(await forward());
    const data = { rate: { backoff_seconds: 30 } };
    const error = { code: -32_005, message: 'project ID request rate exceeded', data };
    const last = calls.at(-1)?.id;
    return JSON.stringify([answers].flat().map((one) => (one.id === last ? { id: last, error } : one)));
  });
  const { ask } = open([limited.url, other.url]);
  expect([await ask(), await ask()]).toEqual(['node-1', 'node-1']);
  expect(limited.requests()).toBe(1);
});

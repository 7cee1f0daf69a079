import { profileFault, type RpcProxy, rateLimit, startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { forwardBlockedPort } from '../../../testing/blocked-port.ts';
import { fund, furnish, recipient, transferOf } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, pendingOf, sign } from './stage.ts';

let ledger: SolanaProcess;
let first: RpcProxy;
let second: RpcProxy;
const actors: Actor[] = [];

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  [first, second] = await Promise.all([startProxy(ledger.url), startProxy(ledger.url)]);
});
afterEach(async () => {
  first.setFault(undefined);
  second.setFault(undefined);
  await Promise.all(actors.splice(0).map(({ session }) => session.close()));
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await ledger?.stop();
});

async function open(urls: readonly string[], properties = {}): Promise<Actor> {
  const actor = await openActor(ledgerOf(urls, properties));
  actors.push(actor);
  await fund(ledger, actor.wallet.address, 10_000_000_000);
  return actor;
}

/** Makes a node answer these methods with these values. Other methods are passed on. */
function answering(proxy: RpcProxy, answers: Record<string, unknown>): void {
  proxy.setFault((calls) => {
    const [call] = calls;
    if (call === undefined || !(call.method in answers)) return undefined;
    return JSON.stringify({ jsonrpc: '2.0', id: call.id, result: answers[call.method] });
  });
}

test('uses another node if one node fails, and logs the failure', async () => {
  const { session, wallet, logged } = await open([first.url, second.url]);
  first.setFault((_calls, _forward, response) => {
    response.writeHead(503).end('busy');
    return undefined;
  });
  expect(await session.balances([wallet.address])).toEqual([10_000_000_000n]);
  expect(logged.join()).toMatch(/solana.node-failed.*node-1.*503/);
});

test('reaches a node at a port that browsers block, and names the port in the error if nothing listens there', async () => {
  const { port, close } = await forwardBlockedPort(first.url);
  const { session, wallet } = await open([`http://127.0.0.1:${port}`]);
  expect(await session.balances([wallet.address])).toEqual([10_000_000_000n]);
  await close();
  await expect(session.balances([wallet.address])).rejects.toThrow(`cannot be reached on port ${port}`);
});

test('does not follow a redirect, and names its status in the error', async () => {
  const { session, wallet } = await open([first.url]);
  first.setFault((_calls, _forward, response) => {
    response.writeHead(302, { location: second.url }).end();
    return undefined;
  });
  await expect(session.balances([wallet.address])).rejects.toThrow('302; redirects are not followed');
});

test('uses another node until the rate limit of a node ends', async () => {
  const { session, wallet, logged } = await open([first.url, second.url]);
  let refused = 0;
  first.setFault((_calls, _forward, response) => {
    refused += 1;
    response.writeHead(429, { 'retry-after': '30' }).end('Too many requests');
    return undefined;
  });
  for (let times = 0; times < 5; times += 1) {
    expect(await session.balances([wallet.address])).toEqual([10_000_000_000n]);
  }
  expect(refused).toBe(1);
  expect(logged.join()).toMatch(/solana.node-failed.*node-1.*429/);
});

test('reports how long the only node’s rate limit lasts, and does not retry earlier', async () => {
  const { session, wallet } = await open([first.url]);
  let refused = 0;
  first.setFault((calls) => {
    refused += 1;
    const error = { code: -32_000, message: 'Too many requests for a specific RPC call, try again in 30s' };
    return JSON.stringify({ jsonrpc: '2.0', id: calls[0]?.id, error });
  });
  const failure = await session.balances([wallet.address]).catch((error: unknown) => error);
  expect(failure).toMatchObject({ problem: { code: 'unavailable', retryAfterMs: 30_000 } });
  await expect(session.balances([wallet.address])).rejects.toThrow('its rate limit');
  expect(refused).toBe(1);
});

/** Accepts this many calls per window. */
function limit(proxy: RpcProxy, calls: number, retryAfter: number, windowMs = 200): void {
  const refusal = { status: 429, headers: { 'retry-after': String(retryAfter) }, body: 'Too many requests' };
  proxy.setFault(profileFault({ gates: [rateLimit({ calls, windowMs }, () => refusal)] }));
}

test('if the only node’s rate limit interrupts an estimate, the estimate continues when the limit ends', async () => {
  const { session, wallet } = await open([first.url]);
  const { plan } = await session.check({ wallet, operation: transferOf(recipient, 1_000_000n) });
  let refused = 0;
  // The rate limit applies to the second call of the estimate.
  first.setFault(([call], _forward, response) => {
    if (call?.method !== 'getRecentPrioritizationFees' || refused === 2) return undefined;
    refused += 1;
    response.writeHead(429, { 'retry-after': '0' }).end('Too many requests');
    return undefined;
  });
  const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
  expect(estimated).toMatchObject({ status: 'ready' });
  expect(refused).toBe(2);
  expect(first.methods.filter((method) => method === 'simulateTransaction')).toHaveLength(1);
});

test('if a rate limit interrupts reading outcomes, the outcomes that were already read are returned', async () => {
  const actor = await open([first.url]);
  const { session } = actor;
  const { cursor } = await session.confirm({ cursor: null, pending: new Map() });
  const signed = [];
  for (let index = 0; index < 12; index += 1)
    signed.push(await sign(actor, transferOf(recipient, BigInt(1_000_000 + index))));
  await session.submit(signed);
  await ledger.rpc('devnet_mine', [4]);
  const pending = pendingOf(actor, signed);
  // The window is longer than the test, however slow the machine is.
  limit(first, 10, 30, 600_000);
  const { outcomes } = await session.confirm({ cursor, pending });
  expect(outcomes.length).toBeGreaterThan(0);
  expect(outcomes.length).toBeLessThan(12);
});

test.each([
  [
    'a height that is not a number',
    {
      getLatestBlockhash: {
        context: { slot: 1 },
        value: { blockhash: recipient, lastValidBlockHeight: 'x' },
      },
    },
  ],
  [
    'an invalid hash',
    { getLatestBlockhash: { context: { slot: 1 }, value: { blockhash: '', lastValidBlockHeight: 200 } } },
  ],
  ['the result null', { getLatestBlockhash: null }],
])('treats a node that answers with %s as unavailable and queries another node', async (_what, answers) => {
  const alone = await open([first.url]);
  const both = await open([first.url, second.url]);
  answering(first, answers);
  const request = { cursor: null, pending: new Map() };
  await expect(alone.session.confirm(request)).rejects.toMatchObject({
    code: 'unavailable',
    phase: 'confirm',
  });
  expect((await both.session.confirm(request)).head.height).toBeGreaterThan(0);
});

test('does not use a node on another chain, and reports the difference when all nodes are queried', async () => {
  const { session } = await open([first.url, second.url]);
  const chain = await session.chain();
  answering(second, { getGenesisHash: recipient });
  await expect(session.chain({ everyNode: true })).rejects.toMatchObject({ code: 'unavailable' });
  first.setFault((_calls, _forward, response) => {
    response.destroy();
    return undefined;
  });
  await expect(session.confirm({ cursor: null, pending: new Map() })).rejects.toMatchObject({
    code: 'unavailable',
  });
  first.setFault(undefined);
  expect(await session.chain()).toEqual(chain);
});

test('a ledger with a genesis_hash does not accept a node of another chain', async () => {
  const { session } = await open([first.url], { genesis_hash: recipient });
  await expect(session.chain()).rejects.toMatchObject({ code: 'wrong-chain', phase: 'open' });
});

test('lists nodes that do not respond in `unsure`', async () => {
  const { session } = await open([first.url, second.url]);
  const chain = await session.chain();
  first.setFault((_calls, _forward, response) => {
    response.destroy();
    return undefined;
  });
  const all = await session.chain({ everyNode: true });
  expect(all).toMatchObject(chain);
  expect(all.unsure).toMatch(/node-1/);
});

test('finds an outcome on a second node if the first node lacks it', async () => {
  const actor = await open([first.url, second.url]);
  const main = await sign(actor, transferOf(recipient));
  expect(await actor.session.submit([main])).toMatchObject([{ status: 'accepted' }]);
  await ledger.rpc('devnet_mine', [3]);
  answering(first, { getSignatureStatuses: { context: { slot: 1 }, value: [null] } });
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
});

test('a node that is behind does not move the cursor back', async () => {
  const { session } = await open([first.url]);
  const { cursor } = await session.confirm({ cursor: null, pending: new Map() });
  await ledger.rpc('devnet_setBehind', [1]);
  try {
    expect(await session.confirm({ cursor, pending: new Map() })).toMatchObject({
      cursor,
      reorganised: false,
    });
  } finally {
    await ledger.rpc('devnet_setBehind', [0]);
  }
});

test('an estimate waits for a node that has the blocks of its dependencies', async () => {
  const { session, wallet } = await open([first.url]);
  const { plan } = await session.check({ wallet, operation: transferOf(recipient) });
  const { head } = await session.confirm({ cursor: null, pending: new Map() });
  const [late] = await session.estimate([{ wallet, plan, minHeight: head.height + 1 }]);
  expect(late).toMatchObject({ status: 'wait', problem: { code: 'unavailable' } });
  await ledger.rpc('devnet_mine', [1]);
  const [soon] = await session.estimate([{ wallet, plan, minHeight: head.height + 1 }]);
  expect(soon).toMatchObject({ status: 'ready' });
});

test('accepts a transaction that the node has already processed', async () => {
  const actor = await open([first.url]);
  first.setFault(([call]) =>
    call?.method === 'sendTransaction'
      ? JSON.stringify({
          ...{ jsonrpc: '2.0', id: call.id },
          error: {
            code: -32_002,
            message: 'Transaction simulation failed',
            data: { err: 'AlreadyProcessed' },
          },
        })
      : undefined,
  );
  const main = await sign(actor, transferOf(recipient));
  expect(await actor.session.submit([main])).toEqual([{ txId: main.txId, status: 'known' }]);
});

test('sends late transactions to every node', async () => {
  const actor = await open([first.url, second.url]);
  const main = await sign(actor, transferOf(recipient));
  const before = second.methods.length;
  await actor.session.submit([main]);
  expect(second.methods.slice(before)).not.toContain('sendTransaction');
  await actor.session.submit([{ ...main, everyNode: true }]);
  expect(second.methods.slice(before)).toContain('sendTransaction');
});

test('problems and the log do not contain the credentials of an address', async () => {
  const { session, logged } = await open([first.url.replace('127.0.0.1', 'user:hunter2@127.0.0.1')]);
  await session.chain();
  await first.goDown();
  const failure = await session
    .confirm({ cursor: null, pending: new Map() })
    .catch((error: unknown) => error);
  await first.comeUp();
  expect(JSON.stringify([failure, logged, String(failure)])).not.toMatch(/hunter2/);
});

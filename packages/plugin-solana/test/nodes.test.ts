import { type RpcProxy, startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
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

/** Has a node answer one method with this; others pass. */
function answering(proxy: RpcProxy, answers: Record<string, unknown>): void {
  proxy.setFault((calls) => {
    const [call] = calls;
    if (call === undefined || !(call.method in answers)) return undefined;
    return JSON.stringify({ jsonrpc: '2.0', id: call.id, result: answers[call.method] });
  });
}

test('what one node cannot do another does, and the log names the one that failed', async () => {
  const { session, wallet, logged } = await open([first.url, second.url]);
  first.setFault((_calls, _forward, response) => {
    response.writeHead(503).end('busy');
    return undefined;
  });
  expect(await session.balances([wallet.address])).toEqual([10_000_000_000n]);
  expect(logged.join()).toMatch(/solana.node-failed.*node-1.*503/);
});

test.each([
  [
    'a height that is no number',
    {
      getLatestBlockhash: {
        context: { slot: 1 },
        value: { blockhash: recipient, lastValidBlockHeight: 'x' },
      },
    },
  ],
  [
    'a hash that is none',
    { getLatestBlockhash: { context: { slot: 1 }, value: { blockhash: '', lastValidBlockHeight: 200 } } },
  ],
  ['nothing', { getLatestBlockhash: null }],
])('a node that answers with %s is unavailable, and another is asked', async (_what, answers) => {
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

test('a node on another chain is not used, and all nodes together say that they differ', async () => {
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

test('a ledger with a genesis_hash takes no node of another chain', async () => {
  const { session } = await open([first.url], { genesis_hash: recipient });
  await expect(session.chain()).rejects.toMatchObject({ code: 'wrong-chain', phase: 'open' });
});

test('nodes that do not answer stand in unsure', async () => {
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

test('an outcome that the first node does not show is found on another', async () => {
  const actor = await open([first.url, second.url]);
  const main = await sign(actor, transferOf(recipient));
  expect(await actor.session.submit([main])).toMatchObject([{ status: 'accepted' }]);
  await ledger.rpc('devnet_mine', [3]);
  answering(first, { getSignatureStatuses: { context: { slot: 1 }, value: [null] } });
  const { outcomes } = await actor.session.confirm({ cursor: null, pending: pendingOf(actor, [main]) });
  expect(outcomes).toMatchObject([{ txId: main.txId, status: 'succeeded' }]);
});

test('a node that is behind says nothing of the cursor, and the cursor does not go back', async () => {
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

test('an estimate waits for a node that has the blocks of what it depends on', async () => {
  const { session, wallet } = await open([first.url]);
  const { plan } = await session.check({ wallet, operation: transferOf(recipient) });
  const { head } = await session.confirm({ cursor: null, pending: new Map() });
  const [late] = await session.estimate([{ wallet, plan, minHeight: head.height + 1 }]);
  expect(late).toMatchObject({ status: 'wait', problem: { code: 'unavailable' } });
  await ledger.rpc('devnet_mine', [1]);
  const [soon] = await session.estimate([{ wallet, plan, minHeight: head.height + 1 }]);
  expect(soon).toMatchObject({ status: 'ready' });
});

test('what is late goes to every node', async () => {
  const actor = await open([first.url, second.url]);
  const main = await sign(actor, transferOf(recipient));
  const before = second.methods.length;
  await actor.session.submit([main]);
  expect(second.methods.slice(before)).not.toContain('sendTransaction');
  await actor.session.submit([{ ...main, everyNode: true }]);
  expect(second.methods.slice(before)).toContain('sendTransaction');
});

test('credentials of an address stand neither in problems nor in the log', async () => {
  const { session, logged } = await open([first.url.replace('127.0.0.1', 'user:hunter2@127.0.0.1')]);
  await session.chain();
  await first.goDown();
  const failure = await session
    .confirm({ cursor: null, pending: new Map() })
    .catch((error: unknown) => error);
  await first.comeUp();
  expect(JSON.stringify([failure, logged, String(failure)])).not.toMatch(/hunter2/);
});

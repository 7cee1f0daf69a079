import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Anvil, misbehaving, startAnvil, withResult } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fault, type RpcProxy, startProxy } from './proxy.ts';
import {
  call,
  contracts,
  deploy,
  execute,
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
let proxy: RpcProxy;
const open: TestSession[] = [];

beforeAll(async () => {
  node = await startAnvil();
});
afterAll(() => node?.stop());
beforeEach(async () => {
  proxy = await startProxy(node.url);
});
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
  await proxy.close();
});

const other = '0x000000000000000000000000000000000000bEEF';

async function enter(uris: string[], properties = {}, account = 0): Promise<TestSession> {
  const actor = await openSession(ledgerOf(uris, properties), keyOf(node, account));
  open.push(actor);
  return actor;
}

async function deadPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // The address of a listening TCP server is always an AddressInfo.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

test('sends all requests to the second node if the first is unreachable', async () => {
  const actor = await enter([await deadPort(), node.url]);
  expect(await execute(actor, transfer(other))).toHaveProperty('status', 'succeeded');
  expect(actor.log.filter(({ event }) => event === 'ethereum.node-failed')).toHaveLength(1);
});

test('does not follow a redirect, and names its status in the error', async () => {
  const actor = await enter([proxy.url]);
  proxy.setFault((_calls, _forward, response) => {
    response.writeHead(302, { location: node.url }).end();
    return undefined;
  });
  await expect(actor.session.balances([other])).rejects.toThrow(
    /^Node \S+ answered with HTTP status 302 to a request with 3 calls; redirects are not followed\.$/,
  );
});

test('continues with the second node when the first becomes unreachable, and returns to the first', async () => {
  const second = await startProxy(node.url);
  const actor = await enter([proxy.url, second.url]);
  expect(await execute(actor, transfer(other))).toHaveProperty('status', 'succeeded');
  expect(second.requests()).toBe(0);
  await proxy.goDown();
  expect(await execute(actor, transfer(other))).toHaveProperty('status', 'succeeded');
  expect(second.requests()).toBeGreaterThan(0);
  await proxy.comeUp();
  const before = proxy.requests();
  await until(async () => {
    await actor.session.balances([other]);
    return proxy.requests() > before;
  });
  const later = second.requests();
  await actor.session.balances([other]);
  expect(second.requests()).toBe(later);
  await second.close();
});

test('does not use a node on another chain, and reports both chains in the error', async () => {
  const wrong = await startAnvil({ chainId: 99, mining: 'manual' });
  try {
    const alone = await enter([wrong.url], { chain_id: 31337 });
    await expect(alone.session.chain()).rejects.toMatchObject({
      code: 'wrong-chain',
      message: expect.stringMatching(/chain 99.*chain 31337/),
    });
    const both = await enter([wrong.url, node.url], { chain_id: 31337 }, 1);
    expect(await both.session.chain()).toMatchObject({ id: 'eip155:31337' });
    expect(await execute(both, transfer(other))).toHaveProperty('status', 'succeeded');
  } finally {
    await wrong.stop();
  }
});

test('does not use a second node whose first block differs', async () => {
  const stranger = await startAnvil({ mining: 'manual', extraArgs: ['--timestamp', '1600000000'] });
  try {
    const second = await startProxy(stranger.url);
    const { session } = await enter([proxy.url, second.url]);
    const { genesis } = await session.chain();
    // The first node works, but does not answer this method.
    proxy.setFault((calls) =>
      calls.some(({ method }) => method === 'eth_getBalance') ? '<html>no</html>' : undefined,
    );
    await expect(session.balances([other])).rejects.toMatchObject({
      code: expect.stringMatching(/unavailable|wrong-chain/),
    });
    proxy.setFault(undefined);
    expect((await session.chain()).genesis).toBe(genesis);
    await second.close();
  } finally {
    await stranger.stop();
  }
});

/** More values than an answer may contain. */
const longAnswer = `[${'{},'.repeat(500_000)}{}]`;

// Receipts are requested by transaction id, or by block if the block was read.
test.each(['read by id', 'read by block'])(
  'splits a request whose receipts are too long, so that one overlong receipt does not delay the others (%s)',
  async (way) => {
    const actor = await enter([proxy.url]);
    const { cursor: start } = await actor.session.confirm({ cursor: null, pending: new Map() });
    const first = (await actor.session.sequences([actor.wallet.address]))[0] ?? 0n;
    const signed = await Promise.all([0n, 1n, 2n, 3n].map((n) => sign(actor, transfer(other), first + n)));
    await actor.session.submit(signed.map(({ main }) => main));
    await until(async () => (await actor.session.sequences([actor.wallet.address]))[0] === first + 4n);
    const ids = signed.map(({ main }) => main.txId);
    const [longest, ...others] = ids;
    proxy.setFault((calls) => {
      const asked = calls.filter(({ method }) => method === 'eth_getTransactionReceipt');
      const isWhole = calls.some(({ method }) => method === 'eth_getBlockReceipts');
      const isLong = isWhole || asked.length > 2 || asked.some(({ params }) => params[0] === longest);
      return isLong ? longAnswer : undefined;
    });
    const all = new Map(signed.flatMap(({ pending }) => [...pending]));
    const cursor = way === 'read by block' ? start : null;
    const { outcomes } = await actor.session.confirm({ cursor, pending: all });
    expect(outcomes.map(({ txId, status }) => [txId, status]).sort()).toEqual(
      others.map((txId) => [txId, 'succeeded']).sort(),
    );
    proxy.setFault(undefined);
    const left = new Map([...all].filter(([txId]) => txId === longest));
    expect((await settle(actor.session, left)).outcomes.get(longest ?? '')?.status).toBe('succeeded');
  },
);

const faults: { name: string; fault: Fault; code: string }[] = [
  { name: 'an HTML page', fault: () => '<html>Bad gateway</html>', code: 'unavailable' },
  {
    name: 'half of the JSON',
    fault: async (_, forward) => (await forward()).slice(0, -10),
    code: 'unavailable',
  },
  {
    name: 'answers under other ids',
    fault: async (_, forward) => (await forward()).replace(/"id":(\d+)/g, '"id":9$1'),
    code: 'unavailable',
  },
  {
    name: 'one error instead of a batch of answers',
    fault: () => '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}}',
    code: 'unavailable',
  },
  {
    name: 'status 503',
    fault: (_calls, _forward, response) => {
      response.writeHead(503).end('busy');
      return undefined;
    },
    code: 'unavailable',
  },
  {
    name: 'a cut connection',
    fault: (_calls, _forward, response) => {
      response.destroy();
      return undefined;
    },
    code: 'unavailable',
  },
  {
    name: 'silence',
    fault: async (_calls, _forward, response) => {
      await new Promise((resolve) => response.once('close', resolve));
      return undefined;
    },
    code: 'timeout',
  },
  {
    name: 'values of the wrong types',
    fault: async (_, forward) =>
      (await forward())
        .replace(/"result":"[^"]*"/g, '"result":{"no":1}')
        .replace(/"number":"[^"]*"/g, '"number":[]'),
    code: 'unavailable',
  },
];

test.each(faults)(
  '$name from the only node causes the error $code, but no error if another node works',
  async ({ fault, code }) => {
    const alone = await enter([proxy.url], { rpc_timeout: 2_000 });
    await alone.session.chain();
    proxy.setFault(fault);
    await expect(alone.session.balances([other])).rejects.toMatchObject({ code });
    const submitted = await alone.session.submit([{ txId: `0x${'ab'.repeat(32)}`, bytes: Uint8Array.of(1) }]);
    expect(['unavailable', 'accepted']).toContain(submitted[0]?.status);
    const both = await enter([proxy.url, node.url], { rpc_timeout: 2_000 });
    expect(await execute(both, transfer(other))).toHaveProperty('status', 'succeeded');
  },
);

test('executes a transaction once if the response was lost and it is sent again', async () => {
  const actor = await enter([proxy.url], {}, 2);
  const { session, wallet } = actor;
  const { main, pending } = await sign(actor, transfer(other, 5n));
  const [had = 0n] = await session.balances([other]);
  let lost = 0;
  proxy.setFault(async (calls, forward, response) => {
    if (lost > 0 || !calls.some(({ method }) => method === 'eth_sendRawTransaction')) return undefined;
    lost += 1;
    await forward();
    response.destroy();
    return undefined;
  });
  const [answer] = await session.submit([main]);
  expect(lost).toBe(1);
  // The node already has the transaction at the second attempt.
  expect(['known', 'refused']).toContain(answer?.status);
  const { outcomes } = await settle(session, pending);
  expect(outcomes.get(main.txId)).toHaveProperty('status', 'succeeded');
  const [has = 0n] = await session.balances([other]);
  expect(has - had).toBe(5n);
  expect((await session.sequences([wallet.address]))[0]).toBe(1n);
});

test('sends the credentials in an address as a header, and keeps them out of errors and the log', async () => {
  let header: string | undefined;
  proxy.setFault((_calls, _forward, _response, request) => {
    header = request.headers.authorization;
    return undefined;
  });
  const uri = proxy.url.replace('http://', 'http://alice:s3cret%21@');
  const actor = await enter([uri], { rpc_timeout: 2_000 });
  await actor.session.chain();
  expect(header).toBe(`Basic ${Buffer.from('alice:s3cret!').toString('base64')}`);
  await proxy.goDown();
  const error: unknown = await actor.session.balances([other]).catch((reason: unknown) => reason);
  const shown = JSON.stringify([error, String(error), (error as Error).stack, actor.log]);
  expect(shown).not.toMatch(/s3cret|alice|127\.0\.0\.1/);
  expect(error).toMatchObject({ code: 'unavailable' });
});

test('combines calls made in one turn of the event loop into one request, with at most rpc_batch calls', async () => {
  const { session } = await enter([proxy.url], { rpc_batch: 10 });
  await session.chain();
  const before = proxy.requests();
  const addresses = Array.from({ length: 5 }, (_, index) => `0x${String(index).repeat(40)}`);
  await Promise.all(addresses.map((address) => session.balances([address])));
  expect(proxy.requests() - before).toBe(1);
  await session.balances([...addresses, ...addresses, ...addresses, ...addresses, ...addresses]);
  expect(proxy.requests() - before).toBe(4);
});

test('accepts transfers and calls without querying a node when the caches are filled', async () => {
  const actor = await enter([proxy.url], {}, 3);
  const { session, wallet } = actor;
  const fixture = await deploy(actor, contracts.Fixture, ['1', 'x']);
  const operations = [transfer(other), call(fixture, 'set', ['1'])];
  for (const operation of operations) await session.check({ wallet, operation });
  const before = proxy.requests();
  const checks = operations.flatMap((operation) =>
    Array.from({ length: 200 }, () => session.check({ wallet, operation })),
  );
  const readiness = (await Promise.all(checks)).map((checked) => checked.readiness);
  expect(proxy.requests()).toBe(before);
  expect(new Set(readiness.slice(0, 200))).toEqual(new Set(['ready']));
  expect(new Set(readiness.slice(200))).toEqual(new Set(['estimate']));
});

test('estimates on a node that has reached the required height, and waits if there is none', async () => {
  const behind = await startAnvil({ mining: 'manual' });
  try {
    const second = await startProxy(node.url);
    const actor = await enter([proxy.url, second.url], {}, 4);
    const { session, wallet } = actor;
    const { plan } = await session.check({ wallet, operation: transfer(other) });
    proxy.setFault(async (_, forward) =>
      (await forward()).replace(/"number":"0x[0-9a-f]+"/g, '"number":"0x1"'),
    );
    const height = Number(await node.rpc<string>('eth_blockNumber'));
    const before = second.requests();
    const [near, far] = await session.estimate([
      { wallet, plan, minHeight: height },
      { wallet, plan, minHeight: 1_000_000_000 },
    ]);
    expect(near).toHaveProperty('status', 'ready');
    expect(far).toMatchObject({
      status: 'wait',
      problem: { code: 'unavailable', detail: expect.stringContaining('1000000000') },
    });
    expect(second.requests()).toBeGreaterThan(before);
    await second.close();
  } finally {
    await behind.stop();
  }
});

test('close() aborts hanging requests and leaves no connection open', async () => {
  const actor = await enter([proxy.url]);
  await actor.session.chain();
  proxy.setFault(async (_calls, _forward, response) => {
    await new Promise((resolve) => response.once('close', resolve));
    return undefined;
  });
  const hanging = actor.session.balances([other]).catch((error: unknown) => error);
  await delay(0);
  await actor.session.close();
  expect(await hanging).toMatchObject({ code: 'unavailable' });
});

test('does not connect to a node at a blocked address over HTTP or WebSocket', async () => {
  for (const uri of [proxy.url, proxy.url.replace('http', 'ws')]) {
    const ledger = { ...ledgerOf([uri]), outbound: { open: ['10.0.0.0/8'] } };
    const actor = await openSession(ledger, keyOf(node));
    open.push(actor);
    const stopListening = actor.session.onHead(() => {});
    await expect(actor.session.chain()).rejects.toMatchObject({
      code: 'not-opened',
      message: expect.stringContaining('has a private address that the deployer'),
    });
    stopListening();
  }
  expect(proxy.connections()).toBe(0);
});

test('opens a chain whose first blocks have no gas limit (celo-org/op-geth)', async () => {
  proxy.setFault(
    misbehaving({
      eth_getBlockByNumber: withResult((block) => {
        const { number, hash, parentHash } = Object(block);
        return Number(number) <= 1 ? { number, hash, parentHash } : block;
      }),
    }),
  );
  const actor = await enter([proxy.url]);
  expect(await execute(actor, transfer(other))).toHaveProperty('status', 'succeeded');
});

test('quotes the error message of a node that does not return its first block', async () => {
  const message = 'bad tipset height: lookbacks of more than 16h40m0s are disallowed';
  proxy.setFault(
    misbehaving({
      eth_getBlockByNumber: async (call, ask) =>
        call.params[0] === 'latest' ? ask(call) : { error: { code: 1, message } },
    }),
  );
  const { session } = await enter([proxy.url]);
  await expect(session.chain()).rejects.toMatchObject({
    message: `Node node-0 does not report what its first block is. It said: ${message} (1).`,
  });
});

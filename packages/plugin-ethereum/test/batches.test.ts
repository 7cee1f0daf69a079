// Nodes refuse requests with several calls in many ways, but answer the same calls in smaller requests.
import {
  type AnswerWithId,
  batchLimit,
  type HttpAnswer,
  type NodeProfile,
  profileFault,
} from '@ledger-ops/devnet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEthereumAdapter } from '../src/definition.ts';
import { defaultTiming } from '../src/timing.ts';
import { type ProxiedCall, type RpcProxy, startProxy } from './proxy.ts';
import { shareAnvil } from './shared-anvil.ts';
import { keyOf, ledgerOf, openSession, settle, sign, type TestSession, transfer } from './stage.ts';

const shared = shareAnvil();
let proxy: RpcProxy;
const open: TestSession[] = [];
beforeEach(async () => {
  proxy = await startProxy(shared().url);
});
afterEach(async () => {
  for (const { session } of open.splice(0)) await session.close();
  await proxy.close();
});

const other = '0x000000000000000000000000000000000000bEEF';

async function enter(properties = {}, uris = [proxy.url]): Promise<TestSession> {
  const actor = await openSession(ledgerOf(uris, properties), keyOf(shared()));
  open.push(actor);
  return actor;
}

const error = (code: number, message: string) => ({ jsonrpc: '2.0', error: { code, message } });
const limited = (most: number, refusal: (calls: readonly ProxiedCall[]) => HttpAnswer): NodeProfile => ({
  gates: [batchLimit(most, refusal)],
});

/** Changes all but the first answers of a batch. */
const beyond = (first: number, change: (answer: AnswerWithId) => unknown): NodeProfile => ({
  batch: (answers) => answers.flatMap((answer, index) => (index < first ? answer : (change(answer) ?? []))),
});

const forms: [string, NodeProfile][] = [
  [
    'HTTP 400 with a plain message (cdk-validium-node#50)',
    limited(0, () => ({ status: 400, body: 'batch requests are disabled' })),
  ],
  [
    'HTTP 413 with an HTML page',
    limited(2, () => ({ status: 413, body: '<html>Request Entity Too Large</html>' })),
  ],
  [
    'HTTP 500 with JSON that is not JSON-RPC',
    limited(3, () => ({ status: 500, body: { message: 'Batch of more than 3' } })),
  ],
  [
    'HTTP 400 with an error of JSON-RPC',
    limited(0, () => ({ status: 400, body: { ...error(-32_600, 'Invalid Request'), id: null } })),
  ],
  [
    'one error without id (hiero-json-rpc-relay#1802)',
    limited(0, () => ({ body: { ...error(-32_202, 'Batch requests are disabled'), id: null } })),
  ],
  [
    'one error without id, with a code that also means a rate limit (jsonrpsee)',
    limited(0, () => ({
      body: { ...error(-32_005, 'Batched requests are not supported by this server'), id: null },
    })),
  ],
  [
    'one error under the id of the first call (base/node#234)',
    limited(4, ([first]) => ({ body: { ...error(-32_600, 'batch too large'), id: first?.id } })),
  ],
  [
    'a list of one error without id (ethers#4128)',
    limited(1, () => ({
      body: [{ ...error(-32_600, 'Too many ["eth_getLogs"] methods in the batch'), id: null }],
    })),
  ],
  [
    'a list of one error under the id of the first call (geth)',
    limited(3, ([first]) => ({ body: [{ ...error(-32_600, 'batch too large'), id: first?.id }] })),
  ],
  ['one result', limited(0, ([first]) => ({ body: { jsonrpc: '2.0', id: first?.id, result: '0x1' } }))],
  [
    'a closed connection (Erigon before 2.49)',
    limited(2, () => {
      throw new Error('The proxy closes the connection of a request that it cannot answer.');
    }),
  ],
  ['an empty list', limited(0, () => ({ body: [] }))],
  ['null', limited(0, () => ({ body: 'null' }))],
  ['a list that is too short (KeeperHub/keeperhub#538)', beyond(2, () => undefined)],
  ['answers without ids', beyond(1, (answer) => ({ ...answer, id: null }))],
  ['answers whose ids are strings', beyond(0, (answer) => ({ ...answer, id: `call-${answer.id}` }))],
  [
    'HTTP 403 with a plain message',
    limited(0, () => ({ status: 403, body: 'batch requests are not allowed' })),
  ],
  [
    'HTTP 402 with JSON that is not JSON-RPC',
    limited(0, () => ({ status: 402, body: { error: 'Batching needs a paid plan' } })),
  ],
  [
    'HTTP 429 with a plain message',
    limited(2, () => ({ status: 429, body: 'batch size exceeds the limit of 2' })),
  ],
  ['HTTP 200 with a plain message', limited(0, () => ({ body: 'batch requests are disabled' }))],
  ['HTTP 200 with an HTML page', limited(0, () => ({ body: '<html>Request blocked</html>' }))],
  ['HTTP 200 without content', limited(0, () => ({ body: '' }))],
  [
    'one error without id, with a code and a message that also mean a rate limit',
    limited(2, () => ({ body: { ...error(-32_005, 'Maximum batch size exceeded: 2'), id: null } })),
  ],
  [
    'an unknown error for each call',
    limited(2, (calls) => ({
      body: calls.map(({ id }) => ({ ...error(-32_600, 'At most 2 calls are allowed'), id })),
    })),
  ],
  [
    'an error for each call after the first ones (geth)',
    beyond(2, ({ id }) => ({ ...error(-32_003, 'response too large'), id })),
  ],
];

/** Sends five transfers of one wallet, which are mined and confirmed. */
async function work({ session, ...actor }: TestSession): Promise<void> {
  const from = (await session.sequences([actor.wallet.address]))[0] ?? 0n;
  const signed = [];
  for (let index = 0n; index < 5n; index += 1n)
    signed.push(await sign({ session, ...actor }, transfer(other), from + index));
  const answers = await session.submit(signed.map(({ main }) => main));
  expect(answers.map(({ status }) => status)).toEqual(Array(5).fill('accepted'));
  await shared().rpc('anvil_mine', ['0x1', '0x1']);
  const { outcomes } = await settle(session, new Map(signed.flatMap((one) => [...one.pending])));
  expect([...outcomes.values()].map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
}

test.each(forms)(
  'splits a batch that a node refuses with %s, and remembers the smaller size',
  async (_, profile) => {
    const fault = profileFault(profile);
    const sizes: number[] = [];
    proxy.setFault((calls, ...others) => {
      sizes.push(calls.length);
      return fault(calls, ...others);
    });
    const actor = await enter();
    await work(actor);
    const split = actor.log.filter(({ event }) => event === 'ethereum.batches-split');
    expect(split.length).toBeGreaterThan(0);
    expect(split.at(-1)).toMatchObject({
      level: 'info',
      fields: { nodeId: 'node-0', calls: expect.any(Number), detail: expect.stringContaining('rpc_batch') },
    });
    const most = Number(split.at(-1)?.fields.calls);
    // The node is not marked as failed, and no larger request is sent again.
    expect(actor.log).toHaveLength(split.length);
    sizes.length = 0;
    await work(actor);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
    expect(actor.log).toHaveLength(split.length);
  },
);

test('resends a batch once if its connection was closed', async () => {
  let isClosed = false;
  proxy.setFault((calls) => {
    if (calls.length === 1 || isClosed) return Promise.resolve(undefined);
    isClosed = true;
    throw new Error('The proxy closes the connection of a request that it cannot answer.');
  });
  const actor = await enter();
  await work(actor);
  expect(isClosed).toBe(true);
  expect(actor.log).toEqual([]);
});

test('accepts answers to a batch in any order', async () => {
  proxy.setFault(profileFault({ batch: (answers) => answers.toReversed() }));
  const actor = await enter();
  await work(actor);
  expect(actor.log).toEqual([]);
});

test('tries larger batches again some time after a refusal', async () => {
  proxy.setFault(profileFault(limited(1, () => ({ status: 400, body: 'batch requests are disabled' }))));
  const log: string[] = [];
  let now = Date.now();
  const session = await createEthereumAdapter(defaultTiming).open(ledgerOf([proxy.url]), {
    now: () => now,
    log: (_level, event) => log.push(event),
    signal: new AbortController().signal,
  });
  try {
    await session.balances([other, other]);
    const before = log.length;
    expect(before).toBeGreaterThan(0);
    await session.balances([other, other]);
    expect(log).toHaveLength(before);
    proxy.setFault(undefined);
    now += 11 * 60_000;
    const requests = proxy.requests();
    await session.balances([other, other]);
    expect(proxy.requests()).toBe(requests + 1);
  } finally {
    await session.close();
  }
});

test.each<[string, HttpAnswer, RegExp]>([
  [
    'HTTP 400',
    { status: 400, body: 'project is disabled' },
    /HTTP status 400.*project is disabled.*one call.*rpc_batch/,
  ],
  [
    'an error',
    { body: { ...error(-32_600, 'project is disabled'), id: null } },
    /project is disabled.*rpc_batch/,
  ],
])(
  'if a node refuses every request with %s, the error quotes the node and names rpc_batch',
  async (_, answer, words) => {
    proxy.setFault(profileFault({ gates: [() => answer] }));
    const { session } = await enter();
    await expect(session.chain()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(words),
    });
  },
);

test.each([401, 403, 429, 502, 503, 504])(
  'does not treat HTTP %d as a refusal of the batch',
  async (status) => {
    proxy.setFault(
      profileFault({ gates: [({ isBatch }) => (isBatch ? { status, body: 'no' } : undefined)] }),
    );
    const { session, log } = await enter();
    await expect(session.chain()).rejects.toMatchObject({ code: 'unavailable' });
    expect(log.map(({ event }) => event)).not.toContain('ethereum.batches-split');
  },
);

test('does not reduce the batch size if the node also refuses the calls individually', async () => {
  const actor = await enter();
  await actor.session.chain();
  proxy.setFault(
    profileFault({ methods: { eth_getBalance: async () => error(-32_000, 'the database is closed') } }),
  );
  await expect(actor.session.balances([other, actor.wallet.address])).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(actor.log.map(({ event }) => event)).not.toContain('ethereum.batches-split');
});

test('does not quote an HTML page that a node returns', async () => {
  proxy.setFault(profileFault({ gates: [() => ({ status: 500, body: '<p>internal</p>' })] }));
  const { session } = await enter();
  await expect(session.chain()).rejects.toMatchObject({ message: expect.not.stringContaining('internal') });
});

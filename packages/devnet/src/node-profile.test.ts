import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Anvil, startAnvil } from './anvil.ts';
import {
  batchLimit,
  type NodeProfile,
  profileFault,
  rateLimit,
  withError,
  withMembers,
} from './node-profile.ts';
import { type RpcProxy, startProxy } from './rpc-proxy.ts';

let node: Anvil;
let proxy: RpcProxy;
beforeAll(async () => {
  node = await startAnvil({ mining: 'manual' });
  proxy = await startProxy(node.url);
});
afterAll(async () => {
  await proxy?.close();
  await node?.stop();
});

async function post(profile: NodeProfile, body: unknown): Promise<{ status: number; body: unknown }> {
  proxy.setFault(profileFault(profile));
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(proxy.url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

const call = (id: number, method: string, params: unknown[] = []) => ({ jsonrpc: '2.0', id, method, params });
const chain = (id = 1) => call(id, 'eth_chainId');

test('a profile changes members and errors and removes methods, in single calls and in batches', async () => {
  const profile: NodeProfile = {
    missing: ['eth_blobBaseFee'],
    methods: {
      eth_getBlockByNumber: withMembers(() => ({ baseFeePerGas: undefined, viewID: '0x1' })),
      eth_sendRawTransaction: withError(() => ({ code: -32_000, message: 'nope' })),
    },
  };
  const block = call(1, 'eth_getBlockByNumber', ['latest', false]);
  const { body } = await post(profile, block);
  expect(body).toMatchObject({ id: 1, result: { number: '0x0', viewID: '0x1' } });
  expect(body).not.toHaveProperty('result.baseFeePerGas');
  const batch = [block, call(2, 'eth_blobBaseFee'), call(3, 'eth_sendRawTransaction', ['0x00']), chain(4)];
  expect((await post(profile, batch)).body).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 1, result: expect.objectContaining({ viewID: '0x1' }) }),
      expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32_601 }) }),
      expect.objectContaining({ id: 3, error: { code: -32_000, message: 'nope' } }),
      expect.objectContaining({ id: 4, result: '0x7a69' }),
    ]),
  );
});

test('a batch limit of 0 also refuses a batch with one call', async () => {
  const body = { error: 'no batches' };
  const profile: NodeProfile = { gates: [batchLimit(0, () => ({ status: 400, body }))] };
  expect(await post(profile, [chain()])).toEqual({ status: 400, body });
  expect(await post(profile, chain())).toMatchObject({ status: 200, body: { result: '0x7a69' } });
});

test('a gate refuses calls above its rate and accepts them in the next time window', async () => {
  let now = 0;
  const gate = rateLimit(
    { calls: 2, windowMs: 100 },
    () => ({ status: 429, body: {} }),
    () => now,
  );
  const profile: NodeProfile = { gates: [gate] };
  expect((await post(profile, [chain(1), chain(2)])).status).toBe(200);
  expect((await post(profile, chain())).status).toBe(429);
  now = 100;
  expect((await post(profile, chain())).status).toBe(200);
});

test('a profile reorders the node’s own response to a batch', async () => {
  const profile: NodeProfile = { batch: (answers) => answers.toReversed() };
  expect((await post(profile, [chain(1), chain(2)])).body).toMatchObject([{ id: 2 }, { id: 1 }]);
});

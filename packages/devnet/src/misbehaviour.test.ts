import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Anvil, startAnvil } from './anvil.ts';
import { misbehaving, wrongs } from './misbehaviour.ts';
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

async function ask(...calls: { method: string; params: unknown[] }[]): Promise<unknown> {
  const all = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const body = JSON.stringify(all.length === 1 ? all[0] : all);
  const headers = { 'content-type': 'application/json' };
  return (await fetch(proxy.url, { method: 'POST', headers, body })).json();
}

const count = { method: 'eth_getTransactionCount', params: [`0x${'11'.repeat(20)}`, 'latest'] };
const send = { method: 'eth_sendRawTransaction', params: ['0x00'] };
const chain = { method: 'eth_chainId', params: [] };

test('a fault changes the responses to single calls of a batch, under their ids, and leaves the others unchanged', async () => {
  proxy.setFault(misbehaving({ ...wrongs.count((one) => one + 5), ...wrongs.swallow() }));
  const answers = await ask(count, chain, send);
  expect([answers].flat()).toHaveLength(3);
  expect(answers).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: 0, result: '0x5' }),
      expect.objectContaining({ id: 1, result: '0x7a69' }),
      // The hash of a single zero byte.
      expect.objectContaining({
        id: 2,
        result: '0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a',
      }),
    ]),
  );
  expect(await node.rpc('txpool_status')).toMatchObject({ pending: '0x0', queued: '0x0' });
});

test('a faulty node refuses transactions and answers other methods normally', async () => {
  proxy.setFault(misbehaving(wrongs.refuse('txpool is full')));
  expect(await ask(send)).toMatchObject({ id: 0, error: { code: -32_000, message: 'txpool is full' } });
  expect(await ask(count)).toMatchObject({ id: 0, result: '0x0' });
});

// Numbers and sizes in the answers of a node.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { answers } from './answers.ts';
import { openNode, type SolanaNode } from './node.ts';

let result = '';
let server: Server;
let node: SolanaNode;
const end = new AbortController();
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const address = { nodeId: 'a', uri: `http://127.0.0.1:${port}` };
  const properties = { rpcTimeout: 10_000, allowUnencrypted: false };
  node = openNode(address, properties, { open: ['127.0.0.1'] }, end.signal, { now: Date.now });
});
afterAll(async () => {
  await node?.close();
  server?.closeAllConnections();
  server?.close();
});

const read = async <Answer>(text: string, schema: z.ZodType<Answer>) => {
  result = text;
  return await node.ask('method', [], schema);
};

test.each([
  ['0', 0n],
  ['9007199254740991', 9_007_199_254_740_991n],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['18446744073709551615', 18_446_744_073_709_551_615n],
])('reads %s lamports without rounding', async (text, amount) => {
  expect(await read(text, answers.lamports)).toBe(amount);
  const { value } = await read(`{"value":[{"lamports":${text}}]}`, answers.accounts);
  expect(value).toEqual([{ lamports: amount }]);
});

test.each(['-1', '1.5', '1e300', '123456789012345678901', '"1"', 'true', 'null'])(
  'rejects %s as an amount of lamports',
  async (text) => {
    await expect(read(text, answers.lamports)).rejects.toThrow(/malformed result/);
  },
);

test('rejects a slot or height that is not exact as a JavaScript number', async () => {
  expect(await read('9007199254740991', answers.slot)).toBe(9_007_199_254_740_991n);
  for (const text of ['9007199254740992', '18446744073709551615', '-1', '0.5'])
    await expect(read(text, answers.slot)).rejects.toThrow(/malformed result/);
});

test('rejects a lastValidBlockHeight below 150, which no blockhash can have', async () => {
  const latest = (height: number) =>
    `{"context":{"slot":1},"value":{"blockhash":"${'1'.repeat(32)}","lastValidBlockHeight":${height}}}`;
  expect((await read(latest(150), answers.latestBlockhash)).value.lastValidBlockHeight).toBe(150n);
  await expect(read(latest(149), answers.latestBlockhash)).rejects.toThrow(/malformed result/);
});

test('reads at most 1,000 prioritization fees', async () => {
  const fees = (count: number) => `[${Array(count).fill('{"prioritizationFee":1}').join()}]`;
  expect(await read(fees(1_000), answers.priorityFees)).toHaveLength(1_000);
  await expect(read(fees(1_001), answers.priorityFees)).rejects.toThrow(/malformed result/);
});

test('reads an answer of up to 50,000 values', async () => {
  expect(await read(`[${Array(49_000).fill('1').join()}]`, answers.slots)).toHaveLength(49_000);
  await expect(read(`[${Array(51_000).fill('1').join()}]`, answers.slots)).rejects.toThrow(/values/);
});

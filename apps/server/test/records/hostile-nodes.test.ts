// Users choose the addresses of nodes, so a node may try to keep the server busy.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerBudget } from '@ledger-ops/adapter/outbound';
import { solanaAdapter } from '@ledger-ops/plugin-solana';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asyncListener } from '../../../../testing/async-listener.ts';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';

let here: Installation;
let tenant: Tenant;
let node: Server;
/** The JSON that the node returns as its chain. */
let result: string;
beforeAll(async () => {
  here = await install({}, [solanaAdapter]);
  tenant = await addTenant(here.url, here.administrator, 'one');
  for (const [technology, properties] of Object.entries(ledgers)) {
    const ledger = { ledgerId: technology, name: technology, technology, properties };
    await tenant.api.expect(201, 'POST', '/v1/admin/ledgers', ledger);
  }
  node = createServer(
    asyncListener(async (request, response) => {
      const calls: unknown = JSON.parse(await text(request));
      const answer = (one: unknown) => {
        const { id, method }: { id?: unknown; method?: unknown } = Object(one);
        const isOfChain = method === 'eth_chainId' || method === 'getGenesisHash';
        return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${isOfChain ? result : null}}`;
      };
      response.end(Array.isArray(calls) ? `[${calls.map(answer)}]` : answer(calls));
    }),
  );
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  node.close();
  await here.close();
});

const ledgers = {
  ethereum: { chain_id: 1 },
  solana: { genesis_hash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' },
};

async function refusal(ledgerId: string, answered: string): Promise<unknown[]> {
  result = answered;
  const { port } = node.address() as AddressInfo;
  const { status, body } = await tenant.api.call('POST', '/v1/admin/nodes', {
    ...{ nodeId: 'hostile', ledgerId, name: 'Node', client: 'any' },
    uri: `http://127.0.0.1:${port}`,
  });
  return [status, body.detail?.replace(`127.0.0.1:${port}`, 'new')];
}

test('the server does not parse a node’s response with millions of values', async () => {
  for (const ledgerId of Object.keys(ledgers)) {
    const refused = await refusal(ledgerId, `[${'{},'.repeat(2_000_000)}{}]`);
    const most = ledgerId === 'solana' ? 50_000 : 500_000;
    expect(refused).toEqual([503, `Node new answered with more than ${most} values.`]);
  }
});

test('a very long value from a node is neither parsed as a number nor repeated in a message', async () => {
  expect(await refusal('ethereum', `"0x${'f'.repeat(100_000)}"`)).toEqual([
    503,
    expect.not.stringContaining('ffff'),
  ]);
  expect(await refusal('solana', `"${'1'.repeat(100_000)}"`)).toEqual([
    503,
    'Node new answered getGenesisHash with a malformed result.',
  ]);
});

test('if a node answers 429, the response contains the node’s Retry-After', async () => {
  let requests = 0;
  const limited = createServer((request, response) => {
    requests += 1;
    request.resume();
    response.writeHead(429, { 'retry-after': '30' }).end('Too Many Requests');
  });
  await new Promise<void>((resolve) => limited.listen(0, '127.0.0.1', resolve));
  // A server listening on TCP has an address of this form.
  const { port } = limited.address() as AddressInfo;
  for (const ledgerId of Object.keys(ledgers)) {
    const { status, headers, body } = await tenant.api.call('POST', '/v1/admin/nodes', {
      ...{ nodeId: 'limited', ledgerId, name: 'Node', client: 'any' },
      uri: `http://127.0.0.1:${port}`,
    });
    expect([status, headers.get('retry-after')]).toEqual([503, '30']);
    expect(body.detail).toContain('answered with HTTP status 429. It is queried again in 30 s.');
  }
  expect(requests).toBe(2);
  await new Promise((resolve) => limited.close(resolve));
});

test('24 nodes that send long responses and then stall use a bounded amount of memory', async () => {
  const long = Buffer.alloc(30 * 2 ** 20, 0x20);
  const stalled = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-length': long.length + 1 }).write(long);
    setTimeout(() => response.destroy(), 4_000);
  });
  await new Promise<void>((resolve) => stalled.listen(0, '127.0.0.1', resolve));
  // A server listening on TCP has an address of this form.
  const { port } = stalled.address() as AddressInfo;
  const ledger = { ledgerId: 'stalled', name: 'stalled', technology: 'ethereum' };
  await tenant.api.expect(201, 'POST', '/v1/admin/ledgers', {
    ...ledger,
    properties: { chain_id: 1 },
  });
  let most = 0;
  const sampler = setInterval(() => {
    most = Math.max(most, answerBudget.used);
  }, 5);
  const answers = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const { status, body } = await tenant.api.call('POST', '/v1/admin/nodes', {
        ...{ nodeId: `stalled-${index}`, ledgerId: 'stalled', name: 'Node', client: 'any' },
        uri: `http://127.0.0.1:${port}`,
      });
      return [status, body.detail];
    }),
  );
  clearInterval(sampler);
  for (const [status, detail] of answers) {
    expect([503, 504]).toContain(status);
    expect(detail).toMatch(
      /sent a long response, .*memory.*try again|cannot be reached on port|did not answer within/,
    );
  }
  expect(most).toBeGreaterThan(2 ** 20);
  expect(most).toBeLessThanOrEqual(33 * 2 ** 20);
  expect(answerBudget.used).toBe(0);
  stalled.closeAllConnections();
  await new Promise((resolve) => stalled.close(resolve));
});

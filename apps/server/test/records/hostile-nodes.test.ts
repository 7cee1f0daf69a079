// Users write the addresses of nodes: who answers there may want to keep this process busy.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { solanaAdapter } from '@ledger-ops/plugin-solana';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';

let here: Installation;
let tenant: Tenant;
let node: Server;
/** The chain, as it answers. */
let result: string;
beforeAll(async () => {
  here = await install({}, [solanaAdapter]);
  tenant = await addTenant(here.url, here.administrator, 'one');
  for (const [technology, properties] of Object.entries(ledgers)) {
    const ledger = { ledgerId: technology, name: technology, technology, properties };
    await tenant.api.expect(201, 'POST', '/v1/admin/ledgers', ledger);
  }
  node = createServer(async (request, response) => {
    const asked: unknown = JSON.parse(await text(request));
    const answer = (one: unknown) => {
      const { id, method }: { id?: unknown; method?: unknown } = Object(one);
      const isOfChain = method === 'eth_chainId' || method === 'getGenesisHash';
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${isOfChain ? result : null}}`;
    };
    response.end(Array.isArray(asked) ? `[${asked.map(answer)}]` : answer(asked));
  });
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

test('an answer of millions of values is not parsed', async () => {
  for (const ledgerId of Object.keys(ledgers)) {
    const refused = await refusal(ledgerId, `[${'{},'.repeat(2_000_000)}{}]`);
    expect(refused).toEqual([503, 'Node new answered with more than 500000 values.']);
  }
});

test('what is too long for what it is goes into no number and no message', async () => {
  expect(await refusal('ethereum', `"0x${'f'.repeat(100_000)}"`)).toEqual([
    503,
    "A node's answer is malformed: the chain id.",
  ]);
  expect(await refusal('solana', `"${'1'.repeat(100_000)}"`)).toEqual([
    503,
    'Node new answered with something that is no answer.',
  ]);
});

import { expect, test } from 'vitest';
import { expectShortTurns } from '../../../testing/longest-block.ts';
import { createAbiCache } from './abi/interface.ts';
import { EventReader } from './events.ts';
import { readProperties } from './properties.ts';
import type { RpcAnswer, RpcCall, RpcNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';

const hash = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
const quantity = (value: number) => `0x${value.toString(16)}`;
const block = (height: number) => ({
  ...{ number: quantity(height), hash: hash(height), parentHash: hash(height - 1), timestamp: '0x1' },
  ...{ gasLimit: '0x1', gasUsed: '0x1', baseFeePerGas: '0x1' },
});
const address = `0x${'12'.repeat(20)}`;

/** Returns a node that returns these logs for block 7. */
function nodeOf(logs: readonly unknown[]) {
  const answer = ({ method, params }: RpcCall): RpcAnswer => {
    if (method === 'eth_getLogs') return { ok: true, result: logs };
    const height = params[0] === 'latest' ? 7 : Number(params[0]);
    return { ok: true, result: block(height) };
  };
  return {
    nodeId: 'n',
    batch: async (calls: readonly RpcCall[]) => calls.map(answer),
    witnessed: async (witness: RpcCall, items: readonly RpcCall[]) => ({
      seen: [answer(witness), answer(witness)],
      answers: items.map(answer),
    }),
    inOrder: async (calls: readonly RpcCall[]) => calls.map(answer),
  } satisfies RpcNode;
}

const pageOf = (logs: readonly unknown[], abi: readonly unknown[], limit: number) =>
  readFrom(nodeOf(logs), abi, limit);

/** Reads the page after block 6. */
function readFrom(node: RpcNode, abi: readonly unknown[], limit: number) {
  const nodes: Pick<Nodes, 'onNode'> = { onNode: (_phase, use) => use(node) };
  const properties = readProperties({
    ledgerId: 'l',
    technology: 'ethereum',
    nodes: [],
    properties: { confirmations: '1' },
  });
  const reader = new EventReader({ nodes: nodes as Nodes, abis: createAbiCache(), properties });
  const contract = { address, interface: JSON.stringify(abi) };
  return reader.read({ contract, after: { height: 6 }, limit });
}

const log = (index: number, topics: readonly string[], data: string) => ({
  ...{ blockNumber: '0x7', blockHash: hash(7), transactionHash: hash(index), logIndex: quantity(index) },
  ...{ topics, data, removed: false },
});
const names = Array.from({ length: 1_400 }, (_, at) => `event E${at}(uint256)`);

test('yields to the event loop while reading a page with the maximum number of logs', async () => {
  const logs = Array.from({ length: 120_000 }, (_, at) =>
    log(at, [hash(1), hash(2), hash(3), hash(4)], '0xAB'),
  );
  const read = async () => {
    const { events, more } = await pageOf(logs, names, 1_000);
    expect(events).toHaveLength(1_000);
    expect(more).toBe(true);
  };
  await expectShortTurns(read);
});

test('yields to the event loop while reading long logs of an interface with many events', async () => {
  const logs = Array.from({ length: 60 }, (_, at) => log(at, [hash(1)], `0x${'ab'.repeat(400_000)}`));
  const read = async () => expect((await pageOf(logs, names, 100)).events).toHaveLength(60);
  await expectShortTurns(read);
});

test('sorts a short list of logs that a node returned out of order, and rejects a long one', async () => {
  const few = [log(2, [], '0x'), log(1, [], '0x')];
  const { events } = await pageOf(few, [], 10);
  expect(events.map(({ id }) => id.at(-1))).toEqual(['1', '2']);
  const many = Array.from({ length: 6_000 }, (_, at) => log(6_000 - at, [], '0x'));
  await expect(pageOf(many, [], 10)).rejects.toThrow('in the wrong order');
  await expect(pageOf([log(1, Array(9).fill(hash(1)), '0x')], [], 10)).rejects.toThrow('too many topics');
});

test('rejects a page of events if the node first returns a block and then denies that it exists', async () => {
  const honest = nodeOf([]);
  const noBlock: RpcAnswer = {
    ok: false,
    error: { code: 12, message: 'requested epoch was a null round (7)', data: undefined },
  };
  let requests = 0;
  const node: RpcNode = {
    ...honest,
    witnessed: async () => {
      requests += 1;
      // Ends the test in case the reader does not stop.
      if (requests > 100) throw new Error('The node was queried too often.');
      return { seen: [noBlock, noBlock], answers: [{ ok: true, result: [] }] };
    },
  };
  await expect(readFrom(node, [], 10)).rejects.toThrow('The chain changed');
});

test.each([5, 8])(
  'rejects a page of events if the node returns block %i for the last height of the page',
  async (height) => {
    const shown: RpcAnswer = { ok: true, result: block(height) };
    const node: RpcNode = {
      ...nodeOf([]),
      witnessed: async () => ({ seen: [shown, shown], answers: [{ ok: true, result: [] }] }),
    };
    await expect(readFrom(node, [], 10)).rejects.toThrow('The chain changed');
  },
);

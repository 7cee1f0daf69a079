// Contract events from nodes that limit ranges, lack old logs, or had a reorg.
import {
  AdapterError,
  type ContractEvent,
  type ContractEvents,
  type LedgerSession,
} from '@ledger-ops/adapter';
import { type Anvil, startAnvil, tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProxy } from './proxy.ts';
import { call, deploy, keyOf, ledgerOf, openSession, sign, type TestSession } from './stage.ts';

const recipient = '0x00000000000000000000000000000000C0FFEE01';
const perBlock = 5;

let node: Anvil;
let actor: TestSession;
let token: string;
/**
 * Height of the first block with events. Three blocks, with empty blocks in between, have `perBlock` events
 * each.
 */
let first: number;

beforeAll(async () => {
  node = await startAnvil({ mining: 'automine' });
  actor = await openSession(ledgerOf([node.url]), keyOf(node));
  token = await deploy(actor, tokenTemplate, ['Token', 'TOK', '1000']);
  await node.rpc('evm_setAutomine', [false]);
  first = Number(await node.rpc<string>('eth_blockNumber', [])) + 1;
  for (let block = 0; block < 3; block += 1) {
    const [next = 0n] = await actor.session.sequences([actor.wallet.address]);
    for (let ahead = 0n; ahead < perBlock; ahead += 1n) {
      const transfer = call(token, 'transfer', [recipient, '1'], {
        contract: { address: token, interface: tokenTemplate.interface },
      });
      const { main } = await sign(actor, transfer, next + ahead);
      await actor.session.submit([main]);
    }
    await node.rpc('anvil_mine', ['0xa']);
  }
});
afterAll(async () => {
  await actor?.session.close();
  await node?.stop();
});

async function read(session: LedgerSession, height: number, limit: number): Promise<ContractEvent[]> {
  const events: ContractEvent[] = [];
  let page: ContractEvents = { events: [], after: { height }, newest: height, more: true };
  while (page.more) {
    const contract = { address: token, interface: tokenTemplate.interface };
    const next = await session.contractEvents?.({ contract, after: page.after, limit });
    if (next === undefined) throw new Error('the session reads no events');
    page = next;
    events.push(...page.events);
  }
  return events;
}

test('returns the same pages from nodes that limit blocks or logs per query, even if a page ends inside a block', async () => {
  const all = await read(actor.session, first - 1, 100);
  expect(all.map(({ height }) => height - first)).toEqual(
    [0, 10, 20].flatMap((at) => Array(perBlock).fill(at)),
  );
  expect(all[0]).toMatchObject({
    name: 'Transfer',
    args: { from: actor.wallet.address, to: recipient, value: '1' },
    time: expect.any(Number),
  });
  expect(await read(actor.session, first - 1, 2)).toEqual(all);
  expect(await read(actor.session, first, 100)).toEqual(all.slice(perBlock));

  for (const error of [
    undefined,
    { code: -32_600, message: 'Up to a 10 block range is allowed.' },
    // Nodes use the same code for rate limits.
    { code: -32_005, message: 'query returned more than 10000 results' },
    { code: -32_005, message: 'Requested range exceeds maximum RPC range limit' },
  ]) {
    const proxy = await startProxy(node.url);
    const refused: number[] = [];
    proxy.setFault(async (calls, forward) => {
      const answers = [JSON.parse(await forward())].flat().map((answer: { id: number }) => {
        const asked = calls.find(({ id }) => id === answer.id);
        if (asked?.method !== 'eth_getLogs') return answer;
        const [{ fromBlock, toBlock }] = asked.params as [{ fromBlock: string; toBlock: string }];
        const blocks = Number(toBlock) - Number(fromBlock) + 1;
        if (blocks <= 10) return answer;
        refused.push(blocks);
        return {
          ...{ jsonrpc: '2.0', id: answer.id },
          ...(error === undefined ? { result: Array.from({ length: 500_001 }, () => 0) } : { error }),
        };
      });
      return JSON.stringify(calls.length === 1 ? answers[0] : answers);
    });
    const narrow = await openSession(ledgerOf([proxy.url]), keyOf(node, 1));
    expect(await read(narrow.session, first - 1, 100)).toEqual(all);
    // The range is halved until accepted, and not requested again.
    expect(refused).not.toEqual([]);
    expect(refused).toEqual([...new Set(refused)]);
    await narrow.session.close();
    await proxy.close();
  }
});

async function problemOf(asked: Promise<unknown> | undefined): Promise<unknown> {
  const error = await Promise.resolve(asked).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof AdapterError ? error.problem : error;
}

/** Creates a node that refuses logs of blocks below a height. */
async function startPruned(from: number) {
  const proxy = await startProxy(node.url);
  const asked: number[] = [];
  proxy.setFault(async (calls, forward) => {
    const answers = [JSON.parse(await forward())].flat().map((answer: { id: number }) => {
      const call = calls.find(({ id }) => id === answer.id);
      if (call?.method !== 'eth_getLogs') return answer;
      const [{ fromBlock, toBlock }] = call.params as [{ fromBlock: string; toBlock: string }];
      asked.push(Number(toBlock) - Number(fromBlock) + 1);
      if (Number(fromBlock) >= from) return answer;
      const error = { code: 4444, message: 'pruned history unavailable, see http://key@10.0.0.1/' };
      return { jsonrpc: '2.0', id: answer.id, error };
    });
    return JSON.stringify(calls.length === 1 ? answers[0] : answers);
  });
  return { proxy, asked };
}

test('reports that a node lacks old logs, keeps using the node, and reads later blocks in one query', async () => {
  const { proxy, asked } = await startPruned(first + 10);
  const { session } = await openSession(ledgerOf([proxy.url]), keyOf(node, 2));
  const contract = { address: token, interface: tokenTemplate.interface };
  const refused = await problemOf(
    session.contractEvents?.({ contract, after: { height: first - 1 }, limit: 100 }),
  );
  expect(refused).toMatchObject({
    ...{ code: 'unavailable', phase: 'lookup' },
    detail: expect.stringMatching(
      new RegExp(
        `does not return the logs of block ${first}.*pruned history unavailable.*add a node.*later block`,
      ),
    ),
  });
  expect(JSON.stringify(refused)).not.toContain('10.0.0.1');
  asked.length = 0;
  const page = await session.contractEvents?.({ contract, after: { height: first + 9 }, limit: 100 });
  expect(page?.events).toHaveLength(2 * perBlock);
  // The remaining blocks are read in one query.
  expect(asked).toEqual([page === undefined ? 0 : page.newest - (first + 9)]);
  await session.close();

  const both = await openSession(ledgerOf([proxy.url, node.url]), keyOf(node, 2));
  expect(await read(both.session, first - 1, 100)).toHaveLength(3 * perBlock);
  const before = proxy.methods.length;
  await both.session.sequences([both.wallet.address]);
  // The node does not count as failed: other requests still go to it first.
  expect(proxy.methods.length).toBeGreaterThan(before);
  await both.session.close();
  await proxy.close();
});

test('returns only events of confirmed blocks, and reports `lost` when a reorg removes blocks that were already read', async () => {
  const deep = await openSession(ledgerOf([node.url], { confirmations: 3 }), keyOf(node, 3));
  const contract = { address: token, interface: tokenTemplate.interface };
  const page = (after: ContractEvents['after'] | null) =>
    deep.session.contractEvents?.({ contract, after, limit: 100 });
  await node.rpc('anvil_mine', ['0x5']);
  const start = (await page(null))?.after ?? null;
  const [next = 0n] = await actor.session.sequences([actor.wallet.address]);
  const transfer = call(token, 'transfer', [recipient, '7'], {
    contract: { address: token, interface: tokenTemplate.interface },
  });
  const { main } = await sign(actor, transfer, next);
  await actor.session.submit([main]);
  await node.rpc('anvil_mine', ['0x2']);
  const early = await page(start);
  expect(early).toMatchObject({ events: [], more: false });
  // Replaces the transfer's block and its child. The new blocks do not contain the transfer.
  await node.rpc('anvil_rollback', [2]);
  await node.rpc('anvil_dropAllTransactions', []);
  await node.rpc('anvil_mine', ['0x8']);
  const later = await page(early?.after ?? null);
  expect(later).toMatchObject({ events: [], more: false });
  expect(later?.lost).toBeUndefined();
  expect(later?.after.height).toBe((early?.after.height ?? 0) + 6);

  const ahead = { height: (later?.newest ?? 0) + 1_000 };
  expect(await page(ahead)).toEqual({ events: [], after: ahead, newest: later?.newest, more: false });

  await node.rpc('anvil_rollback', [6]);
  await node.rpc('anvil_setNextBlockTimestamp', [4_000_000_000]);
  await node.rpc('anvil_mine', ['0xc']);
  expect(await page(later?.after ?? null)).toMatchObject({ events: [], after: later?.after, lost: true });
  await deep.session.close();
});

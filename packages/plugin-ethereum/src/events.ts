import {
  type ContractEvent,
  type ContractEvents,
  type ContractEventsRequest,
  type EventPosition,
  type JsonObject,
  withoutLongContent,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { slices } from '@ledger-ops/glo-core';
import { EventFragment, type Interface } from 'ethers';
import { decodeLog } from './abi/decode.ts';
import type { AbiCache } from './abi/interface.ts';
import { changed, hasNoBlock, lastBlockAt, require } from './blocks/chain-reading.ts';
import type { EthereumProperties } from './properties.ts';
import { type Block, blockAt, latestBlock, readBlock, readBlockOrNull } from './rpc/block.ts';
import { classify, readable } from './rpc/errors.ts';
import type { RpcAnswer, RpcNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readHash, readNumber, readObject, toHex } from './rpc/quantity.ts';
import { requireAddress } from './transactions/address.ts';

/** The parts of a session that reading events needs. */
export interface EventsContext {
  nodes: Nodes;
  abis: AbiCache;
  properties: EthereumProperties;
}

/** A log. Only successful transactions have logs. */
interface Log {
  height: number;
  blockHash: string;
  txId: string;
  index: number;
  topics: string[];
  data: string;
}

const phase = 'lookup';
/** Maximum number of blocks per query. Providers allow fewer (10, 500, 2,000), or fewer logs; the span is then halved. */
const longestSpan = 2_000;
/** Maximum number of logs that are sorted in one step. Only unusual nodes return logs out of order. */
const mostSorted = 5_000;
/** Maximum number of digits of a log's data that are decoded. Longer data is returned undecoded. */
const longestDecoded = 2 ** 20;
/**
 * Maximum number of topics of a log (EVM), and maximum digits of its data: ten times the amount that gas can
 * pay for.
 */
const mostTopics = 4;
const longestData = 2 ** 24;
/** Number of successful answers after which a refused span is tried again. */
const growAfter = 50;

/**
 * Reads contract logs for one session.
 *
 * Stores the number of blocks per query. It is halved when a node refuses a query, and doubled after
 * `growAfter` successful queries.
 */
export class EventReader {
  readonly #context: EventsContext;
  #span = longestSpan;
  #answered = 0;

  constructor(context: EventsContext) {
    this.#context = context;
  }

  read(request: ContractEventsRequest): Promise<ContractEvents> {
    return this.#context.nodes.onNode(phase, (node) => this.#readOn(node, request));
  }

  #shrink(asked: number): void {
    this.#span = Math.max(1, Math.floor(asked / 2));
    this.#answered = 0;
  }

  /**
   * All answers must come from one node, because another node behind the same address may lack some blocks.
   */
  async #readOn(node: RpcNode, request: ContractEventsRequest): Promise<ContractEvents> {
    const { abis, properties } = this.#context;
    const { contract, after, limit } = request;
    const [latest, at] = await node.batch([latestBlock, ...(after === null ? [] : [blockAt(after.height)])]);
    const head = readBlock(require(latest));
    const newest = Math.max(0, head.height - properties.confirmations + 1);
    if (after === null) return { events: [], after: await positionAt(node, newest), newest, more: false };
    if (after.height > newest) return { events: [], after, newest, more: false };
    if (at?.ok === false && classify(at.error) !== 'busy')
      throw pruned(node, `does not show block ${after.height}`, at);
    const block = readBlockOrNull(require(at));
    if (block === null) {
      throw new NodeError('behind', `Node ${node.nodeId} does not show block ${after.height}.`);
    }
    if (after.hash !== undefined && after.hash !== block.hash) {
      return { events: [], after, newest, more: false, lost: true };
    }
    const first = after.index === undefined ? after.height + 1 : after.height;
    if (first > newest)
      return { events: [], after: { height: after.height, hash: block.hash }, newest, more: false };
    const last = Math.min(newest, first + this.#span - 1);
    const address = requireAddress(contract.address, phase, '/address');
    const before = this.#span;
    const { logs, end } = await this.#readLogs(node, address, first, last).catch((error: unknown) => {
      // The span was not the cause of the refusal, so other reads keep it.
      if (error instanceof NodeError && error.code === 'behind') this.#span = before;
      throw error;
    });
    const unread = logs.filter(
      ({ height }, place) => height > after.height || after.index === undefined || place >= after.index,
    );
    const page = unread.slice(0, limit);
    const abi =
      contract.interface === undefined ? undefined : abis.parse(contract.interface, phase, '/interface').abi;
    const events = await describe(node, page, abi);
    const next = unread[limit];
    if (next !== undefined) return { events, after: positionBefore(next, logs), newest, more: true };
    return { events, after: { height: end.height, hash: end.hash }, newest, more: end.height < newest };
  }

  /**
   * Reads logs of these blocks, or only of the first half if the node refuses so many blocks.
   * @param isShown whether the node returned the last block
   */
  async #readLogs(
    node: RpcNode,
    address: string,
    first: number,
    last: number,
    isShown = false,
  ): Promise<{ logs: Log[]; end: Block }> {
    const filter = { address, fromBlock: toHex(first), toBlock: toHex(last) };
    const asked = last - first + 1;
    const { seen, answers } = await node
      .witnessed(blockAt(last), [{ method: 'eth_getLogs', params: [filter] }])
      .catch((error: unknown) => {
        if (error instanceof NodeError && error.code === 'timeout') this.#shrink(asked);
        throw error;
      });
    const [answer] = answers;
    if (answer?.ok === false && classify(answer.error) !== 'busy') {
      if (asked === 1) throw pruned(node, `does not return the logs of block ${first}`, answer);
      this.#shrink(asked);
      return this.#readLogs(node, address, first, first + this.#span - 1);
    }
    if (seen.some(hasNoBlock)) {
      // Otherwise a node that contradicts itself would be queried forever.
      if (isShown) throw changed(node);
      const { height } = await lastBlockAt(node, last);
      // Heights without a block have no logs.
      if (height < first)
        throw new NodeError('behind', `Node ${node.nodeId} has no blocks from ${first} on yet.`);
      if (height > last) throw changed(node);
      return this.#readLogs(node, address, first, height, true);
    }
    const found = require(answer);
    const [end, ...others] = seen.map((one) => readBlockOrNull(require(one)));
    // A node that lacks the last block may also omit logs of earlier blocks.
    if (end == null || others.some((other) => other?.hash !== end.hash)) throw changed(node);
    // Otherwise the position would not advance, and the same blocks would be read again.
    if (end.height < first || end.height > last) throw changed(node);
    this.#answered += 1;
    if (this.#answered >= growAfter) {
      this.#span = Math.min(longestSpan, 2 * this.#span);
      this.#answered = 0;
    }
    if (!Array.isArray(found))
      throw new NodeError('unavailable', `Node ${node.nodeId} did not return a list of logs.`);
    return { logs: await slices.run(logsIn(node, found, first, last)), end };
  }
}

async function positionAt(node: RpcNode, height: number): Promise<EventPosition> {
  const block = await lastBlockAt(node, height);
  return { height: block.height, hash: block.hash };
}

/** Adds block times. Fails if the blocks are not on the node's chain. */
async function describe(
  node: RpcNode,
  logs: readonly Log[],
  abi: Interface | undefined,
): Promise<ContractEvent[]> {
  const heights = [...new Set(logs.map(({ height }) => height))];
  const answers = await node.batch(heights.map(blockAt));
  const blocks = new Map(
    answers.flatMap((answer) => {
      const block = readBlockOrNull(require(answer));
      return block === null ? [] : [[block.height, block]];
    }),
  );
  return slices.run(eventsIn(node, logs, blocks, abi));
}

/** Yields the logs of these blocks in order. */
function* logsIn(
  node: RpcNode,
  found: readonly unknown[],
  first: number,
  last: number,
): Generator<void, Log[]> {
  const logs: Log[] = [];
  let before: Log | undefined;
  let isSorted = true;
  for (const value of found) {
    yield;
    if (readObject(value, 'a log').removed === true) continue;
    const log = readLog(value);
    if (log.height < first || log.height > last) throw changed(node);
    isSorted &&= before === undefined || inOrder(before, log) <= 0;
    logs.push(log);
    before = log;
  }
  if (isSorted) return logs;
  if (logs.length > mostSorted) {
    throw new NodeError(
      'unavailable',
      `Node ${node.nodeId} returned ${logs.length} logs in the wrong order.`,
    );
  }
  return logs.sort(inOrder);
}

function inOrder(one: Log, other: Log): number {
  return one.height - other.height || one.index - other.index;
}

function* eventsIn(
  node: RpcNode,
  logs: readonly Log[],
  blocks: ReadonlyMap<number, Block>,
  abi: Interface | undefined,
): Generator<void, ContractEvent[]> {
  const events: ContractEvent[] = [];
  const known = abi === undefined ? undefined : eventsByTopic(abi);
  for (const log of logs) {
    yield;
    const { height, blockHash, txId, index, topics, data } = log;
    const block = blocks.get(height);
    if (block?.hash !== blockHash) throw changed(node);
    const event = {
      ...{ id: `${height}/${txId}/${index}`, height, blockHash, txId, time: block.timestamp * 1_000 },
      ...(known === undefined ? {} : decode(known, log)),
      raw: { topics, data, logIndex: index },
    };
    events.push(withoutLongContent(event));
  }
  return events;
}

const indexes = new WeakMap<Interface, ReadonlyMap<string, EventFragment>>();

/**
 * Returns the events of an interface by their first topic. Ethers hashes all of them again for each lookup.
 */
function eventsByTopic(abi: Interface): ReadonlyMap<string, EventFragment> {
  const known = indexes.get(abi);
  if (known !== undefined) return known;
  const fragments = abi.fragments.filter(EventFragment.isFragment).filter(({ anonymous }) => !anonymous);
  const made = new Map(fragments.map((fragment) => [fragment.topicHash, fragment]));
  indexes.set(abi, made);
  return made;
}

/**
 * Returns the error for a node that works but pruned this data. Another node may have the data. Other requests still go
 * to this node.
 */
function pruned({ nodeId }: RpcNode, does: string, { error }: Extract<RpcAnswer, { ok: false }>): NodeError {
  const detail = `Node ${nodeId} ${does}. Its error: ${readable(error.message)} (${error.code}). If the node does not keep old blocks, add a node that does, or start at a later block.`;
  return new NodeError('behind', detail);
}

/** Returns the position after all earlier events of its block. */
function positionBefore(log: Log, logs: readonly Log[]): EventPosition {
  const { height, blockHash: hash } = log;
  return { height, hash, index: logs.filter((other) => other.height === height).indexOf(log) };
}

/**
 * Returns the decoded event. Undefined if the interface does not declare the event, or declares it
 * differently than the contract.
 */
function decode(
  events: ReadonlyMap<string, EventFragment>,
  { topics, data }: Log,
): { name: string; args: JsonObject } | undefined {
  const event = events.get(topics[0] ?? '');
  if (event === undefined || data.length > longestDecoded) return undefined;
  try {
    return { name: event.name, args: decodeLog(event, topics, data) };
  } catch {
    return undefined;
  }
}

function readLog(value: unknown): Log {
  const log = readObject(value, 'a log');
  const { topics, data } = log;
  if (!Array.isArray(topics) || typeof data !== 'string') {
    throw new NodeError('unavailable', 'A node returned a log without topics or data.');
  }
  if (topics.length > mostTopics || data.length > longestData) {
    throw new NodeError('unavailable', 'A node returned a log with too many topics or too much data.');
  }
  return {
    height: readNumber(log.blockNumber, "a log's block"),
    blockHash: readHash(log.blockHash, "a log's block"),
    txId: readHash(log.transactionHash, "a log's transaction"),
    index: readNumber(log.logIndex, "a log's index"),
    topics: topics.map((topic) => readHash(topic, "a log's topic")),
    data: data.toLowerCase(),
  };
}

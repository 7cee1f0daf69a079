import type {
  ContractEvent,
  ContractEvents,
  ContractEventsRequest,
  EventPosition,
  JsonObject,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import type { Interface } from 'ethers';
import { decodeLog } from './abi/decode.ts';
import type { AbiCache } from './abi/interface.ts';
import { changed, require } from './blocks/chain-reading.ts';
import type { EthereumProperties } from './properties.ts';
import { type Block, blockAt, latestBlock, readBlock, readBlockOrNull } from './rpc/block.ts';
import { classify, readable } from './rpc/errors.ts';
import type { RpcAnswer, RpcNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readHash, readNumber, readObject, toHex } from './rpc/quantity.ts';
import { requireAddress } from './transactions/address.ts';

/** The part of a session that reading events needs. */
export interface EventsContext {
  nodes: Nodes;
  abis: AbiCache;
  properties: EthereumProperties;
}

/** Reads what contracts logged, for one session. */
export interface EventReader {
  read(request: ContractEventsRequest): Promise<ContractEvents>;
}

/** A log of a transaction that succeeded: there are no others. */
interface Log {
  height: number;
  blockHash: string;
  txId: string;
  index: number;
  topics: string[];
  data: string;
}

const phase = 'lookup';
/** Blocks that are asked about at once. Providers allow fewer (10, 500, 2,000), or fewer logs: half is asked then. */
const longestSpan = 2_000;
/** Answers after which a span that was refused is tried again. */
const growAfter = 50;

export function createEventReader({ nodes, abis, properties }: EventsContext): EventReader {
  let span = longestSpan;
  let answered = 0;

  function shrink(asked: number): void {
    span = Math.max(1, Math.floor(asked / 2));
    answered = 0;
  }

  /** Everything is of one node, and of one that stands behind its address: another one may not have all blocks yet. */
  async function readOn(node: RpcNode, request: ContractEventsRequest): Promise<ContractEvents> {
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
      return { events: [], after: { height: block.height, hash: block.hash }, newest, more: false };
    const last = Math.min(newest, first + span - 1);
    const address = requireAddress(contract.address, phase, '/address');
    const before = span;
    const { logs, end } = await readLogs(node, address, first, last).catch((error: unknown) => {
      // Fewer blocks would not have helped: others are read as before.
      if (error instanceof NodeError && error.code === 'behind') span = before;
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

  async function positionAt(node: RpcNode, height: number): Promise<EventPosition> {
    const [answer] = await node.batch([blockAt(height)]);
    const block = readBlockOrNull(require(answer));
    if (block === null) throw changed(node);
    return { height, hash: block.hash };
  }

  /** Of these blocks, or of the first half of them where the node refuses so many. */
  async function readLogs(
    node: RpcNode,
    address: string,
    first: number,
    last: number,
  ): Promise<{ logs: Log[]; end: Block }> {
    const filter = { address, fromBlock: toHex(first), toBlock: toHex(last) };
    const asked = last - first + 1;
    const { seen, answers } = await node
      .witnessed(blockAt(last), [{ method: 'eth_getLogs', params: [filter] }])
      .catch((error: unknown) => {
        if (error instanceof NodeError && error.code === 'timeout') shrink(asked);
        throw error;
      });
    const [answer] = answers;
    if (answer?.ok === false && classify(answer.error) !== 'busy') {
      if (asked === 1) throw pruned(node, `gives no logs of block ${first}`, answer);
      shrink(asked);
      return readLogs(node, address, first, first + span - 1);
    }
    const found = require(answer);
    const [end, ...others] = seen.map((one) => readBlockOrNull(require(one)));
    // A node that does not have the last block may leave out logs of those before, too.
    if (end == null || others.some((other) => other?.hash !== end.hash)) throw changed(node);
    answered += 1;
    if (answered >= growAfter) {
      span = Math.min(longestSpan, 2 * span);
      answered = 0;
    }
    if (!Array.isArray(found))
      throw new NodeError('unavailable', `Node ${node.nodeId} gave no list of logs.`);
    const logs = found.filter((log: unknown) => readObject(log, 'a log').removed !== true).map(readLog);
    if (logs.some(({ height }) => height < first || height > last)) throw changed(node);
    logs.sort((a, b) => a.height - b.height || a.index - b.index);
    return { logs, end };
  }

  /** With the times of their blocks, which have to be the ones that the chain has. */
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
    return logs.map((log) => {
      const { height, blockHash, txId, index, topics, data } = log;
      const block = blocks.get(height);
      if (block?.hash !== blockHash) throw changed(node);
      return {
        ...{ id: `${height}/${txId}/${index}`, height, blockHash, txId, time: block.timestamp * 1_000 },
        ...(abi === undefined ? {} : decode(abi, log)),
        raw: { topics, data, logIndex: index },
      };
    });
  }

  return { read: (request) => nodes.onNode(phase, (node) => readOn(node, request)) };
}

/** Of a node that works: another one may have what it does not, and all else is asked of it as before. */
function pruned({ nodeId }: RpcNode, does: string, { error }: Extract<RpcAnswer, { ok: false }>): NodeError {
  const detail = `Node ${nodeId} ${does}. It said: ${readable(error.message)} (${error.code}). Where it keeps nothing so far back, give the ledger a node that keeps it, or begin at a later block.`;
  return new NodeError('behind', detail);
}

/** Behind all events of its block that come before it. */
function positionBefore(log: Log, logs: readonly Log[]): EventPosition {
  const { height, blockHash: hash } = log;
  return { height, hash, index: logs.filter((other) => other.height === height).indexOf(log) };
}

/** Nothing where the interface does not have it, or has it in another form than the contract. */
function decode(abi: Interface, { topics, data }: Log): { name: string; args: JsonObject } | undefined {
  try {
    const event = abi.getEvent(topics[0] ?? '');
    if (event === null || event.anonymous) return undefined;
    return { name: event.name, args: decodeLog(event, topics, data) };
  } catch {
    return undefined;
  }
}

function readLog(value: unknown): Log {
  const log = readObject(value, 'a log');
  const { topics, data } = log;
  if (!Array.isArray(topics) || typeof data !== 'string') {
    throw new NodeError('unavailable', 'A node gave a log without topics or data.');
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

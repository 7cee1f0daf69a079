import type {
  AdapterHost,
  Confirmed,
  ConfirmRequest,
  Cursor,
  Outcome,
  PendingTransaction,
} from '@ledger-ops/adapter';
import { type Block, blockAt, latestBlock, readBlock, readBlockOrNull } from './block.ts';
import { createBlockReceipts } from './block-receipts.ts';
import type { ErrorRegistry } from './errors.ts';
import { failureReasons } from './failure-reason.ts';
import { NodeFailure } from './node-failure.ts';
import { noncesAt } from './nonces-at.ts';
import type { EthereumProperties } from './properties.ts';
import { outcomeOf, type Receipt, readReceipt, receiptOf } from './receipt.ts';
import { createRecentBlocks } from './recent-blocks.ts';
import type { Rpc } from './rpc.ts';
import type { RpcAnswer, RpcNode } from './rpc-node.ts';

/** What confirming draws on. */
export interface ConfirmContext {
  rpc: Rpc;
  registry: ErrorRegistry;
  properties: EthereumProperties;
  host: AdapterHost;
}

/** Reads the confirmed part of the chain, for one session. */
export interface Confirmer {
  confirm(request: ConfirmRequest): Promise<Confirmed>;
}

type Pending = ReadonlyMap<string, PendingTransaction>;
/** What one node shows, or that the cursor's block is gone or not there. */
type Reading = { kind: 'confirmed'; confirmed: Confirmed } | { kind: 'gone' } | { kind: 'missing' };

const phase = 'confirm';
/** A longer way is not walked block by block. */
const longestWalk = 64;
/** Milliseconds for which a node without the cursor's block is taken to be behind, and a chain to be between blocks. */
const patience = 15_000;
/** Transactions that may have lost their nonces, for one look: so many receipts come in one request, or in two. */
const lookedAt = 50;

/**
 * Confirmation goes by blocks: the ids in each new block at depth are held against what is pending, and only
 * receipts of ours are read. What a session sees first, and after a reorganisation or a long gap, is asked
 * for directly, with the accounts' nonces at one block. All answers of one reading come from one node.
 */
export function createConfirmer(context: ConfirmContext): Confirmer {
  const { rpc, properties, host } = context;
  const recent = createRecentBlocks(longestWalk);
  const blockReceipts = createBlockReceipts();
  let walked = false;
  let genesis: string | undefined;
  let missingSince: number | undefined;
  let nonces = { height: -1, at: Number.NEGATIVE_INFINITY };
  /** What was pending when nonces were looked at last: only what stays unmined is worth a look. */
  let waiting = new Set<string>();
  /** What had lost its nonce when nonces were looked at last. */
  let suspects = new Set<string>();

  async function confirm(request: ConfirmRequest): Promise<Confirmed> {
    const known = genesis;
    let identity = await rpc.identity(phase);
    let restart = request.cursor !== null && known !== undefined && known !== identity.genesis;
    let reading = await readAny(request, restart);
    if (reading.kind !== 'confirmed') {
      rpc.doubt();
      identity = await rpc.identity(phase);
      const reset = known !== undefined && known !== identity.genesis;
      if (reading.kind === 'missing' && !reset) {
        missingSince ??= host.now();
        restart = host.now() - missingSince >= patience;
        if (!restart) return notYet(request.cursor);
      } else restart = true;
      reading = await readAny(request, restart);
    }
    if (reading.kind !== 'confirmed') return notYet(request.cursor);
    missingSince = undefined;
    genesis = rpc.lastIdentity()?.genesis;
    return reading.confirmed;
  }

  /** As the first node has it that has the cursor's block: one that is behind says nothing about the chain. */
  async function readAny(request: ConfirmRequest, restart: boolean): Promise<Reading> {
    let missing: Reading | undefined;
    try {
      return await rpc.onNode(phase, async (node) => {
        const reading = await read(node, request, restart);
        if (reading.kind !== 'missing') return reading;
        missing = reading;
        throw new NodeFailure('behind', `Node ${node.nodeId} does not have the last block that was read.`);
      });
    } catch (error) {
      if (missing === undefined) throw error;
      return missing;
    }
  }

  /** The node has not come as far as the last one: there is nothing to add. */
  async function notYet(cursor: Cursor | null): Promise<Confirmed> {
    const head = await rpc.onNode(phase, async (node) => {
      const [latest] = await node.batch([latestBlock]);
      return readBlock(require(latest));
    });
    const position = { height: head.height, hash: head.hash };
    return { cursor: cursor ?? position, head: position, outcomes: [], reorganised: false };
  }

  async function read(node: RpcNode, request: ConfirmRequest, restart: boolean): Promise<Reading> {
    const { cursor, pending } = request;
    const [latest, at] = await node.batch([
      latestBlock,
      ...(cursor === null ? [] : [blockAt(cursor.height)]),
    ]);
    const head = readBlock(require(latest));
    const final = Math.max(0, head.height - properties.confirmations + 1);
    if (cursor !== null && !restart) {
      const block = readBlockOrNull(require(at));
      if (block === null) {
        const remembered = recent.hashAt(head.height);
        return { kind: remembered !== undefined && remembered !== head.hash ? 'gone' : 'missing' };
      }
      if (block.hash !== cursor.hash) return { kind: 'gone' };
    }
    const position = { height: head.height, hash: head.hash };
    if (restart) suspects.clear();
    const direct = cursor === null || restart || !walked || final - cursor.height > longestWalk;
    if (direct) {
      const behind = cursor !== null && !restart && final < cursor.height;
      const found = await ask(node, pending, behind ? cursor.height : final);
      walked = true;
      return {
        kind: 'confirmed',
        confirmed: { ...found, head: position, reorganised: restart && cursor !== null },
      };
    }
    const reached = await walk(node, cursor, final);
    const outcomes = await match(node, pending);
    const checked = await checkNonces(node, pending, outcomes, reached);
    outcomes.push(...checked);
    return {
      kind: 'confirmed',
      confirmed: { cursor: reached, head: position, outcomes, reorganised: false },
    };
  }

  /** Reads the new blocks at depth; each must be the child of the one before. */
  async function walk(node: RpcNode, from: Cursor, final: number): Promise<Cursor> {
    if (final <= from.height) return from;
    const heights = Array.from({ length: final - from.height }, (_, index) => from.height + 1 + index);
    const answers = await node.batch(heights.map(blockAt));
    let reached = from;
    const blocks: Block[] = [];
    for (const answer of answers) {
      const block = readBlockOrNull(require(answer));
      if (block === null || block.parentHash !== reached.hash) throw changed(node);
      blocks.push(block);
      reached = { height: block.height, hash: block.hash };
    }
    for (const block of blocks) recent.add(block);
    return reached;
  }

  /** Receipts of whatever is pending and stands in a block that was walked. */
  async function match(node: RpcNode, pending: Pending): Promise<Outcome[]> {
    const found = [...pending.keys()].flatMap((txId) => {
      const block = recent.blockOf(txId);
      return block === undefined ? [] : [{ txId, block }];
    });
    if (found.length === 0) return [];
    const read = await blockReceipts.read(node, found);
    const receipts = found.map(({ txId, block }) => {
      const receipt = read.get(txId);
      if (receipt?.blockHash !== block.hash) {
        recent.clear();
        walked = false;
        throw changed(node);
      }
      return receipt;
    });
    return toOutcomes(node, receipts);
  }

  async function toOutcomes(node: RpcNode, receipts: readonly Receipt[]): Promise<Outcome[]> {
    const failed = receipts.filter(({ succeeded }) => !succeeded);
    const problems =
      failed.length === 0 ? undefined : await failureReasons(node, failed, phase, context.registry);
    return receipts.map((receipt) => outcomeOf(receipt.txId, receipt, problems?.get(receipt.txId)));
  }

  /** Asks for every receipt, and for the nonces of what has none, all as of one block. */
  async function ask(
    node: RpcNode,
    pending: Pending,
    height: number,
  ): Promise<{ cursor: Cursor; outcomes: Outcome[] }> {
    const [answer] = await node.batch([blockAt(height)]);
    const block = readBlockOrNull(require(answer));
    if (block === null) throw changed(node);
    const cursor = { height, hash: block.hash };
    recent.clear();
    recent.add(block);
    const receipts = await receiptsAt(node, [...pending.keys()], cursor);
    const outcomes = await toOutcomes(node, receipts.final);
    waiting = new Set(pending.keys());
    outcomes.push(...(await checkNonces(node, pending, outcomes, cursor)));
    return { cursor, outcomes };
  }

  /** Receipts at or below a block that is still there afterwards; `early` ones are above it. */
  async function receiptsAt(
    node: RpcNode,
    txIds: readonly string[],
    cursor: Cursor,
  ): Promise<{ final: Receipt[]; early: Set<string> }> {
    // Behind an address there may be many nodes: whichever answers a request must have the block, before and after.
    const { seen, answers } = await node.witnessed(blockAt(cursor.height), txIds.map(receiptOf));
    for (const answer of seen) {
      if (readBlockOrNull(require(answer))?.hash !== cursor.hash) throw changed(node);
    }
    const receipts = answers.flatMap((answer) => {
      const value = require(answer);
      return value === null ? [] : [readReceipt(value)];
    });
    const final = receipts.filter(({ height }) => height <= cursor.height);
    const early = new Set(receipts.filter(({ height }) => height > cursor.height).map(({ txId }) => txId));
    const hashes = new Map(final.map(({ height, blockHash }) => [height, blockHash]));
    hashes.set(cursor.height, cursor.hash);
    const heights = [...hashes.keys()];
    const blocks = await node.batch(heights.map(blockAt));
    for (const [index, height] of heights.entries()) {
      const block = readBlockOrNull(require(blocks[index]));
      if (block === null || block.hash !== hashes.get(height)) throw changed(node);
    }
    if (final.some(({ height, blockHash }) => hashes.get(height) !== blockHash)) throw changed(node);
    return { final, early };
  }

  /** Now and then, whether nonces of what stays unmined were taken by something else. */
  async function checkNonces(
    node: RpcNode,
    pending: Pending,
    outcomes: readonly Outcome[],
    cursor: Cursor,
  ): Promise<Outcome[]> {
    const blocks = cursor.height - nonces.height;
    const passed = host.now() - nonces.at;
    const due = blocks >= 16 || blocks < 0 || (blocks >= 4 && passed >= 1000) || passed >= patience;
    if (!due) return [];
    nonces = { height: cursor.height, at: host.now() };
    const long = new Map([...pending].filter(([txId]) => waiting.has(txId)));
    waiting = new Set(pending.keys());
    return lost(node, pending, await takenSequences(node, long, outcomes, cursor), cursor);
  }

  /**
   * What took a nonce may be the very transaction: it may stand in a block that was read before it was pending here,
   * and a node that is taking up a block may count its transactions before it shows the block or the receipts in it
   * (anvil 1.7 does). So receipts are asked for once more, and a nonce is lost only when the next look finds the same.
   */
  async function lost(
    node: RpcNode,
    pending: Pending,
    taken: readonly Outcome[],
    cursor: Cursor,
  ): Promise<Outcome[]> {
    const before = suspects;
    suspects = new Set();
    if (taken.length === 0) return [];
    const some = taken.slice(0, lookedAt);
    const { final, early } = await receiptsAt(
      node,
      some.map(({ txId }) => txId),
      cursor,
    );
    const late = await toOutcomes(node, final);
    const settled = new Set(
      [...early, ...final.map(({ txId }) => txId)].map((txId) => slotOf(pending, txId)),
    );
    const left = some.filter(({ txId }) => !settled.has(slotOf(pending, txId)));
    suspects = new Set(left.map(({ txId }) => txId));
    return [...late, ...left.filter(({ txId }) => before.has(txId))];
  }

  /** Everything pending whose nonce is used up at this block by something else. */
  async function takenSequences(
    node: RpcNode,
    pending: Pending,
    outcomes: readonly Outcome[],
    { height, hash }: Cursor,
  ): Promise<Outcome[]> {
    const settled = new Set(outcomes.map(({ txId }) => slotOf(pending, txId)));
    const open = [...pending].flatMap(([txId, { address, sequence }]) =>
      sequence === undefined || settled.has(slotOf(pending, txId)) ? [] : [{ txId, address, sequence }],
    );
    const addresses = [...new Set(open.map(({ address }) => address))];
    const counts = await noncesAt(node, addresses, { height, hash });
    return open.flatMap(({ txId, address, sequence }): Outcome[] => {
      const count = counts.get(address);
      if (count === undefined || BigInt(count) <= sequence) return [];
      return [{ txId, status: 'superseded', height, blockHash: hash }];
    });
  }

  return { confirm };
}

/** What attempts of one action share. */
function slotOf(pending: Pending, txId: string): string {
  const one = pending.get(txId);
  return one?.sequence === undefined ? txId : `${one.address}:${one.sequence}`;
}

function changed(node: RpcNode): NodeFailure {
  return new NodeFailure('behind', `The chain changed on node ${node.nodeId} while it was read: ask again.`);
}

function require(answer: RpcAnswer | undefined): unknown {
  if (answer?.ok === true) return answer.result;
  const said =
    answer === undefined ? 'nothing' : `${answer.error.message.slice(0, 200)} (${answer.error.code})`;
  throw new NodeFailure('unavailable', `A node could not say what is in the chain: ${said}.`);
}

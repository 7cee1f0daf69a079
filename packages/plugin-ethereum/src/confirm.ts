import type {
  AdapterHost,
  Confirmed,
  ConfirmRequest,
  Cursor,
  Outcome,
  PendingTransaction,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import type { ErrorRegistry } from './abi/error-registry.ts';
import { createBlockReceipts } from './blocks/block-receipts.ts';
import { changed, receiptsAt, require } from './blocks/chain-reading.ts';
import { failureReasons } from './blocks/failure-reason.ts';
import { outcomeOf, type Receipt, receiptIn } from './blocks/receipt.ts';
import { createRecentBlocks } from './blocks/recent-blocks.ts';
import { createLostNonces } from './nonces/lost-nonces.ts';
import type { Slot } from './nonces/nonce-use.ts';
import { noncesAt } from './nonces/nonces-at.ts';
import type { EthereumProperties } from './properties.ts';
import { type Block, blockAt, latestBlock, readBlock, readBlockOrNull } from './rpc/block.ts';
import type { RpcNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import type { Timing } from './timing.ts';

/** The part of a session that confirming needs. */
export interface ConfirmContext {
  nodes: Nodes;
  registry: ErrorRegistry;
  properties: EthereumProperties;
  host: AdapterHost;
  timing: Timing;
}

/** Reads the confirmed part of the chain, for one session. */
export interface Confirmer {
  confirm(request: ConfirmRequest): Promise<Confirmed>;
}

type Pending = ReadonlyMap<string, PendingTransaction>;
/** `isPartial`: the node does not show all yet that it says there is; the rest comes with a later reading. */
interface Read {
  kind: 'confirmed';
  confirmed: Confirmed;
  isPartial: boolean;
}
/** The answer of one node, or that the cursor's block is gone or not there. */
type Reading = Read | { kind: 'gone' } | { kind: 'missing' };

const phase = 'confirm';

/**
 * Confirmation goes by blocks: the ids in each new block at depth are held against what is pending, and only
 * receipts of ours are read. What a session sees first, and after a reorganisation or a long gap, is asked
 * for directly, with the accounts' nonces at one block. All answers of one reading come from one node.
 */
export function createConfirmer(context: ConfirmContext): Confirmer {
  const { nodes, properties, host } = context;
  const timing = context.timing.confirm;
  const recent = createRecentBlocks(timing.longestWalk);
  const blockReceipts = createBlockReceipts();
  let walked = false;
  let genesis: string | undefined;
  let missingSince: number | undefined;
  let nonces = { height: -1, at: Number.NEGATIVE_INFINITY };
  /** Ids pending when nonces were looked at last: only transactions that stay unmined are worth a look. */
  let waiting = new Set<string>();
  const lost = createLostNonces({ nodes, toOutcomes });

  async function confirm(request: ConfirmRequest): Promise<Confirmed> {
    const known = genesis;
    let identity = await nodes.identity(phase);
    let restart = request.cursor !== null && known !== undefined && known !== identity.genesis;
    let reading = await readAny(request, restart);
    if (reading.kind !== 'confirmed') {
      nodes.doubt();
      identity = await nodes.identity(phase);
      const reset = known !== undefined && known !== identity.genesis;
      if (reading.kind === 'missing' && !reset) {
        missingSince ??= host.now();
        restart = host.now() - missingSince >= timing.behind;
        if (!restart) return notYet(request.cursor);
      } else restart = true;
      reading = await readAny(request, restart);
    }
    if (reading.kind !== 'confirmed') return notYet(request.cursor);
    missingSince = undefined;
    genesis = nodes.lastIdentity()?.genesis;
    return reading.confirmed;
  }

  /**
   * As the first node has it that has the cursor's block, and shows all that it says there is: one that is behind says
   * nothing about the chain. Where none shows all, what one shows counts.
   */
  async function readAny(request: ConfirmRequest, restart: boolean): Promise<Reading> {
    let less: Reading | undefined;
    try {
      return await nodes.onNode(phase, async (node) => {
        const reading = await read(node, request, restart);
        const isMissing = reading.kind === 'missing';
        if (!isMissing && !(reading.kind === 'confirmed' && reading.isPartial)) return reading;
        if (!isMissing || less === undefined) less = reading;
        throw new NodeError('behind', `Node ${node.nodeId} does not show all blocks that there are.`);
      });
    } catch (error) {
      if (less === undefined) throw error;
      return less;
    }
  }

  /** The node has not come as far as the last one: there is nothing to add. */
  async function notYet(cursor: Cursor | null): Promise<Confirmed> {
    const head = await nodes.onNode(phase, async (node) => {
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
    if (restart) lost.clear();
    const direct = cursor === null || restart || !walked || final - cursor.height > timing.longestWalk;
    if (direct) {
      const behind = cursor !== null && !restart && final < cursor.height;
      const found = await ask(node, pending, behind ? cursor.height : final);
      walked = true;
      return {
        kind: 'confirmed',
        confirmed: { ...found, head: position, reorganised: restart && cursor !== null, ...said(pending) },
        isPartial: false,
      };
    }
    const reached = await walk(node, cursor, final);
    const { outcomes, isPartial } = await match(node, pending);
    const checked = await checkNonces(node, pending, outcomes, reached);
    outcomes.push(...checked);
    return {
      kind: 'confirmed',
      confirmed: { cursor: reached, head: position, outcomes, reorganised: false, ...said(pending) },
      isPartial: isPartial || reached.height < final,
    };
  }

  function said(pending: Pending): Pick<Confirmed, 'remarks'> {
    const remarks = lost.remarks(pending);
    return remarks.length === 0 ? {} : { remarks };
  }

  /** Reads the new blocks at depth, as far as the node shows them; each must be the child of the one before. */
  async function walk(node: RpcNode, from: Cursor, final: number): Promise<Cursor> {
    if (final <= from.height) return from;
    const heights = Array.from({ length: final - from.height }, (_, index) => from.height + 1 + index);
    const answers = await node.batch(heights.map(blockAt));
    let reached = from;
    const blocks: Block[] = [];
    for (const answer of answers) {
      const block = readBlockOrNull(require(answer));
      if (block === null) break;
      if (block.parentHash !== reached.hash) throw changed(node);
      blocks.push(block);
      reached = { height: block.height, hash: block.hash };
    }
    for (const block of blocks) recent.add(block);
    return reached;
  }

  /** Receipts of whatever is pending and stands in a block that was walked; those not there yet are asked for again. */
  async function match(
    node: RpcNode,
    pending: Pending,
  ): Promise<{ outcomes: Outcome[]; isPartial: boolean }> {
    const found = [...pending.keys()].flatMap((txId) => {
      const block = recent.blockOf(txId);
      return block === undefined ? [] : [{ txId, block }];
    });
    if (found.length === 0) return { outcomes: [], isPartial: false };
    const read = await blockReceipts.read(node, found);
    const receipts = found.flatMap(({ txId, block }) => {
      const receipt = read.get(txId);
      if (receipt !== undefined && receipt.blockHash !== block.hash) {
        recent.clear();
        walked = false;
        throw changed(node);
      }
      return receipt === undefined ? [] : receiptIn(receipt, block);
    });
    return { outcomes: await toOutcomes(node, receipts), isPartial: receipts.length < found.length };
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

  /** Now and then, whether nonces of what stays unmined were taken by something else. */
  async function checkNonces(
    node: RpcNode,
    pending: Pending,
    outcomes: readonly Outcome[],
    cursor: Cursor,
  ): Promise<Outcome[]> {
    const blocks = cursor.height - nonces.height;
    const passed = host.now() - nonces.at;
    const { few, longest, blocks: many } = timing.nonces;
    const due =
      blocks >= many || blocks < 0 || (blocks >= few.blocks && passed >= few.after) || passed >= longest;
    if (!due) return [];
    nonces = { height: cursor.height, at: host.now() };
    const long = new Map([...pending].filter(([txId]) => waiting.has(txId)));
    waiting = new Set(pending.keys());
    return lost.look(node, await takenSlots(node, long, pending, outcomes, cursor), cursor);
  }

  /** Every sequence of something pending that the node counts as used at this block. */
  async function takenSlots(
    node: RpcNode,
    long: Pending,
    pending: Pending,
    outcomes: readonly Outcome[],
    cursor: Cursor,
  ): Promise<Slot[]> {
    const settled = new Set(outcomes.map(({ txId }) => slotOf(pending, txId)));
    const wanted = new Set([...long.keys()].map((txId) => slotOf(pending, txId)));
    const open = new Map<string, Slot & { txIds: string[] }>();
    // All that is signed at it, also what was signed a moment ago.
    for (const [txId, { address, sequence }] of pending) {
      const key = slotOf(pending, txId);
      if (sequence === undefined || settled.has(key) || !wanted.has(key)) continue;
      const slot = open.get(key) ?? { address, sequence, txIds: [] };
      slot.txIds.push(txId);
      open.set(key, slot);
    }
    const addresses = [...new Set([...open.values()].map(({ address }) => address))];
    const counts = await noncesAt(node, addresses, cursor);
    return [...open.values()].filter(({ address, sequence }) => BigInt(counts.get(address) ?? 0) > sequence);
  }

  return { confirm };
}

/** A key that attempts of one action share: account and sequence. */
function slotOf(pending: Pending, txId: string): string {
  const one = pending.get(txId);
  return one?.sequence === undefined ? txId : `${one.address}:${one.sequence}`;
}

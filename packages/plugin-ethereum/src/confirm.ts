import type {
  AdapterHost,
  Confirmed,
  ConfirmRequest,
  Cursor,
  Outcome,
  PendingTransaction,
} from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { ErrorRegistry } from './abi/error-registry.ts';
import { createBlockReceipts } from './blocks/block-receipts.ts';
import { changed, hasNoBlock, lastBlockAt, receiptsAt, require } from './blocks/chain-reading.ts';
import { failureReasons } from './blocks/failure-reason.ts';
import { outcomeOf, type Receipt, receiptIn } from './blocks/receipt.ts';
import { createRecentBlocks } from './blocks/recent-blocks.ts';
import { UnreadableReceipts } from './blocks/unreadable-receipts.ts';
import { LostNonces } from './nonces/lost-nonces.ts';
import type { Slot } from './nonces/nonce-use.ts';
import { noncesAt } from './nonces/nonces-at.ts';
import { SoughtTransactions } from './nonces/sought-transactions.ts';
import type { EthereumProperties } from './properties.ts';
import { type Block, blockAt, latestBlock, readBlock, readBlockOrNull } from './rpc/block.ts';
import type { RpcNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import type { Timing } from './timing.ts';

/** The parts of a session that `confirm` needs. */
export interface ConfirmContext {
  nodes: Nodes;
  registry: ErrorRegistry;
  properties: EthereumProperties;
  host: AdapterHost;
  timing: Timing;
}

type Pending = ReadonlyMap<string, PendingTransaction>;
/**
 * `isPartial`: the node does not yet return all blocks up to its reported height. A later reading returns the
 * remaining blocks.
 */
interface Read {
  kind: 'confirmed';
  confirmed: Confirmed;
  isPartial: boolean;
}
/**
 * The answer of one node. `gone`: a reorg removed the cursor's block. `missing`: the node does not have that block.
 */
type Reading = Read | { kind: 'gone' } | { kind: 'missing' };

const phase = 'confirm';

/**
 * Confirms block by block: looks up the transaction ids of each new final block among the pending ones, and
 * reads only their receipts. Queries receipts directly for transactions seen for the first time, and for all
 * transactions after a reorg or a long gap; this also reads the nonces of their accounts, all at one block.
 * All answers of one reading come from one node.
 *
 * Stores the recent blocks that were read, the chain's first block as last seen, the time when nonces were
 * last read, and the transactions that a reorg removed from the chain.
 */
export class Confirmer {
  readonly #context: ConfirmContext;
  readonly #nodes: Nodes;
  readonly #properties: EthereumProperties;
  readonly #host: AdapterHost;
  readonly #timing: ConfirmContext['timing']['confirm'];
  readonly #recent;
  readonly #unreadable = new UnreadableReceipts();
  readonly #blockReceipts;
  #walked = false;
  #genesis: string | undefined;
  #missingSince: number | undefined;
  #nonces = { height: -1, at: Number.NEGATIVE_INFINITY };
  /** Ids that were pending at the last nonce check. Only transactions that stay unmined are checked. */
  #waiting = new Set<string>();
  readonly #sought = new SoughtTransactions();
  readonly #lost;

  constructor(context: ConfirmContext) {
    this.#context = context;
    const { nodes } = context;
    this.#nodes = nodes;
    this.#properties = context.properties;
    this.#host = context.host;
    this.#timing = context.timing.confirm;
    this.#recent = createRecentBlocks(this.#timing.longestWalk);
    this.#blockReceipts = createBlockReceipts(this.#unreadable);
    this.#lost = new LostNonces({
      nodes: this.#nodes,
      unreadable: this.#unreadable,
      toOutcomes: (pending, reading) => this.#toOutcomes(pending, reading),
    });
  }

  async confirm(request: ConfirmRequest): Promise<Confirmed> {
    const known = this.#genesis;
    let identity = await this.#nodes.identity(phase);
    let restart = request.cursor !== null && known !== undefined && known !== identity.genesis;
    let reading = await this.#readAny(request, restart);
    if (reading.kind !== 'confirmed') {
      this.#nodes.verifyAgain();
      identity = await this.#nodes.identity(phase);
      const reset = known !== undefined && known !== identity.genesis;
      if (reading.kind === 'missing' && !reset) {
        this.#missingSince ??= this.#host.now();
        restart = this.#host.now() - this.#missingSince >= this.#timing.behind;
        if (!restart) return this.#notYet(request.cursor);
      } else restart = true;
      reading = await this.#readAny(request, restart);
    }
    if (reading.kind !== 'confirmed') return this.#notYet(request.cursor);
    this.#missingSince = undefined;
    this.#genesis = this.#nodes.lastIdentity()?.genesis;
    return reading.confirmed;
  }

  /**
   * Uses the first node that has the cursor's block and returns all blocks up to its reported height. A node
   * that is behind proves nothing about the chain. If no node is complete, uses a partial reading.
   */
  async #readAny(request: ConfirmRequest, restart: boolean): Promise<Reading> {
    let less: Reading | undefined;
    try {
      return await this.#nodes.onNode(phase, async (node) => {
        const reading = await this.#read(node, request, restart);
        const isMissing = reading.kind === 'missing';
        if (!isMissing && !(reading.kind === 'confirmed' && reading.isPartial)) return reading;
        if (!isMissing || less === undefined) less = reading;
        throw new NodeError('behind', `Node ${node.nodeId} does not return all existing blocks.`);
      });
    } catch (error) {
      if (less === undefined) throw error;
      return less;
    }
  }

  /** Returns an answer without outcomes, because no node has reached the cursor's block. */
  async #notYet(cursor: Cursor | null): Promise<Confirmed> {
    const head = await this.#nodes.onNode(phase, async (node) => {
      const [latest] = await node.batch([latestBlock]);
      return readBlock(require(latest));
    });
    const position = { height: head.height, hash: head.hash };
    return { cursor: cursor ?? position, head: position, outcomes: [], reorganised: false };
  }

  async #read(node: RpcNode, request: ConfirmRequest, restart: boolean): Promise<Reading> {
    const { cursor, pending } = request;
    if (cursor !== null) this.#sought.keep(pending);
    const [latest, at] = await node.batch([
      latestBlock,
      ...(cursor === null ? [] : [blockAt(cursor.height)]),
    ]);
    const head = readBlock(require(latest));
    const final = Math.max(0, head.height - this.#properties.confirmations + 1);
    if (cursor !== null && !restart) {
      const block = readBlockOrNull(require(at));
      if (block === null) {
        const remembered = this.#recent.hashAt(head.height);
        return { kind: remembered !== undefined && remembered !== head.hash ? 'gone' : 'missing' };
      }
      if (block.hash !== cursor.hash) return { kind: 'gone' };
    }
    const position = { height: head.height, hash: head.hash };
    if (restart) {
      this.#lost.clear();
      this.#unreadable.clear();
    }
    const direct =
      cursor === null || restart || !this.#walked || final - cursor.height > this.#timing.longestWalk;
    if (direct) {
      const behind = cursor !== null && !restart && final < cursor.height;
      const found = await this.#ask(node, pending, behind ? cursor.height : final, cursor === null);
      this.#walked = true;
      return {
        kind: 'confirmed',
        confirmed: {
          cursor: found.cursor,
          outcomes: found.outcomes,
          head: position,
          reorganised: restart && cursor !== null,
          ...this.#said(pending),
        },
        isPartial: found.isPartial,
      };
    }
    const { reached, isWhole } = await this.#walk(node, cursor, final);
    const { outcomes, isPartial } = await this.#match(node, pending);
    const checked = await this.#checkNonces(node, pending, outcomes, reached);
    outcomes.push(...checked);
    return {
      kind: 'confirmed',
      confirmed: { cursor: reached, head: position, outcomes, reorganised: false, ...this.#said(pending) },
      isPartial: isPartial || !isWhole,
    };
  }

  #said(pending: Pending): Pick<Confirmed, 'remarks'> {
    const remarks = [...this.#lost.remarks(pending), ...this.#unreadable.remarks(pending)];
    return remarks.length === 0 ? {} : { remarks };
  }

  /**
   * Reads the new final blocks that the node returns; each must be the child of the one before. Some chains
   * have heights without a block. For these, nodes return an error, null, or the previous block.
   */
  async #walk(node: RpcNode, from: Cursor, final: number): Promise<{ reached: Cursor; isWhole: boolean }> {
    if (final <= from.height) return { reached: from, isWhole: true };
    const heights = Array.from({ length: final - from.height }, (_, index) => from.height + 1 + index);
    const answers = await node.batch(heights.map(blockAt));
    let reached = from;
    const blocks: Block[] = [];
    let isUnseen = false;
    for (const answer of answers) {
      if (hasNoBlock(answer)) continue;
      const block = readBlockOrNull(require(answer));
      if (block === null) {
        isUnseen = true;
        continue;
      }
      if (block.hash === reached.hash) continue;
      if (block.parentHash !== reached.hash) {
        if (isUnseen) break;
        throw changed(node);
      }
      isUnseen = false;
      blocks.push(block);
      reached = { height: block.height, hash: block.hash };
    }
    for (const block of blocks) this.#recent.add(block);
    return { reached, isWhole: !isUnseen };
  }

  /** Reads receipts of pending transactions that are in a new block. Missing receipts are requested again later. */
  async #match(node: RpcNode, pending: Pending): Promise<{ outcomes: Outcome[]; isPartial: boolean }> {
    const found = [...pending.keys()].flatMap((txId) => {
      const block = this.#recent.blockOf(txId);
      return block === undefined ? [] : [{ txId, block }];
    });
    if (found.length === 0) return { outcomes: [], isPartial: false };
    const read = await this.#blockReceipts.read(node, found);
    const isOf = (receipt: Receipt, { hash, height }: Block) =>
      receipt.blockHash === hash && receipt.height === height;
    const odd = found.filter(({ txId, block }) => {
      const receipt = read.get(txId);
      return receipt !== undefined && !isOf(receipt, block);
    });
    await this.#requireBlocks(
      node,
      odd.map(({ block }) => block),
    );
    const receipts = found.flatMap(({ txId, block }) => {
      const receipt = read.get(txId);
      if (receipt === undefined) return [];
      if (isOf(receipt, block)) return receiptIn(receipt, block);
      this.#unreadable.contradicts(node.nodeId, receipt);
      return [];
    });
    return { outcomes: await this.#toOutcomes(node, receipts), isPartial: receipts.length < found.length };
  }

  /** @throws NodeError `behind` if the node's chain no longer has one of these blocks */
  async #requireBlocks(node: RpcNode, blocks: readonly Block[]): Promise<void> {
    const answers = await node.batch(blocks.map(({ height }) => blockAt(height)));
    const isKept = blocks.every(({ hash }, index) => readBlockOrNull(require(answers[index]))?.hash === hash);
    if (isKept) return;
    this.#recent.clear();
    this.#walked = false;
    throw changed(node);
  }

  async #toOutcomes(node: RpcNode, receipts: readonly Receipt[]): Promise<Outcome[]> {
    const failed = receipts.filter(({ succeeded }) => !succeeded);
    const problems =
      failed.length === 0 ? undefined : await failureReasons(node, failed, phase, this.#context.registry);
    return receipts.map((receipt) => outcomeOf(receipt.txId, receipt, problems?.get(receipt.txId)));
  }

  /**
   * Requests every receipt, and the nonces of accounts without one, all as of one block.
   * @param isSearch true if the transactions may be in any block
   */
  async #ask(
    node: RpcNode,
    pending: Pending,
    height: number,
    isSearch: boolean,
  ): Promise<{ cursor: Cursor; outcomes: Outcome[]; isPartial: boolean }> {
    const block = await lastBlockAt(node, height);
    const cursor = { height: block.height, hash: block.hash };
    this.#recent.clear();
    this.#recent.add(block);
    const receipts = await receiptsAt(node, [...pending.keys()], cursor, this.#unreadable);
    const outcomes = await this.#toOutcomes(node, receipts.final);
    for (const txId of pending.keys()) this.#waiting.add(txId);
    if (isSearch) {
      const found = new Set(outcomes.map(({ txId }) => txId));
      this.#sought.add([...pending.keys()].filter((txId) => !found.has(txId)));
    }
    outcomes.push(...(await this.#checkNonces(node, pending, outcomes, cursor)));
    return { cursor, outcomes, isPartial: receipts.unread.size > 0 };
  }

  /**
   * Checks whether other transactions used the nonces of unmined transactions: normally at intervals, but at
   * each block for transactions that disappeared from the chain.
   */
  async #checkNonces(
    node: RpcNode,
    pending: Pending,
    outcomes: readonly Outcome[],
    cursor: Cursor,
  ): Promise<Outcome[]> {
    const blocks = cursor.height - this.#nonces.height;
    const passed = this.#host.now() - this.#nonces.at;
    const { few, longest, blocks: many } = this.#timing.nonces;
    const isWhole =
      blocks >= many || blocks < 0 || (blocks >= few.blocks && passed >= few.after) || passed >= longest;
    const sought = this.#sought.take(pending, cursor.height);
    if (!isWhole && sought.size === 0) return [];
    const checked = new Set([...sought, ...this.#lost.recent()]);
    if (isWhole) {
      for (const txId of this.#waiting) checked.add(txId);
      this.#nonces = { height: cursor.height, at: this.#host.now() };
      this.#waiting = new Set(pending.keys());
    }
    const long = new Map([...pending].filter(([txId]) => checked.has(txId)));
    const slots = await takenSlots(node, long, pending, outcomes, cursor);
    return this.#lost.look(node, slots, cursor, { isWhole, sought });
  }
}

/** Returns the nonces of pending transactions that the node counts as used at this block. */
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
  // Each slot gets all transactions that were signed at its nonce, including the newest.
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

/** Returns the key of account and nonce, which all attempts of an action share. */
function slotOf(pending: Pending, txId: string): string {
  const one = pending.get(txId);
  return one?.sequence === undefined ? txId : `${one.address}:${one.sequence}`;
}

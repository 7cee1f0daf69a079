import {
  type Cursor,
  nonceClaim,
  type Outcome,
  type PendingTransaction,
  type Remark,
} from '@ledger-ops/adapter';
import { receiptsAt } from '../blocks/chain-reading.ts';
import type { Receipt } from '../blocks/receipt.ts';
import type { UnreadableReceipts } from '../blocks/unreadable-receipts.ts';
import type { RpcNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { findNonceUse, type Slot } from './nonce-use.ts';

type Pending = ReadonlyMap<string, PendingTransaction>;

/** The result of one search. */
interface Found {
  outcomes: Outcome[];
  /** Why the search has no result yet. */
  detail?: string;
}

interface LookOptions {
  /** False if only some of the pending transactions were checked. Earlier findings about the others are then kept. */
  isWhole: boolean;
  /**
   * Transactions whose nonces are searched in blocks immediately, because waiting for the receipt would not
   * help.
   */
  sought: ReadonlySet<string>;
}

export interface LostNoncesContext {
  nodes: Nodes;
  unreadable: UnreadableReceipts;
  toOutcomes(node: RpcNode, receipts: readonly Receipt[]): Promise<Outcome[]>;
}

const phase = 'confirm';
/** Maximum number of nonces per search, so that receipts fit into few requests. */
const lookedAt = 50;
/** Number of searches for a nonce that are made at successive blocks. Later searches are less frequent. */
const recentLooks = 3;

/** A nonce whose transaction has not been found yet, and the searches for it so far. */
interface Unresolved {
  slot: Slot;
  /** Number of the last search that checked the nonce. */
  look: number;
  /** Number of searches for the nonce so far. */
  looks: number;
  height?: number;
  detail?: string;
}

/**
 * Determines which transactions used the nonces of pending transactions that have no receipt.
 *
 * If a node counts a nonce as used but returns no receipt, this proves nothing: the node may be importing the
 * block, still be indexing, or be wrong. So receipts are requested once more. After two searches without a
 * result, the nonce is searched in the blocks themselves, on this node and then on the others. Only a
 * transaction found in a block is an outcome. Anything else becomes only a remark.
 *
 * Stores the nonces that counted as used at the last search, what was found about each, and the number of
 * searches.
 */
export class LostNonces {
  readonly #context: LostNoncesContext;
  #unresolved = new Map<string, Unresolved>();
  #looks = 0;

  constructor(context: LostNoncesContext) {
    this.#context = context;
  }

  /**
   * @param slots nonces that a node counts as used at this block
   * @returns the outcomes found; other nonces are searched again at the next call
   */
  async look(
    node: RpcNode,
    slots: readonly Slot[],
    cursor: Cursor,
    { isWhole, sought }: LookOptions,
  ): Promise<Outcome[]> {
    this.#looks += 1;
    const before = this.#unresolved;
    const used = slots.map((slot): Unresolved => ({ look: 0, looks: 0, ...before.get(keyOf(slot)), slot }));
    this.#unresolved = new Map([
      ...(isWhole ? [] : before),
      ...used.map((known) => [keyOf(known.slot), known] as const),
    ]);
    // The least recently searched nonces come first, so that a nonce that is never found does not starve the
    // others.
    const turn = used.sort((a, b) => a.look - b.look).slice(0, lookedAt);
    for (const known of turn) {
      known.look = this.#looks;
      known.looks += 1;
    }
    const asked = turn.map(({ slot }) => slot);
    const there = await this.#examine(node, asked, cursor);
    for (const key of there.keys()) this.#unresolved.delete(key);
    const isDue = (slot: Slot) => before.has(keyOf(slot)) || slot.txIds.some((txId) => sought.has(txId));
    const again = asked.filter((slot) => isDue(slot) && !there.has(keyOf(slot)));
    const found = await this.#searchAll(node, again, cursor);
    const open = again.filter((slot) => found.get(keyOf(slot))?.outcomes.length === 0);
    const elsewhere = await this.#askOthers(node, open, cursor);
    for (const slot of again) {
      const known = this.#unresolved.get(keyOf(slot));
      const detail = elsewhere.has(keyOf(slot)) ? undefined : found.get(keyOf(slot))?.detail;
      if (known === undefined) continue;
      if (detail === undefined) delete known.detail;
      else known.detail = detail;
    }
    return [...there.values(), ...found.values(), ...elsewhere.values()].flatMap(({ outcomes }) => outcomes);
  }

  /**
   * Transactions whose nonces were searched only a few times, so they are searched again at the next block.
   */
  recent(): string[] {
    return [...this.#unresolved.values()].flatMap((known) =>
      known.looks < recentLooks ? known.slot.txIds : [],
    );
  }

  /** Returns why pending transactions have no outcome yet. */
  remarks(pending: Pending): Remark[] {
    return [...this.#unresolved.values()].flatMap(({ slot, detail }) => {
      const txId = slot.txIds.find((one) => pending.has(one));
      return detail === undefined || txId === undefined ? [] : [{ txId, detail }];
    });
  }

  /** Clears all searches, because the chain has changed. */
  clear(): void {
    this.#unresolved.clear();
  }

  /** Finds how each nonce was used, according to this node. */
  async #examine(node: RpcNode, slots: readonly Slot[], cursor: Cursor): Promise<Map<string, Found>> {
    const { unreadable, toOutcomes } = this.#context;
    const { final, early } = await receiptsAt(
      node,
      slots.flatMap(({ txIds }) => txIds),
      cursor,
      unreadable,
    );
    const outcomes = new Map((await toOutcomes(node, final)).map((one) => [one.txId, one]));
    return new Map(
      slots.flatMap((slot) => {
        const found = slot.txIds.flatMap((txId) => outcomes.get(txId) ?? []);
        const isThere = found.length > 0 || slot.txIds.some((txId) => early.has(txId));
        return isThere ? [[keyOf(slot), { outcomes: found }] as const] : [];
      }),
    );
  }

  /** Returns how a nonce was used, according to this node's blocks. */
  async #search(node: RpcNode, slot: Slot, cursor: Cursor): Promise<Found> {
    const { nodes, unreadable, toOutcomes } = this.#context;
    const known = this.#unresolved.get(keyOf(slot));
    const chainId = nodes.lastIdentity()?.chainId;
    const use = await findNonceUse(node, slot, cursor, { chainId, hint: known?.height, unreadable });
    switch (use.kind) {
      case 'own': {
        const { receipt, height, txId } = use;
        if (known !== undefined) known.height = height;
        if (receipt !== undefined) return { outcomes: await toOutcomes(node, [receipt]) };
        if (unreadable.has(txId)) return { outcomes: [] };
        const detail = `Node ${node.nodeId} returns the transaction ${txId} in block ${height} but no receipt for it. It may still be indexing and will be queried again.`;
        return { outcomes: [], detail };
      }
      case 'foreign': {
        const { kind: _, ...where } = use;
        const claim = nonceClaim(slot.sequence);
        return { outcomes: slot.txIds.map((txId) => ({ txId, status: 'superseded', claim, ...where })) };
      }
      case 'unclear':
        // A remark about an invalid receipt is more specific, so it is kept.
        if (slot.txIds.some((txId) => unreadable.has(txId))) return { outcomes: [] };
        return { outcomes: [], detail: use.detail };
    }
  }

  async #searchAll(node: RpcNode, slots: readonly Slot[], cursor: Cursor): Promise<Map<string, Found>> {
    return new Map(
      await Promise.all(
        slots.map(async (slot) => [keyOf(slot), await this.#search(node, slot, cursor)] as const),
      ),
    );
  }

  /** Queries the other nodes for transactions that this node does not return. */
  async #askOthers(node: RpcNode, slots: readonly Slot[], cursor: Cursor): Promise<Map<string, Found>> {
    const { nodes } = this.#context;
    if (slots.length === 0 || nodes.endpoints.length === 1) return new Map();
    const { answers } = await nodes.onEach(
      phase,
      async (other) => {
        const there = await this.#examine(other, slots, cursor);
        const left = slots.filter((slot) => !there.has(keyOf(slot)));
        return new Map([...there, ...(await this.#searchAll(other, left, cursor))]);
      },
      { except: node.nodeId },
    );
    const found = [...answers.values()].flatMap((all) => [...all]);
    return new Map(found.filter(([, { outcomes }]) => outcomes.length > 0));
  }
}

function keyOf({ address, sequence }: Pick<Slot, 'address' | 'sequence'>): string {
  return `${address}:${sequence}`;
}

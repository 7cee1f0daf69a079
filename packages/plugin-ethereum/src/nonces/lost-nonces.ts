import type { Cursor, Outcome, PendingTransaction, Remark } from '@ledger-ops/adapter';
import { receiptsAt } from '../blocks/chain-reading.ts';
import type { Receipt } from '../blocks/receipt.ts';
import type { RpcNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { findNonceUse, type Slot } from './nonce-use.ts';

type Pending = ReadonlyMap<string, PendingTransaction>;

/** The result of one look. */
interface Found {
  outcomes: Outcome[];
  /** Why there is none yet. */
  detail?: string;
}

/** Finds out what became of pending transactions whose sequences are used up and of which there is no receipt. */
export interface LostNonces {
  /**
   * @param slots what a node counts as used at this block
   * @returns outcomes of what was found; what was not is looked for again at the next call
   */
  look(node: RpcNode, slots: readonly Slot[], cursor: Cursor): Promise<Outcome[]>;
  /** Why there is no outcome, of what is still pending. */
  remarks(pending: Pending): Remark[];
  /** The chain is another one: what was seen before says nothing. */
  clear(): void;
}

export interface LostNoncesContext {
  nodes: Nodes;
  toOutcomes(node: RpcNode, receipts: readonly Receipt[]): Promise<Outcome[]>;
}

const phase = 'confirm';
/** Sequences for one look: so many receipts come in one request or in a few. */
const lookedAt = 50;

/**
 * That a node counts a sequence as used and has no receipt proves nothing: it may be taking up the block, still be
 * indexing, or be wrong. So receipts are asked for once more, and what two looks found is looked for in the blocks
 * themselves, on this node and then on the others. Only what stands in a block is an outcome; all else is said.
 */
export function createLostNonces({ nodes, toOutcomes }: LostNoncesContext): LostNonces {
  /** Sequences counted as used at the last look, and all that is known of them. */
  let unresolved = new Map<string, { look: number; slot: Slot; height?: number; detail?: string }>();
  let looks = 0;

  /** Outcomes by slot, where this node shows them. */
  async function examine(node: RpcNode, slots: readonly Slot[], cursor: Cursor): Promise<Map<string, Found>> {
    const { final, early } = await receiptsAt(
      node,
      slots.flatMap(({ txIds }) => txIds),
      cursor,
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

  /** The use of a sequence, as the blocks of this node show it. */
  async function search(node: RpcNode, slot: Slot, cursor: Cursor): Promise<Found> {
    const known = unresolved.get(keyOf(slot));
    const chainId = nodes.lastIdentity()?.chainId;
    const use = await findNonceUse(node, slot, cursor, { chainId, hint: known?.height });
    switch (use.kind) {
      case 'own': {
        const { receipt, height, txId } = use;
        if (known !== undefined) known.height = height;
        if (receipt !== undefined) return { outcomes: await toOutcomes(node, [receipt]) };
        const detail = `Node ${node.nodeId} shows the transaction ${txId} in block ${height}, and no receipt of it: it may still be indexing. It is asked again.`;
        return { outcomes: [], detail };
      }
      case 'foreign': {
        const { kind: _, ...where } = use;
        return { outcomes: slot.txIds.map((txId) => ({ txId, status: 'superseded', ...where })) };
      }
      case 'unclear':
        return { outcomes: [], detail: use.detail };
    }
  }

  async function searchAll(
    node: RpcNode,
    slots: readonly Slot[],
    cursor: Cursor,
  ): Promise<Map<string, Found>> {
    return new Map(
      await Promise.all(slots.map(async (slot) => [keyOf(slot), await search(node, slot, cursor)] as const)),
    );
  }

  /** Looks on the other nodes for transactions that this one does not show. */
  async function askOthers(
    node: RpcNode,
    slots: readonly Slot[],
    cursor: Cursor,
  ): Promise<Map<string, Found>> {
    if (slots.length === 0 || nodes.endpoints.length === 1) return new Map();
    const { answers } = await nodes.onEach(
      phase,
      async (other) => {
        const there = await examine(other, slots, cursor);
        const left = slots.filter((slot) => !there.has(keyOf(slot)));
        return new Map([...there, ...(await searchAll(other, left, cursor))]);
      },
      { except: node.nodeId },
    );
    const found = [...answers.values()].flatMap((all) => [...all]);
    return new Map(found.filter(([, { outcomes }]) => outcomes.length > 0));
  }

  return {
    async look(node, slots, cursor) {
      looks += 1;
      const before = unresolved;
      unresolved = new Map(
        slots.map((slot) => [keyOf(slot), { look: 0, ...before.get(keyOf(slot)), slot }] as const),
      );
      // The longest without a look comes first: one that is never found must not keep the others from it.
      const turn = [...unresolved.values()].sort((a, b) => a.look - b.look).slice(0, lookedAt);
      for (const known of turn) known.look = looks;
      const asked = turn.map(({ slot }) => slot);
      const there = await examine(node, asked, cursor);
      for (const key of there.keys()) unresolved.delete(key);
      const again = asked.filter((slot) => before.has(keyOf(slot)) && !there.has(keyOf(slot)));
      const found = await searchAll(node, again, cursor);
      const open = again.filter((slot) => found.get(keyOf(slot))?.outcomes.length === 0);
      const elsewhere = await askOthers(node, open, cursor);
      for (const slot of again) {
        const known = unresolved.get(keyOf(slot));
        const detail = elsewhere.has(keyOf(slot)) ? undefined : found.get(keyOf(slot))?.detail;
        if (known === undefined) continue;
        if (detail === undefined) delete known.detail;
        else known.detail = detail;
      }
      return [...there.values(), ...found.values(), ...elsewhere.values()].flatMap(
        ({ outcomes }) => outcomes,
      );
    },
    remarks: (pending) =>
      [...unresolved.values()].flatMap(({ slot, detail }) => {
        const txId = slot.txIds.find((one) => pending.has(one));
        return detail === undefined || txId === undefined ? [] : [{ txId, detail }];
      }),
    clear: () => unresolved.clear(),
  };
}

function keyOf({ address, sequence }: Pick<Slot, 'address' | 'sequence'>): string {
  return `${address}:${sequence}`;
}

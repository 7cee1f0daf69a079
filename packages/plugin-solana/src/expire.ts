import type { Outcome, PendingTransaction } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { signaturesIn, statusesOf } from './blocks/final.ts';
import { type Block, readBlock, readHead } from './blocks/head.ts';
import type { SolanaProperties } from './properties.ts';
import { answers } from './rpc/answers.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readable, UnusableAnswer } from './rpc/unusable-answer.ts';

type Expired = Extract<Outcome, { status: 'expired' }>;

/**
 * A node's final block, and the transactions that the node did not return in a query after it read that
 * block.
 */
interface Absence {
  final: Block;
  absent: Set<string>;
}

const phase = 'confirm';

/** Maximum number of blocks that can contain a transaction. */
export const lifetime = 152;

/**
 * Returns the transactions that certainly never execute, among those whose last valid height has passed. Each
 * node that responds must have a final block above that height, have the blocks that could contain the
 * transaction, and not return the transaction. If a node returns the transaction, is behind, or does not
 * respond, the transaction stays pending.
 */
export async function expiredOf(
  past: ReadonlyMap<string, PendingTransaction>,
  nodes: Nodes,
  properties: SolanaProperties,
): Promise<Expired[]> {
  if (past.size === 0) return [];
  const found = await nodes.onEach(phase, (node) => absenceOn(node, past, properties));
  const all = [...found.answers.values()];
  // A node that is only behind may have a transaction that the others lack.
  if ([...found.failures.values()].some(({ code }) => code === 'behind')) return [];
  return [...past].flatMap(([txId, { validUntil = Number.POSITIVE_INFINITY }]) => {
    const lowest = all.map(({ final }) => final).toSorted((a, b) => a.height - b.height)[0];
    if (lowest === undefined || lowest.height <= validUntil) return [];
    if (!all.every(({ absent }) => absent.has(txId))) return [];
    return [{ txId, status: 'expired' as const, height: lowest.height, blockHash: lowest.hash }];
  });
}

async function absenceOn(
  node: SolanaNode,
  past: ReadonlyMap<string, PendingTransaction>,
  properties: SolanaProperties,
): Promise<Absence> {
  // Reads the final block before the statuses. A transaction that is still missing then is in no block up to
  // that one, and its blockhash has expired, so that no later block can contain it.
  const final = await readFinal(node, properties);
  const due = [...past].filter(([, { validUntil = 0 }]) => validUntil < final.height);
  if (due.length === 0) return { final, absent: new Set() };
  const ids = signaturesIn(due.map(([txId]) => txId));
  const { shown, unreadable } = await statusesOf(node, ids, final.slot);
  const oldest = await oldestHeight(node, final);
  const absent = ids.filter((id) => {
    const { validUntil = 0 } = past.get(id) ?? {};
    return !shown.has(id) && !unreadable.has(id) && oldest <= Math.max(0, validUntil - lifetime);
  });
  return { final, absent: new Set(absent) };
}

/**
 * Returns a node's newest block that no fork can remove, and that has the ledger's depth. The block is
 * finalized even if outcomes are reported at `confirmed`. If a confirmed block were dropped, a transaction
 * that expired or lost its nonce in it could execute in addition to its replacement.
 * @throws NodeError `behind`
 */
export async function readFinal(node: SolanaNode, { confirmations }: SolanaProperties): Promise<Block> {
  const finalized = await readHead(node, 'finalized');
  if (confirmations === 1) return finalized;
  const newest = await readHead(node);
  const height = newest.height - confirmations + 1;
  if (finalized.height <= height) return finalized;
  // The slot of a height is unknown, because slots may have no block.
  const least = finalized.slot - BigInt(slotsFor * confirmations);
  const slot = await slotAbove(node, least < 0n ? 0n : least, finalized, finalized.height - height);
  const block = slot === undefined ? null : await readBlock(node, slot);
  if (block?.height !== height) {
    throw new NodeError('behind', `Node ${node.nodeId} does not return the block at height ${height}.`);
  }
  return block;
}

/** Number of slots searched for one block. */
const slotsFor = 32;
/** Number of slots that one call lists. */
const slotsPerCall = 10_000n;

/**
 * Returns the slot of the block that is `before` blocks below another block. Undefined if this slot is below
 * `least` or not listed.
 */
async function slotAbove(
  node: SolanaNode,
  least: bigint,
  { slot: last }: Block,
  before: number,
): Promise<bigint | undefined> {
  let left = before;
  for (let end = last; end >= least; end -= slotsPerCall) {
    const start = end - slotsPerCall + 1n;
    const range = [Number(start < least ? least : start), Number(end), { commitment: 'confirmed' }];
    const slots = await node.ask('getBlocks', range, answers.slots);
    if (end === last && slots.at(-1) !== last) return undefined;
    if (left < slots.length) return slots.at(-1 - left);
    left -= slots.length;
  }
  return undefined;
}

/**
 * Number of old blocks that are tried. Nodes continuously prune their oldest blocks, so the oldest one may be
 * gone at the next request.
 */
const oldestTried = 4;

/**
 * Number of slots before a final block that are searched for an old block if the node does not report its oldest one.
 */
const searchedSlots = 2_000n;

/**
 * Returns the height of the oldest block of a node, or of a block soon after it; infinite if the node returns
 * neither.
 */
export async function oldestHeight(node: SolanaNode, final: Block): Promise<number> {
  const available = await readable(node.ask('getFirstAvailableBlock', [], answers.slot));
  const isKnown = !(available instanceof UnusableAnswer);
  const slot = isKnown ? available : final.slot > searchedSlots ? final.slot - searchedSlots : 0n;
  if (slot === 0n && isKnown) return 0;
  const first = await readable(readBlock(node, slot));
  if (first !== null && !(first instanceof UnusableAnswer)) return first.height;
  const last = isKnown ? slot + BigInt(slotsFor) : final.slot;
  const range = [Number(slot) + 1, Number(last), { commitment: 'confirmed' }];
  for (const next of (await node.ask('getBlocks', range, answers.slots)).slice(0, oldestTried)) {
    const block = await readable(readBlock(node, next));
    if (block !== null && !(block instanceof UnusableAnswer)) return block.height;
  }
  return Number.POSITIVE_INFINITY;
}

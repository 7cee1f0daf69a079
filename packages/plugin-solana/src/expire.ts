import type { Outcome, PendingTransaction } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import { signaturesIn, statusesOf } from './blocks/final.ts';
import { type Block, readBlock, readHead } from './blocks/head.ts';
import type { SolanaProperties } from './properties.ts';
import { answers, ask } from './rpc/answers.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';

type Expired = Extract<Outcome, { status: 'expired' }>;

/** A node's final block and the transactions that it shows nowhere, asked for after that block was there. */
interface Absence {
  final: Block;
  absent: Set<string>;
}

const phase = 'confirm';

/** Blocks in which a transaction can be at all. */
const lifetime = 152;

/**
 * Of transactions whose last height is past, those that certainly never execute: every node that answers has a final block
 * above it, has the blocks in which the transaction could be, and shows it nowhere. One node that shows it, or has not come
 * so far, or cannot tell, keeps it open.
 */
export async function expiredOf(
  past: ReadonlyMap<string, PendingTransaction>,
  nodes: Nodes,
  properties: SolanaProperties,
): Promise<Expired[]> {
  if (past.size === 0) return [];
  const found = await nodes.onEvery(phase, (node) => absenceOn(node, past, properties));
  const all = [...found.answers.values()];
  // A node that answers, but not this, may have what the others lack.
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
  // In this order: what is shown nowhere after the block was final is in none up to it, and comes into none any more.
  const final = await readFinal(node, properties);
  const due = [...past].filter(([, { validUntil = 0 }]) => validUntil < final.height);
  if (due.length === 0) return { final, absent: new Set() };
  const ids = signaturesIn(due.map(([txId]) => txId));
  const shown = await statusesOf(node, ids, final.slot);
  const oldest = await oldestHeight(node);
  const absent = ids.filter((id) => {
    const { validUntil = 0 } = past.get(id) ?? {};
    return !shown.has(id) && oldest <= Math.max(0, validUntil - lifetime);
  });
  return { final, absent: new Set(absent) };
}

/**
 * The newest block of a node that no fork takes back, and that is as deep as the ledger asks. Finalized also where outcomes are
 * given in blocks that are only confirmed: if such a block was undone, what expired or lost its nonce in it could be executed
 * beside the transaction that was made in its place.
 * @throws NodeError `behind`
 */
export async function readFinal(node: SolanaNode, { confirmations }: SolanaProperties): Promise<Block> {
  const finalized = await readHead(node, 'finalized');
  if (confirmations === 1) return finalized;
  const newest = await readHead(node);
  const height = newest.height - confirmations + 1;
  if (finalized.height <= height) return finalized;
  // Slots without a block make it unknown in which one the block of a height is.
  const least = finalized.slot - BigInt(slotsFor * confirmations);
  const call = node.rpc.getBlocks(least < 0n ? 0n : least, finalized.slot, { commitment: 'confirmed' });
  const slots = await ask(node.nodeId, call, answers.slots);
  const slot = slots.at(-1) === finalized.slot ? slots.at(height - finalized.height - 1) : undefined;
  const block = slot === undefined ? null : await readBlock(node, slot);
  if (block?.height !== height) {
    throw new NodeError('behind', `Node ${node.nodeId} does not show the block of height ${height}.`);
  }
  return block;
}

/** Slots that are looked through for one block. */
const slotsFor = 32;

/** Height of the oldest block that a node has. */
export async function oldestHeight(node: SolanaNode): Promise<number> {
  const slot = await ask(node.nodeId, node.rpc.getFirstAvailableBlock(), answers.slot);
  if (slot === 0n) return 0;
  return (await readBlock(node, slot))?.height ?? Number.POSITIVE_INFINITY;
}

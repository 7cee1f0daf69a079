import { NodeError } from '@ledger-ops/outbound';
import type { Signature } from '@solana/kit';
import type { z } from 'zod';
import type { SolanaProperties } from '../properties.ts';
import { answers, ask } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';
import { isSignatureText } from '../transactions/base58.ts';
import { type Block, readBlock } from './head.ts';

/** Where a transaction stands. */
export interface Placed {
  block: Block;
  err: unknown;
  /** Its block is as deep as the ledger asks. */
  isFinal: boolean;
}

/** Signatures that one call takes. */
const mostStatuses = 256;

/** Which of these texts are ids of transactions. */
export function signaturesIn(ids: Iterable<string>): Signature[] {
  return [...ids].filter(isSignatureText);
}

type Status = NonNullable<z.infer<typeof answers.statuses>['value'][number]>;

/**
 * Statuses of those that a node shows at all, by their ids; its history is searched.
 * @param least slot that whatever answers has to have: several machines may answer at one address
 * @throws NodeError `behind`
 */
export async function statusesOf(
  node: SolanaNode,
  ids: readonly Signature[],
  least = 0n,
): Promise<Map<Signature, Status>> {
  const statuses = new Map<Signature, Status>();
  for (let start = 0; start < ids.length; start += mostStatuses) {
    const some = ids.slice(start, start + mostStatuses);
    const call = node.rpc.getSignatureStatuses(some, { searchTransactionHistory: true });
    const { context, value } = await ask(node.nodeId, call, answers.statuses);
    if (context.slot < least) throw new NodeError('behind', `Node ${node.nodeId} is behind slot ${least}.`);
    if (value.length !== some.length) {
      throw new NodeError('unavailable', `Node ${node.nodeId} left out a status.`);
    }
    for (const [index, id] of some.entries()) {
      const status = value[index];
      if (status !== null && status !== undefined) statuses.set(id, status);
    }
  }
  return statuses;
}

/** Those that a node shows in a block, by their ids. */
export async function placesOf(
  node: SolanaNode,
  ids: readonly Signature[],
  headHeight: number,
  { commitment, confirmations }: SolanaProperties,
): Promise<Map<Signature, Placed>> {
  const blocks = new Map<bigint, Promise<Block | null>>();
  const places = new Map<Signature, Placed>();
  for (const [id, status] of await statusesOf(node, ids)) {
    if (!isVisible(status.confirmationStatus)) continue;
    const found = blocks.get(status.slot) ?? readBlock(node, status.slot);
    blocks.set(status.slot, found);
    const block = await found;
    if (block === null) continue;
    const isCommitted = status.confirmationStatus === 'finalized' || commitment === 'confirmed';
    const isDeep = headHeight - block.height + 1 >= confirmations;
    places.set(id, { block, err: status.err, isFinal: isCommitted && isDeep });
  }
  return places;
}

/** A block that is only processed can be gone in the next moment, and cannot be asked for. */
function isVisible(status: string | null | undefined): boolean {
  return status === 'confirmed' || status === 'finalized';
}

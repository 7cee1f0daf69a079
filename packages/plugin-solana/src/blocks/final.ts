import { NodeError } from '@ledger-ops/adapter/outbound';
import type { Signature } from '@solana/keys';
import type { z } from 'zod';
import type { SolanaProperties } from '../properties.ts';
import { answers } from '../rpc/answers.ts';
import { limitOf } from '../rpc/begun-work.ts';
import { inTurns } from '../rpc/in-turns.ts';
import type { SolanaNode } from '../rpc/node.ts';
import { readable, refusesMethod, UnusableAnswer } from '../rpc/unusable-answer.ts';
import { isSignatureText } from '../transactions/base58.ts';
import { type Block, readBlock } from './head.ts';

/** The block and the result of a transaction. */
export interface Placed {
  block: Block;
  err: unknown;
  /** Whether the transaction's block has the depth that the ledger requires. */
  isFinal: boolean;
}

/** Transactions that a node returns, and, by id, why the node cannot read others. */
export interface Readings<Shown> {
  shown: Map<Signature, Shown>;
  unreadable: Map<Signature, string>;
}

/** Maximum number of signatures per call. */
const mostStatuses = 256;
/** Maximum number of smaller calls after a node refused a batch, to find the transactions that it cannot read. */
const mostRepeats = 64;

/** Returns the ids that are valid signatures. */
export function signaturesIn(ids: Iterable<string>): Signature[] {
  return [...ids].filter(isSignatureText);
}

/** Status of a transaction that a node returns. */
export type Status = NonNullable<z.infer<typeof answers.statuses>['value'][number]>;

/**
 * Returns the statuses that a node finds for transactions, including its history.
 * @param least lowest slot that the responding node must have reached; several nodes may share an address
 * @throws NodeError `behind`
 */
export async function statusesOf(
  node: SolanaNode,
  ids: readonly Signature[],
  least = 0n,
): Promise<Readings<Status>> {
  const found: Readings<Status> = { shown: new Map(), unreadable: new Map() };
  let repeats = 0;

  async function read(some: readonly Signature[]): Promise<void> {
    const answer = await readable(askForStatuses(node, some, least));
    if (!(answer instanceof UnusableAnswer)) {
      for (const [id, status] of answer) found.shown.set(id, status);
      return;
    }
    if (answer.error === undefined) throw answer;
    if (some.length === 1 || repeats >= mostRepeats || refusesMethod(answer)) {
      for (const id of some) found.unreadable.set(id, answer.message);
      return;
    }
    repeats += 2;
    const half = Math.ceil(some.length / 2);
    await read(some.slice(0, half));
    await read(some.slice(half));
  }

  for (let start = 0; start < ids.length; start += mostStatuses)
    await read(ids.slice(start, start + mostStatuses));
  return found;
}

async function askForStatuses(
  node: SolanaNode,
  ids: readonly Signature[],
  least: bigint,
): Promise<[Signature, Status][]> {
  const params = [ids, { searchTransactionHistory: true }];
  const { context, value } = await node.ask('getSignatureStatuses', params, answers.statuses);
  if (context.slot < least) throw new NodeError('behind', `Node ${node.nodeId} is behind slot ${least}.`);
  if (value.length !== ids.length) {
    throw new NodeError(
      'unavailable',
      `Node ${node.nodeId} returned ${value.length} transaction statuses for ${ids.length} signatures. Check the node or remove it.`,
    );
  }
  return ids.flatMap((id, index): [Signature, Status][] => {
    const status = value[index];
    return status === null || status === undefined ? [] : [[id, status]];
  });
}

/**
 * Returns the transactions that a node returns with their blocks, without those that cannot be final yet. If a
 * block is unreadable, only its own transactions are unreadable. The next call reads the blocks that were not read
 * because of a rate limit or `isOver`.
 */
export async function placesOf(
  node: SolanaNode,
  ids: readonly Signature[],
  head: Block,
  properties: SolanaProperties,
  isOver: () => boolean,
): Promise<Readings<Placed>> {
  const { shown, unreadable } = await statusesOf(node, ids);
  const deep = [...shown].filter(([, status]) => mayBeFinal(status, head, properties));
  const places = new Map<Signature, Placed>();
  let limited: unknown;
  await inTurns([...Map.groupBy(deep, ([, { slot }]) => slot)], isOver, async ([slot, inSlot]) => {
    if (limited !== undefined) return;
    let block: Block | null | UnusableAnswer;
    try {
      block = await readable(readBlock(node, slot));
    } catch (error) {
      if (limitOf(error) === undefined) throw error;
      limited = error;
      return;
    }
    for (const [id, status] of inSlot) {
      if (block === null || block instanceof UnusableAnswer)
        unreadable.set(id, unreadableBlock(node, slot, block));
      else places.set(id, placeIn(block, status, head.height, properties));
    }
  });
  if (limited !== undefined && places.size === 0) throw limited;
  return { shown: places, unreadable };
}

/** Whether a transaction can have the required depth. A block has at most as many blocks above it as slots. */
function mayBeFinal(status: Status, head: Block, { commitment, confirmations }: SolanaProperties): boolean {
  if (status.confirmationStatus !== 'finalized' && commitment !== 'confirmed') return false;
  return isVisible(status) && head.slot - status.slot + 1n >= BigInt(confirmations);
}

/** Whether the transaction's block can be queried. A block that is only processed cannot, and may still be dropped. */
export function isVisible({ confirmationStatus }: Status): boolean {
  return confirmationStatus === 'confirmed' || confirmationStatus === 'finalized';
}

/** Returns why the block of a transaction is unknown, although the node reports its slot. */
export function unreadableBlock({ nodeId }: SolanaNode, slot: bigint, answer: null | UnusableAnswer): string {
  const why = answer?.message ?? `Node ${nodeId} answered getBlock with null`;
  return `Node ${nodeId} returns the transaction in slot ${slot}, but cannot read this slot. ${why}`;
}

export function placeIn(
  block: Block,
  { confirmationStatus, err }: Status,
  headHeight: number,
  { commitment, confirmations }: SolanaProperties,
): Placed {
  const isCommitted = confirmationStatus === 'finalized' || commitment === 'confirmed';
  const isDeep = headHeight - block.height + 1 >= confirmations;
  return { block, err, isFinal: isCommitted && isDeep };
}

import { setImmediate } from 'node:timers/promises';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { Signature } from '@solana/keys';
import type { SolanaProperties } from '../properties.ts';
import type { SolanaNode } from '../rpc/node.ts';
import { readable, UnusableAnswer } from '../rpc/unusable-answer.ts';
import {
  isVisible,
  type Placed,
  placeIn,
  type Readings,
  type Status,
  statusesOf,
  unreadableBlock,
} from './final.ts';
import { type Block, readBlock, readHead } from './head.ts';

/** State shared by concurrent calls. */
interface Batch {
  readonly ids: Set<Signature>;
  readonly reading: Promise<{
    headHeight: number;
    statuses: Readings<Status>;
    /** Blocks by slot, read on demand. */
    blocks: Map<bigint, Promise<Block | null | UnusableAnswer>>;
  }>;
}

/**
 * Finds the blocks of single transactions. Concurrent calls share the requests for the head, for statuses and
 * for the same block, because the host looks up a hundred finished actions concurrently.
 *
 * Stores each node's next batch, by node id.
 */
export class PlaceReader {
  readonly #properties: SolanaProperties;
  readonly #next = new Map<string, Batch>();

  constructor(properties: SolanaProperties) {
    this.#properties = properties;
  }

  /**
   * Finds the block of a transaction. Returns undefined if the node does not return the transaction.
   * @throws NodeError `unavailable` if the node cannot read the transaction or its block
   */
  async placeOf(node: SolanaNode, id: Signature): Promise<Placed | undefined> {
    const batch = this.#next.get(node.nodeId) ?? this.#begin(node);
    batch.ids.add(id);
    const { headHeight, statuses, blocks } = await batch.reading;
    const why = statuses.unreadable.get(id);
    if (why !== undefined) throw new NodeError('unavailable', why);
    const status = statuses.shown.get(id);
    if (status === undefined || !isVisible(status)) return undefined;
    const reading = blocks.get(status.slot) ?? readable(readBlock(node, status.slot));
    blocks.set(status.slot, reading);
    const block = await reading;
    if (block === null || block instanceof UnusableAnswer)
      throw new NodeError('unavailable', unreadableBlock(node, status.slot, block));
    return placeIn(block, status, headHeight, this.#properties);
  }

  #begin(node: SolanaNode): Batch {
    const ids = new Set<Signature>();
    const read = async () => {
      // Calls of the same turn of the event loop join the batch.
      await setImmediate();
      this.#next.delete(node.nodeId);
      const { height } = await readHead(node);
      return { headHeight: height, statuses: await statusesOf(node, [...ids]), blocks: new Map() };
    };
    const batch = { ids, reading: read() };
    this.#next.set(node.nodeId, batch);
    return batch;
  }
}

import type { Cursor } from '@ledger-ops/adapter';
import { z } from 'zod';

/** The read position of each channel. */
export type ChannelCursors = ReadonlyMap<string, ChannelCursor>;

/** The read position of one channel. */
export interface ChannelCursor {
  /** Number of the next block to read. */
  next: number;
  /** Identifies the channel: a prefix of the hash of its block 0. */
  genesis: string;
}

const schema = z.record(z.string(), z.tuple([z.int().min(0), z.string()]));

/** Returns the form that the host stores. Its height is the sum over all channels, so it grows with each block. */
export function toCursor(cursors: ChannelCursors): Cursor {
  let height = 0;
  const channels: Record<string, [number, string]> = {};
  for (const [channel, { next, genesis }] of cursors) {
    height += next;
    channels[channel] = [next, genesis];
  }
  return { height, hash: JSON.stringify(channels) };
}

/** Returns the position; empty if the cursor is not from this adapter. */
export function fromCursor(cursor: Cursor | null): ChannelCursors {
  if (cursor === null) return new Map();
  let json: unknown;
  try {
    json = JSON.parse(cursor.hash);
  } catch {
    return new Map();
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) return new Map();
  return new Map(
    Object.entries(parsed.data).map(([channel, [next, genesis]]) => [channel, { next, genesis }]),
  );
}

/** Returns the prefix of a genesis hash that a cursor contains. */
export function shortGenesis(genesis: string): string {
  return genesis.slice(2, 18);
}

/**
 * Returns the identifier of a block, which is its number, because filtered blocks have no hash and Fabric has
 * no forks.
 */
export function blockName(channel: string, block: number): string {
  return `${channel}/${block}`;
}

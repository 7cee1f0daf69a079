import type { AdapterHost } from '@ledger-ops/adapter';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import type { QueryIdentity } from '../gateway/query-identity.ts';
import type { Timing } from '../timing.ts';
import { BlockStream } from './block-stream.ts';

/** The public members of a block stream. */
export type FollowedChannel = Pick<BlockStream, keyof BlockStream>;

/** The followed channels. A channel is followed from its first use. */
export interface Channels {
  /** Channels that are already followed. */
  followed(): FollowedChannel[];
  get(channel: string): FollowedChannel | undefined;
  /**
   * Starts following at this block, or at the end of the channel if no block is given or the channel lacks it.
   * @throws PeerError
   */
  follow(channel: string, from?: number): Promise<FollowedChannel>;
  /** Stops following, because the channel was created again under the same name. */
  drop(channel: string): void;
  /**
   * Returns the hash of block 0. For a channel that is not followed, reads it from the first working peer.
   * @throws PeerError
   */
  genesis(channel: string): Promise<string>;
  close(): void;
}

export interface ChannelsOptions {
  peers: Peers;
  queryIdentity: QueryIdentity;
  qscc: Qscc;
  host: AdapterHost;
  /** See `BlockStreamOptions`. */
  stallTimeout: number;
  timing: Timing['blocks'];
  /** See `BlockStreamOptions`. */
  onNews(): void;
}

/**
 * Maximum number of missed blocks that are read after a restart. For a longer gap, querying the pending
 * transactions is faster (measured with blocks of 170 bytes).
 */
const longestCatchUp = 20_000;

export function createChannels(options: ChannelsOptions): Channels {
  const { qscc } = options;
  const blockStreams = new Map<string, FollowedChannel>();
  const starting = new Map<string, Promise<FollowedChannel>>();
  let closed = false;

  async function genesis(channel: string): Promise<string> {
    return blockStreams.get(channel)?.genesis ?? qscc.genesis(channel);
  }

  async function start(channel: string, from: number | undefined): Promise<FollowedChannel> {
    const [hash, height] = await Promise.all([genesis(channel), qscc.height(channel)]);
    const near = from !== undefined && from <= height && height - from <= longestCatchUp;
    const blockStream = new BlockStream({ ...options, channel, genesis: hash, from: near ? from : height });
    if (closed) blockStream.close();
    blockStreams.set(channel, blockStream);
    return blockStream;
  }

  return {
    followed: () => [...blockStreams.values()],
    get: (channel) => blockStreams.get(channel),
    follow(channel, from) {
      const known = blockStreams.get(channel);
      if (known !== undefined) return Promise.resolve(known);
      let under = starting.get(channel);
      if (under === undefined) {
        under = start(channel, from).finally(() => starting.delete(channel));
        starting.set(channel, under);
      }
      return under;
    },
    drop(channel) {
      blockStreams.get(channel)?.close();
      blockStreams.delete(channel);
    },
    genesis,
    close() {
      closed = true;
      for (const blockStream of blockStreams.values()) blockStream.close();
    },
  };
}

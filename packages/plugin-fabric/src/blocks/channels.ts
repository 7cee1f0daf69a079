import type { AdapterHost } from '@ledger-ops/adapter';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import type { QueryIdentity } from '../gateway/query-identity.ts';
import type { Timing } from '../timing.ts';
import { type BlockStream, createBlockStream } from './block-stream.ts';

/** The channels that are followed, each from when it is first needed. */
export interface Channels {
  /** Followed already. */
  followed(): BlockStream[];
  get(channel: string): BlockStream | undefined;
  /**
   * Begins to follow; from the end of the channel when no block is given, or one that it does not have.
   * @throws PeerError
   */
  follow(channel: string, from?: number): Promise<BlockStream>;
  /** Follows it as another channel of the same name. */
  drop(channel: string): void;
  /** Hash of block 0: of the channel as it is followed, else as the first peer that works has it. @throws PeerError */
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

/** Beyond so many blocks of 170 bytes, asking for what is pending is quicker than reading them. */
const longestCatchUp = 20_000;

export function createChannels(options: ChannelsOptions): Channels {
  const { qscc } = options;
  const blockStreams = new Map<string, BlockStream>();
  const starting = new Map<string, Promise<BlockStream>>();
  let closed = false;

  async function genesis(channel: string): Promise<string> {
    return blockStreams.get(channel)?.genesis ?? qscc.genesis(channel);
  }

  async function start(channel: string, from: number | undefined): Promise<BlockStream> {
    const [hash, height] = await Promise.all([genesis(channel), qscc.height(channel)]);
    const near = from !== undefined && from <= height && height - from <= longestCatchUp;
    const blockStream = createBlockStream({ ...options, channel, genesis: hash, from: near ? from : height });
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

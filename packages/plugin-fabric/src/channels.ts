import type { AdapterHost } from '@ledger-ops/adapter';
import { type BlockFollower, createBlockFollower } from './block-follower.ts';
import type { Observer } from './observer.ts';
import type { Peers } from './peers.ts';
import type { SystemChaincode } from './system-chaincode.ts';

/** The channels that are followed, each from when it is first needed. */
export interface Channels {
  /** Followed already. */
  followed(): BlockFollower[];
  get(channel: string): BlockFollower | undefined;
  /**
   * Begins to follow; from the end of the channel when no block is given, or one that it does not have.
   * @throws PeerFailure
   */
  follow(channel: string, from?: number): Promise<BlockFollower>;
  /** Follows it as another channel of the same name. */
  drop(channel: string): void;
  /** Hash of block 0: of the channel as it is followed, else as the first peer that works has it. @throws PeerFailure */
  genesis(channel: string): Promise<string>;
  close(): void;
}

export interface ChannelsOptions {
  peers: Peers;
  observer: Observer;
  system: SystemChaincode;
  host: AdapterHost;
  /** See `FollowerOptions.patience`. */
  patience: number;
  /** See `FollowerOptions.onNews`. */
  onNews(): void;
}

/** Beyond so many blocks of 170 bytes, asking for what is pending is quicker than reading them. */
const longestCatchUp = 20_000;

export function createChannels(options: ChannelsOptions): Channels {
  const { system } = options;
  const followers = new Map<string, BlockFollower>();
  const starting = new Map<string, Promise<BlockFollower>>();
  let closed = false;

  async function genesis(channel: string): Promise<string> {
    return followers.get(channel)?.genesis ?? system.genesis(channel);
  }

  async function start(channel: string, from: number | undefined): Promise<BlockFollower> {
    const [hash, height] = await Promise.all([genesis(channel), system.height(channel)]);
    const near = from !== undefined && from <= height && height - from <= longestCatchUp;
    const follower = createBlockFollower({ ...options, channel, genesis: hash, from: near ? from : height });
    if (closed) follower.close();
    followers.set(channel, follower);
    return follower;
  }

  return {
    followed: () => [...followers.values()],
    get: (channel) => followers.get(channel),
    follow(channel, from) {
      const known = followers.get(channel);
      if (known !== undefined) return Promise.resolve(known);
      let under = starting.get(channel);
      if (under === undefined) {
        under = start(channel, from).finally(() => starting.delete(channel));
        starting.set(channel, under);
      }
      return under;
    },
    drop(channel) {
      followers.get(channel)?.close();
      followers.delete(channel);
    },
    genesis,
    close() {
      closed = true;
      for (const follower of followers.values()) follower.close();
    },
  };
}

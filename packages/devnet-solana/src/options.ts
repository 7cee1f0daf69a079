import type { SlotTime } from './chain/producer.ts';

/** Plain data, since it crosses to a process of its own. */
export interface SolanaOptions {
  /** TCP port on 127.0.0.1; 0 or absent takes a free one. */
  port?: number;
  /** A SQLite file in which everything is kept; absent: in memory. */
  stateFile?: string;
  /** Milliseconds between blocks, default 400; `on-demand`: a block whenever transactions wait. */
  slotTime?: SlotTime;
  /** SOL that one airdrop gives at most, default 1,000,000; 0: no airdrops. */
  faucet?: number;
  /** Blocks that stand on one when it is confirmed, default 1. */
  confirmed?: number;
  /** Blocks that stand on one when it is finalized, default 32. */
  finalized?: number;
}

import type { SlotTime } from './chain/producer.ts';

/** Options of a ledger. They are plain data, so that they can be passed to another process. */
export interface SolanaOptions {
  /** TCP port on 127.0.0.1. If 0 or absent, a free port is used. */
  port?: number;
  /** SQLite file that stores everything. If absent, everything is in memory. */
  stateFile?: string;
  /**
   * Milliseconds between blocks, default 400. `on-demand` creates a block whenever transactions are waiting.
   */
  slotTime?: SlotTime;
  /** Maximum SOL per airdrop; default 1,000,000. 0 disables airdrops. */
  faucet?: number;
  /** Blocks on top of a confirmed block, default 1. */
  confirmed?: number;
  /** Blocks on top of a finalized block, default 32. */
  finalized?: number;
}

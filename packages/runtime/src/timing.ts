import type { Backoff } from '@ledger-ops/base/backoff';

/**
 * Intervals and timeouts of the runtime, in milliseconds, or in blocks if the name says so. Tests use shorter values.
 */
export interface Timing {
  /**
   * Maximum time that the server waits at startup for leases and unfinished actions before it accepts requests
   * anyway.
   */
  readonly start: number;
  /**
   * Lifetime of a lease. A server renews its leases three times in this time. Other servers may take leases that were
   * not renewed.
   */
  readonly lease: number;
  /** Interval of checks for deadlines, ready actions and change requests. */
  readonly tick: number;
  /** Interval of checks for changed plugins and ledgers. */
  readonly renewLedgers: number;
  /** Delay before a replaced session is closed, so that its calls in progress can complete. */
  readonly closeReplaced: number;
  /** Delay between attempts to renew a wallet's expiring credentials, such as its certificate. */
  readonly renewWalletAgain: number;
  /** Interval at which the bytes of small actions, counted in memory, are added to the usage of their organizations. */
  readonly writeActionBytes: number;
  /** Interval of deletions of signed bytes and idempotency keys whose retention time has passed. */
  readonly prune: number;
  /** Interval of deletions of old actions and timeline records, as the retention settings require. */
  readonly retain: number;
  /** Delay between attempts to open a ledger that has unfinished actions. */
  readonly reopen: Backoff;
  /** Delay between attempts to open a ledger that has only finished actions. */
  readonly reopenPast: number;

  /** Delay between attempts to load a plugin's module after a failure. */
  readonly loadAgain: Backoff;
  /** Timeout of a call to a remote plugin. */
  readonly remoteCall: number;
  /** Interval at which an unused remote plugin is called to check that it responds. */
  readonly probe: number;
  /**
   * Timeout for opening a ledger and reading its chain, to determine whether a plugin can serve the ledger.
   */
  readonly select: number;

  /** Timeouts of `prepare` and `estimate` if other actions wait for them. */
  readonly prepare: number;
  readonly estimate: number;
  /** Delay between attempts to sign an action that must wait. */
  readonly signAgain: Backoff;
  /** Delay before the next attempt if reading or writing the actions to sign failed. */
  readonly storeAgain: number;
  /** Time after which an overdue deferred action is removed from memory, because another server probably handles it. */
  readonly rememberWaiting: number;
  /** Maximum age of a cached balance. A balance that does not cover the costs is read again in any case. */
  readonly balanceAge: number;
  /** Time for which values read for an account are used from the cache. */
  readonly accountAge: number;
  /** Time after which a signing account without sequences is compared with its ledger again. */
  readonly compareAgain: number;
  /** How long an account waits if its comparison with the ledger fails. After that, it signs without a comparison. */
  readonly comparePatience: number;
  /** After startup, delay between the comparisons of two accounts that have no pending actions. */
  readonly compareIdle: number;
  /** Delay before the next attempt for accounts that could not be compared with their ledgers. */
  readonly compareIdleAgain: Backoff;

  /** Delay before the next read of the chain after a failed one. */
  readonly confirmAgain: Backoff;
  /** Interval of reads of the chain while nothing is pending, to detect reorgs. */
  readonly idleConfirm: number;
  /**
   * Time in which a node must catch up if, after a restart, it lacks the last block that was read before. After that,
   * the chain counts as changed.
   */
  readonly catchUp: number;
  /** Delay before an unmined transaction is sent again. */
  readonly resend: number;
  /** Minimum interval between log lines about transactions that the nodes of one ledger refuse. */
  readonly tellRefused: number;
  /** Time after which an account's first unsettled action is checked for a lower nonce that the chain has lost. */
  readonly lookForGaps: number;
  /** Time for which no transaction with a nonce may be known before the nonce is assigned to another transaction. */
  readonly gapPatience: number;
  /** Delay between attempts to resend a transaction that a reorg removed, if its action is finished. */
  readonly resendLost: Backoff;

  /** Minimum pause between two batches of finished actions that are compared with the ledger. */
  readonly historyPause: number;
  /** Time limit for the lookups of a batch. After that, the remaining transactions are searched for in the blocks. */
  readonly historyLookup: number;
  /** Delay before a comparison is repeated after a failure. */
  readonly historyAgain: number;
  /** Interval at which lost transactions of finished actions are looked up and resent. */
  readonly historyResend: number;
  /**
   * Time after which a finished action is logged if the ledger contains neither its transaction nor another one with
   * its nonce.
   */
  readonly historyUnclear: number;
  /**
   * Time after which a finished action is no longer compared with the ledger if the ledger does not contain its
   * transaction.
   */
  readonly historyLongest: number;

  /** A transaction is late after this number of blocks, if they took at least `patience`. */
  readonly patienceBlocks: number;
  readonly patience: number;
  /**
   * Time after which a transaction is late if no block was created. Some ledgers create no blocks while they are idle.
   */
  readonly idlePatience: number;
  /** Time after which a transaction is late if fewer than `patienceBlocks` blocks were created. */
  readonly slowPatience: number;
  /** A failed replacement is tried again after this number of blocks, if they took at least `replaceAgain`. */
  readonly replaceAgainBlocks: number;
  readonly replaceAgain: number;
  /** Delay before a change request is tried again after a failure. */
  readonly changeAgain: number;
}

export const defaultTiming: Timing = {
  start: 2_000,
  lease: 15_000,
  tick: 1_000,
  renewLedgers: 500,
  closeReplaced: 60_000,
  renewWalletAgain: 600_000,
  writeActionBytes: 1_000,
  prune: 60_000,
  retain: 3_600_000,
  reopen: { first: 1_000, longest: 10_000 },
  reopenPast: 30_000,

  loadAgain: { first: 1_000, longest: 60_000 },
  remoteCall: 30_000,
  probe: 15_000,
  select: 10_000,

  prepare: 5_000,
  estimate: 5_000,
  signAgain: { first: 250, longest: 10_000 },
  storeAgain: 1_000,
  rememberWaiting: 120_000,
  balanceAge: 5_000,
  accountAge: 50,
  compareAgain: 300_000,
  comparePatience: 60_000,
  compareIdle: 250,
  compareIdleAgain: { first: 10_000, longest: 600_000 },

  confirmAgain: { first: 200, longest: 10_000 },
  idleConfirm: 5_000,
  catchUp: 30_000,
  resend: 3_000,
  tellRefused: 60_000,
  lookForGaps: 10_000,
  gapPatience: 10_000,
  resendLost: { first: 1_000, longest: 64_000 },

  historyPause: 250,
  historyLookup: 30_000,
  historyAgain: 5_000,
  historyResend: 30_000,
  historyUnclear: 60_000,
  historyLongest: 3_600_000,

  patienceBlocks: 4,
  patience: 10_000,
  idlePatience: 30_000,
  slowPatience: 120_000,
  replaceAgainBlocks: 2,
  replaceAgain: 2_000,
  changeAgain: 2_000,
};

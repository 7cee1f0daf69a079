import type { Backoff } from '@ledger-ops/base/backoff';

/** Intervals and timeouts of the runtime, in milliseconds, or in blocks if the name says so. Tests use shorter ones. */
export interface Timing {
  /**
   * Maximum time that the server waits at startup for leases and unfinished actions before it accepts requests
   * anyway.
   */
  readonly start: number;
  /**
   * Lifetime of a lease. A server renews its leases three times within this time. If it does not, other
   * servers may take them.
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
  /** Interval at which the bytes of small actions are added to the usage of organizations. */
  readonly writeActionBytes: number;
  /** Interval of deletions of signed bytes and idempotency keys whose retention time is over. */
  readonly prune: number;
  /** Interval of deletions of old actions and timeline records, as set by the retention settings. */
  readonly retain: number;
  /** Delay between attempts to open a ledger that has unfinished actions. */
  readonly reopen: Backoff;
  /** Delay between attempts to open a ledger that has only finished actions. */
  readonly reopenPast: number;

  /** Delay between attempts to load a plugin's module. */
  readonly loadAgain: Backoff;
  /** Timeout of a call to a remote plugin. */
  readonly remoteCall: number;
  /** Interval at which an unused remote plugin is checked for a response. */
  readonly probe: number;
  /**
   * Timeout for opening a ledger and reading its chain, to determine whether a plugin can serve the ledger.
   */
  readonly select: number;

  /** Timeout of `prepare` and `estimate` while other actions wait for them. */
  readonly prepare: number;
  readonly estimate: number;
  /** Delay between attempts to sign an action that must wait. */
  readonly signAgain: Backoff;
  /** Delay before a failed read or write of actions to be signed is retried. */
  readonly storeAgain: number;
  /** Time after which a deferred action that is overdue is forgotten: another server probably handles it. */
  readonly rememberWaiting: number;
  /** Maximum age of a cached balance if it covers the costs. */
  readonly balanceAge: number;
  /** Time in which reads of an account use its cached values. */
  readonly accountAge: number;
  /** Time after which a signing account without sequences is compared with its ledger again. */
  readonly compareAgain: number;
  /**
   * How long an account whose comparison with its ledger fails waits before it signs without a comparison.
   */
  readonly comparePatience: number;
  /** After startup, delay between two comparisons of accounts without pending actions with their ledgers. */
  readonly compareIdle: number;
  /** Delay before accounts that could not be compared with their ledgers are compared again. */
  readonly compareIdleAgain: Backoff;

  /** Delay before a failed read of the chain is retried. */
  readonly confirmAgain: Backoff;
  /** Interval of reads of the chain while nothing is pending, to notice reorgs. */
  readonly idleConfirm: number;
  /**
   * How long a node may lack the last block that was read before a restart. After this time, the chain is
   * treated as changed.
   */
  readonly catchUp: number;
  /** Delay before an unmined transaction is sent again. */
  readonly resend: number;
  /** Minimum interval of log lines about refusals by the nodes of one ledger. */
  readonly tellRefused: number;
  /** Age at which the first action of an account is checked for a lower nonce that the chain has lost. */
  readonly lookForGaps: number;
  /** How long a nonce without a known transaction must be missing before another transaction uses it. */
  readonly gapPatience: number;
  /** If the chain has lost a finished action's transaction: delay between attempts to resend it. */
  readonly resendLost: Backoff;

  /** Minimum delay between two batches of finished actions that are compared with the ledger. */
  readonly historyPause: number;
  /** Time limit for the lookups of a batch. After it, blocks are searched for the remaining transactions. */
  readonly historyLookup: number;
  /** Delay before a failed comparison is repeated. */
  readonly historyAgain: number;
  /** Interval at which lost transactions of finished actions are looked up and resent. */
  readonly historyResend: number;
  /**
   * Time after which a finished action is logged if the ledger shows neither its transaction nor another one
   * with its nonce.
   */
  readonly historyUnclear: number;
  /**
   * Time after which a finished action is no longer compared with the ledger if the ledger does not show its
   * transaction.
   */
  readonly historyLongest: number;

  /** Number of blocks, taking at least `patience`, after which a transaction is late. */
  readonly patienceBlocks: number;
  readonly patience: number;
  /** Time after which a transaction is late if no block was created: some ledgers create none while idle. */
  readonly idlePatience: number;
  /** Time after which a transaction is late if fewer than `patienceBlocks` blocks were created. */
  readonly slowPatience: number;
  /** Number of blocks, taking at least `replaceAgain`, after which a failed replacement is retried. */
  readonly replaceAgainBlocks: number;
  readonly replaceAgain: number;
  /** Delay before a failed change request is retried. */
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

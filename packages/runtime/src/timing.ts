import type { Backoff } from '@ledger-ops/backoff';

/** How long the runtime waits for what, in milliseconds; blocks where it says so. Tests give shorter times. */
export interface Timing {
  /** For lanes to be had and what is unfinished to be found, before a start, and requests, go on without. */
  readonly start: number;
  /** A server that was silent for so long has lost its shards; they are renewed three times as often. */
  readonly lease: number;
  /** Between two looks at deadlines, at what became ready and at requests to cancel or to hurry. */
  readonly tick: number;
  /** Between two looks for changes of plugins and ledgers. */
  readonly renewLedgers: number;
  /** Until a replaced session is closed: calls that were under way have ended by then. */
  readonly closeReplaced: number;
  /** Between two tries to renew what ends of a wallet, such as its certificate. */
  readonly renewWalletAgain: number;
  /** Between two sweeps of rows that are kept no longer. */
  readonly prune: number;
  /** Between two looks for what is kept no longer by the deployer's settings. */
  readonly retain: number;
  /** Between two tries to open a ledger that something unfinished needs. */
  readonly reopen: Backoff;
  /** Between two tries to open a ledger that only what has ended needs. */
  readonly reopenPast: number;

  /** Between two tries to load a plugin's module. */
  readonly loadAgain: Backoff;
  /** For a call of a remote plugin. */
  readonly remoteCall: number;
  /** For a ledger to be opened and to know its chain, where it is asked whether its plugin can serve it. */
  readonly select: number;

  /** For an adapter to prepare or estimate, where others wait behind it. */
  readonly prepare: number;
  readonly estimate: number;
  /** Between two tries to sign an action that has to wait. */
  readonly signAgain: Backoff;
  /** After which reading or storing what is to be signed is tried again when it failed. */
  readonly storeAgain: number;
  /** An action that was due so long ago, and did not come, is another server's. */
  readonly rememberWaiting: number;
  /** As long as an account's balance is believed while it covers what is asked. */
  readonly balanceAge: number;
  /** Readings of an account that are asked for within it share one answer. */
  readonly accountAge: number;

  /** Between two readings of the chain after one that failed. */
  readonly confirmAgain: Backoff;
  /** Between two readings of the chain while nothing is pending, to notice blocks that were taken back. */
  readonly idleConfirm: number;
  /** After a start, for a node that lacks the last block that was read to catch up, or to show that it will not. */
  readonly catchUp: number;
  /** After which what is not mined is sent again. */
  readonly resend: number;
  /** Between two lines of the log about what nodes of a ledger refused. */
  readonly tellRefused: number;
  /** After which the first action of an account may wait for a transaction that the chain has lost. */
  readonly lookForGaps: number;
  /** For which a ledger must want sequences that nobody here can send, before other actions get them. */
  readonly gapPatience: number;
  /** Between two sends of bytes of ended actions that the chain has lost. */
  readonly resendLost: Backoff;

  /** Between two parts of the past that are held against the ledger, at least. */
  readonly historyPause: number;
  /** After which a part of the past that failed is tried again. */
  readonly historyAgain: number;
  /** Between two sends of past transactions that the ledger does not count any more. */
  readonly historyResend: number;
  /** After which it is logged that the ledger shows neither a past transaction nor what took its place. */
  readonly historyUnclear: number;
  /** After which a past transaction that stays unclear is looked at no more. */
  readonly historyLongest: number;

  /** Blocks that a transaction has to be mined in, and the time that they take at least. */
  readonly patienceBlocks: number;
  readonly patience: number;
  /** The same where no block was made at all: some ledgers make none while nothing is to be done. */
  readonly idlePatience: number;
  /** The same where some blocks were made, but not so many. */
  readonly slowPatience: number;
  /** Blocks after which a replacement that could not be made is tried again, and the time that they take at least. */
  readonly replaceAgainBlocks: number;
  readonly replaceAgain: number;
  /** After which a request to cancel or to hurry that could not be met is tried again. */
  readonly changeAgain: number;
}

export const defaultTiming: Timing = {
  start: 2_000,
  lease: 15_000,
  tick: 1_000,
  renewLedgers: 500,
  closeReplaced: 60_000,
  renewWalletAgain: 600_000,
  prune: 60_000,
  retain: 3_600_000,
  reopen: { first: 1_000, longest: 10_000 },
  reopenPast: 30_000,

  loadAgain: { first: 1_000, longest: 60_000 },
  remoteCall: 30_000,
  select: 10_000,

  prepare: 5_000,
  estimate: 5_000,
  signAgain: { first: 250, longest: 10_000 },
  storeAgain: 1_000,
  rememberWaiting: 120_000,
  balanceAge: 5_000,
  accountAge: 50,

  confirmAgain: { first: 200, longest: 10_000 },
  idleConfirm: 5_000,
  catchUp: 30_000,
  resend: 3_000,
  tellRefused: 60_000,
  lookForGaps: 10_000,
  gapPatience: 10_000,
  resendLost: { first: 1_000, longest: 64_000 },

  historyPause: 250,
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

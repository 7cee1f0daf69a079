import type { AdapterProblem } from './problem.ts';

export interface Submission {
  txId: string;
  bytes: Uint8Array;
  /** Never sent before, not even before a crash of the host. */
  first?: boolean;
  /** It is late: to every node of the ledger, since one that took it may have forgotten it. */
  everyNode?: boolean;
}

/** A node's answer. Only `rejected` decides anything: another node may have taken what one refuses. */
export interface Submitted {
  txId: string;
  /**
   * `rejected`, only without sequences: it is certain that the ledger does not have these bytes and never will, at the `first` send
   * by its own refusal, later by what became of those before. Too late (`validUntil`) is `refused`.
   */
  status: 'accepted' | 'known' | 'refused' | 'rejected' | 'unavailable';
  problem?: AdapterProblem;
  /** Of ledgers with ids of their own: stored, given back in `PendingTransaction`, and these bytes are sent no more. */
  note?: string;
}

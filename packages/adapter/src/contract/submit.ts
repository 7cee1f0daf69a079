import type { AdapterProblem } from './problem.ts';

export interface Submission {
  txId: string;
  bytes: Uint8Array;
  /** These bytes were never sent before, not even before a crash of the host. */
  first?: boolean;
  /** It is late: to every node of the ledger, since one that took it may have forgotten it. */
  everyNode?: boolean;
}

/**
 * A node's answer to a transaction. Only `rejected` decides anything: a node that refuses may have accepted
 * before, and another may have taken it.
 */
export interface Submitted {
  txId: string;
  /**
   * `rejected`: it is certain that the ledger does not have these bytes, and never will unless somebody sends them
   * again, which nobody does: the action has failed. At the first send (`Submission.first`) its own refusal is enough;
   * later the adapter must also know what became of those before. Only where `capabilities.sequence` is `none`, since
   * elsewhere the account's next transactions wait for this one. Bytes that came too late (`validUntil`) are `refused`:
   * `confirm` says `expired` when that is certain.
   */
  status: 'accepted' | 'known' | 'refused' | 'rejected' | 'unavailable';
  problem?: AdapterProblem;
  /**
   * The host stores it with the transaction, gives it back in `ConfirmRequest.pending`, and sends these bytes no more.
   * For ledgers that answer with an id of their own.
   */
  note?: string;
}

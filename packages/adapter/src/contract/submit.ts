import type { AdapterProblem } from './problem.ts';

export interface Submission {
  txId: string;
  bytes: Uint8Array;
  /** Whether these bytes were never sent before, not even before a crash of the host. */
  first?: boolean;
  /**
   * Whether the transaction is late. If so, send it to every node of the ledger, because the node that
   * accepted it may have dropped it.
   */
  everyNode?: boolean;
}

/**
 * A node's response. Only `rejected` is final: after `refused`, another node may still accept the
 * transaction.
 */
export interface Submitted {
  txId: string;
  /**
   * `rejected` is only for ledgers without sequences. It means that the ledger certainly does not have these
   * bytes and never will. On the `first` submission, the ledger's refusal is sufficient proof. On later
   * submissions, return it only if there is also proof that no earlier submission was accepted. A transaction
   * past its `validUntil` is `refused`.
   */
  status: 'accepted' | 'known' | 'refused' | 'rejected' | 'unavailable';
  problem?: AdapterProblem;
  /**
   * Set if the node refuses the fee.
   * - `minimum`: the fee is below the node's minimum. The host requests a bump immediately and never gives up
   *   the action because of it. - `outbid`: another transaction with the same sequence pays more.
   */
  feeTooLow?: 'minimum' | 'outbid';
  /**
   * For ledgers that assign their own ids. The host stores the note, passes it back in `PendingTransaction`,
   * and does not send these bytes again.
   */
  note?: string;
}

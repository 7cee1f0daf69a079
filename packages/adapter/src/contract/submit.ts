import type { AdapterProblem } from './problem.ts';

export interface Submission {
  txId: string;
  bytes: Uint8Array;
  /** The bytes were never sent before, not even before a crash of the host. */
  first?: boolean;
  /**
   * The transaction is late. Send it to every node of the ledger, since the node that accepted it may have forgotten
   * it.
   */
  everyNode?: boolean;
}

/** A node's response. Only `rejected` is final: another node may accept what this one refuses. */
export interface Submitted {
  txId: string;
  /**
   * `rejected` is only for ledgers without sequences. It means that the ledger certainly does not have these bytes and
   * never will. On the `first` submission, the ledger's own refusal proves this; later, only the fate of the earlier
   * submissions does. A transaction past its `validUntil` is `refused`.
   */
  status: 'accepted' | 'known' | 'refused' | 'rejected' | 'unavailable';
  problem?: AdapterProblem;
  /**
   * Set if the node refuses the fee.
   * - `minimum`: the node accepts no transaction with so low a fee. The host requests a bump immediately and never
   * gives up the action because of it.
   * - `outbid`: another transaction with the same sequence offers more.
   */
  feeTooLow?: 'minimum' | 'outbid';
  /**
   * For ledgers that assign ids of their own. The host stores the note, passes it back in `PendingTransaction`, and
   * does not send these bytes again.
   */
  note?: string;
}

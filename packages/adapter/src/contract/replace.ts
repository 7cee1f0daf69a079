import type { AttemptKind, PrepareRequest, SignedTransaction } from './prepare.ts';
import type { AdapterProblem } from './problem.ts';
import type { Round } from './wallets.ts';

/** The signed transactions of one action. All share a claim, and none was included in a block in time. */
export interface LateTransaction extends Omit<PrepareRequest, 'earlier'> {
  /**
   * The signed transactions in signing order. Empty if no transaction with this sequence can be sent. In that
   * case, a no-op fills the sequence, and only the chain and fee type of the plan are used.
   */
  signed: readonly SignedAttempt[];
}

/** A stored transaction. A replacement must hold a claim that all of the action's transactions hold. */
export interface SignedAttempt {
  kind: AttemptKind;
  txId: string;
  bytes: Uint8Array;
  claims?: readonly string[];
}

export interface ReplaceRequest extends LateTransaction {
  /**
   * `bump`: the same operation at a higher fee. `noop`: an empty transaction with a higher fee that shares
   * a claim with every signed transaction.
   */
  kind: 'bump' | 'noop';
  /**
   * `if-asked`: bump only if the ledger requires a higher fee than the signed transactions pay. `always`:
   * bump by at least the minimum increase that nodes accept.
   */
  raise: 'if-asked' | 'always';
  /** Maximum price per unit of the ledger's fee, in addition to the ledger's own cap. */
  cap?: bigint;
}

/**
 * `enough`: the signed fee is sufficient. `wait`: the problem is `fee-above-cap`, `insufficient-funds` or
 * `unavailable`, and contains the fee that the ledger requires.
 */
export type Replaced =
  | { status: 'prepared'; attempt: { kind: Exclude<AttemptKind, 'main'>; round: Round<SignedTransaction> } }
  | { status: 'enough' }
  | { status: 'wait'; problem: AdapterProblem };

/**
 * `shown`: a node has one of the signed transactions. `absent`: no responding node has one. `unknown`: no
 * node responded. The status never decides the outcome of an action.
 */
export interface Inspected {
  status: 'shown' | 'absent' | 'unknown';
  /** Why the ledger would not accept the transaction now, for display. For insufficient funds, include the amount. */
  problem?: AdapterProblem;
  /**
   * Whether neither a higher fee nor waiting would help, because the signed transactions can never be
   * accepted.
   */
  hopeless?: boolean;
}

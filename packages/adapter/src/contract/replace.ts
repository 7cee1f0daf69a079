import type { AttemptKind, PrepareRequest, SignedTransaction } from './prepare.ts';
import type { AdapterProblem } from './problem.ts';
import type { Round } from './wallets.ts';

/** The signed transactions of one action, at one sequence, none of which is mined in its time. */
export interface LateTransaction extends PrepareRequest {
  sequence: bigint;
  /**
   * Everything signed at the sequence so far, in its order. Nothing: the ledger wants a sequence that nobody can send,
   * and the request is for a no-op there, whatever the plan is of; of the plan only what a no-op has in common with it
   * may be used (chain, type of fee).
   */
  signed: readonly { kind: AttemptKind; txId: string; bytes: Uint8Array }[];
}

export interface ReplaceRequest extends LateTransaction {
  /**
   * `bump`: the same operation at a higher fee. `noop`: nothing, in its place, at a fee that beats what is signed, or that
   * the ledger asks where nothing is.
   */
  kind: 'bump' | 'noop';
  /**
   * `if-asked`: only where the ledger asks more now than what is signed offers. `always`: at least the least that nodes
   * take as a replacement, below the caps. A no-op is always made.
   */
  raise: 'if-asked' | 'always';
  /** The most that the caller allows for a unit of the ledger's fee, beside the ledger's own cap. */
  cap?: bigint;
}

export type Replaced =
  | { status: 'prepared'; attempt: { kind: AttemptKind; round: Round<SignedTransaction> } }
  /** The signed fee is enough for what the ledger asks now. */
  | { status: 'enough' }
  /** It cannot be made, or would not be taken, now; `problem` says what is asked and what forbids it: `fee-above-cap`, `insufficient-funds`, `unavailable`. */
  | { status: 'wait'; problem: AdapterProblem };

/** Whether the ledger shows a late transaction. Decides what is signed next, never an outcome. */
export interface Inspected {
  /**
   * `shown`: a node has one of what is signed, in its pool or in a block. `absent`: every node that answers has none.
   * `unknown`: no node could say.
   */
  status: 'shown' | 'absent' | 'unknown';
  /** Why the ledger would not take it now, for people, where that can be found out; funds that are missing with the amount. */
  problem?: AdapterProblem;
  /** Neither a higher fee nor time would help: what is signed can never be taken. */
  hopeless?: boolean;
}

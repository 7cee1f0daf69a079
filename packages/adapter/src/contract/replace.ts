import type { AttemptKind, PrepareRequest, SignedTransaction } from './prepare.ts';
import type { AdapterProblem } from './problem.ts';
import type { Round } from './wallets.ts';

/** The signed transactions of one action, at one sequence, none of which is mined in its time. */
export interface LateTransaction extends PrepareRequest {
  sequence: bigint;
  /** In its order. Nothing: nobody can send that sequence, and a no-op is made there; of the plan only chain and fee type count. */
  signed: readonly { kind: AttemptKind; txId: string; bytes: Uint8Array }[];
}

export interface ReplaceRequest extends LateTransaction {
  /** The same operation at a higher fee, or nothing in its place, at a fee that beats what is signed. */
  kind: 'bump' | 'noop';
  /** A bump only where the ledger asks more than what is signed offers, or at least by the least that nodes take. */
  raise: 'if-asked' | 'always';
  /** The most for a unit of the ledger's fee, beside the ledger's own cap. */
  cap?: bigint;
}

/** `enough`: the signed fee is. `wait`: `fee-above-cap`, `insufficient-funds` or `unavailable`, with what is asked. */
export type Replaced =
  | { status: 'prepared'; attempt: { kind: AttemptKind; round: Round<SignedTransaction> } }
  | { status: 'enough' }
  | { status: 'wait'; problem: AdapterProblem };

/** Whether a node has one of what is signed, none that answers has, or none could say. Never decides an outcome. */
export interface Inspected {
  status: 'shown' | 'absent' | 'unknown';
  /** Why the ledger would not take it now, for people; funds that are missing with the amount. */
  problem?: AdapterProblem;
  /** Neither a higher fee nor time would help: what is signed can never be taken. */
  hopeless?: boolean;
}

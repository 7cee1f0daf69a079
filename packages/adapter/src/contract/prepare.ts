import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';
import type { Round, WalletIdentity } from './wallets.ts';

export interface PrepareRequest {
  /** Idempotency key for adapters with custody of their own. */
  actionId: string;
  wallet: WalletIdentity;
  plan: JsonObject;
  /** As `check` gave it. */
  secret?: JsonObject;
  /** Set where `capabilities.sequence` is `account`. */
  sequence?: bigint;
}

export type AttemptKind = 'main' | 'bump' | 'noop';

export type Prepared =
  | { status: 'prepared'; attempts: { kind: AttemptKind; round: Round<SignedTransaction> }[] }
  | { status: 'failed'; problem: AdapterProblem };

export interface SignedTransaction {
  /** Unique on its chain, 512 characters at most. Compared as it is: case counts. */
  txId: string;
  /** Complete: may be sent any number of times, to any node, and needs no key any more. */
  bytes: Uint8Array;
  /** The most native currency that this transaction can take from the wallet. */
  cost: bigint;
  /**
   * Its outcome may be `continue`: the host keeps what it needs in order to sign again until the outcome. Only where
   * `capabilities.sequence` is `none`.
   */
  mayContinue?: boolean;
  /**
   * The last height at which the ledger may execute these bytes: what is not in a block up to there never will be. The host
   * keeps what it needs in order to sign again, and its outcome can be `expired`. Only where `capabilities.sequence` is
   * `none`.
   */
  validUntil?: number;
}

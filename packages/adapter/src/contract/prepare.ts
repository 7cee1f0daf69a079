import type { AdapterProblem } from './problem.ts';
import type { JsonObject } from './values.ts';
import type { Round, WalletIdentity } from './wallets.ts';

/** `plan` and `secret` as `check` gave them. `actionId`: idempotency key for adapters with custody of their own. */
export interface PrepareRequest {
  actionId: string;
  wallet: WalletIdentity;
  /** As `check` had them. */
  others?: WalletIdentity[];
  plan: JsonObject;
  secret?: JsonObject;
  /** Where `capabilities.sequence` is `account`. */
  sequence?: bigint;
}

export type AttemptKind = 'main' | 'bump' | 'noop';

export type Prepared =
  | { status: 'prepared'; attempts: { kind: AttemptKind; round: Round<SignedTransaction> }[] }
  | { status: 'failed'; problem: AdapterProblem };

/** The last two only where `capabilities.sequence` is `none`; the host then keeps what it needs in order to sign again. */
export interface SignedTransaction {
  /** Unique on its chain, 512 characters at most. Compared as it is: case counts. */
  txId: string;
  /** Complete: may be sent any number of times, to any node, and needs no key any more. */
  bytes: Uint8Array;
  /** The most native currency that this transaction can take from the wallet. */
  cost: bigint;
  /** Its outcome may be `continue`. */
  mayContinue?: boolean;
  /** The last height at which the ledger may execute it: its outcome may be `expired`. */
  validUntil?: number;
}

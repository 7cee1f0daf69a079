import type { AttemptKind, ClaimingTransaction, JsonObject, Submitted } from '@ledger-ops/adapter';
import type { Problem, ProblemDocument } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { PendingCode } from '../pending-codes.ts';

/** A row of table `action` as inserted on acceptance. */
export interface NewAction {
  id: string;
  organizationUid: string;
  projectId: string;
  appId: string;
  caller: string;
  walletUid: string;
  walletId: string;
  ledgerUid: string;
  ledgerId: string;
  chain: string;
  shard: number;
  address: string;
  intent: string;
  tag: string | null;
  context: string | null;
  /** W3C trace context of the request; null if it had none. */
  trace: string | null;
  operation: string;
  /** JSON of the operation's values that `meta` replaced; null if there are none. */
  overrides: string | null;
  plan: string;
  /** Number of plan bytes that are not stored in plain text, such as transient data of Fabric. */
  privateBytes: number;
  /** The plugin that created the plan. */
  plugin: string;
  cost: bigint;
  sequence: number | null;
  deadline: number;
  createdAt: number;
  dependencies: readonly string[];
  /** Parties other than the sender, named as in listings: receiving accounts and co-signing wallets. */
  receivers: readonly string[];
  /** The id chosen by the client, unique in the project; null if there is none. */
  givenId: string | null;
  /** How to register the deployed contract; null to register it under the action's id. */
  registration: { contractId: string; name: string | null } | null;
  /** The response to store for the request's Idempotency-Key; for a batch, with one of its actions. */
  claim: { claim: IdempotencyClaim; status: number; body: string } | null;
  /** The request with an Idempotency-Key that created the action; null if the request had no key. */
  request: RequestPlace | null;
}

/** A request with an Idempotency-Key, and the place of an action in it. */
export interface RequestPlace {
  readonly key: string;
  readonly fingerprint: string;
  /** 0 for the only operation of a request; from 1 for an operation of a batch. */
  readonly position: number;
}

/**
 * Why a replacement was made. `unmined`: the ledger has the transaction and requires no higher fee, but does
 * not mine it. `dropped`: the action is given up; the detail becomes its failure reason. `cancelled`,
 * `hurried`: a user requested it.
 */
export interface ReplacementReason {
  type: 'unmined' | 'dropped' | 'cancelled' | 'hurried';
  detail: string;
}

/** A user's request to change a pending action. */
export interface Change {
  kind: 'cancel' | 'hurry';
  /** Maximum fee per unit; null if only the ledger's own cap applies. */
  cap: bigint | null;
}

/** A signed transaction as it is stored and sent. */
export interface Attempt {
  txId: string;
  n: number;
  kind: AttemptKind;
  bytes: Uint8Array;
  cost: bigint;
  /** The ledger's own id of the transaction. Once it is stored, the transaction is no longer sent. */
  note: string | null;
  /** True if the transaction was certainly never sent, not even before a crash. */
  unsent: boolean;
  /** Set if a node's last response was that the fee is too low. In memory only. */
  feeTooLow?: Submitted['feeTooLow'];
  /**
   * A node's last error message for the transaction. Null if a node holds it; absent if no node has responded
   * yet. In memory only.
   */
  refusal?: string | null;
  /** Why a replacement was made on demand; absent if the ledger required a higher fee. */
  reason?: ReplacementReason | null;
  /**
   * True if the outcome may require another transaction, so that the grant is kept. Set only until the
   * attempt is stored.
   */
  mayContinue?: boolean;
  /** The last height at which the ledger may execute the transaction; absent if it does not expire. */
  validUntil?: number;
  /**
   * The claims that the adapter named. Absent if the adapter named none, or if the claim is the action's
   * sequence.
   */
  claims?: readonly string[];
  /** Transactions that must execute before this transaction. */
  needs?: readonly ClaimingTransaction[];
  /**
   * Why the transaction cannot be executed, according to the ledger's current state; absent if it may be
   * executed. In memory only.
   */
  superseded?: Superseded;
}

/**
 * Why a transaction cannot be executed. Either an external transaction (`by`, if known) at confirmation depth
 * used a claim of this transaction or of a needed transaction, or a needed transaction (`needs`) cannot be
 * executed.
 */
export type Superseded = { claim: string; by?: string } | { needs: string };

/**
 * Why a signed action has no outcome yet: one field per source of reasons, null if the source reports none.
 * For display only.
 */
export interface PendingReason {
  /** A node's last error message; null while a node holds one of the action's transactions. */
  refusal: string | null;
  /** A lower nonce that the ledger expects first, with an explanation. */
  missingNonce: { nonce: number; detail: string } | null;
  /** Why the change request cannot be carried out now. */
  change: string | null;
  /** Description of an impossible outcome that the plugin reported. */
  pluginFault: string | null;
  /** Why the action is late, as of the last check. */
  late: string | null;
  /** The reasons in their stored form: one message in the action's row, with the code of the first reason. */
  stored: { detail: string; code: PendingCode | null } | null;
}

export function noPendingReason(): PendingReason {
  return { refusal: null, missingNonce: null, change: null, pluginFault: null, late: null, stored: null };
}

/**
 * A signed, unsettled action. In memory only while this server holds its shard; the database is
 * authoritative.
 */
export interface LiveAction {
  id: string;
  ledgerUid: string;
  /** The plugin that signed the action; null if any plugin of the ledger may follow it. */
  plugin: string | null;
  /** W3C trace context; null if it is derived from the id. */
  trace: string | null;
  address: string;
  shard: number;
  sequence: number | null;
  attempts: Attempt[];
  /** Absent if unknown. */
  acceptedAt?: number;
  signedAt: number;
  /**
   * Index of the last attempt that may be sent. Attempts signed in advance wait until a replacement is due.
   */
  released: number;
  /**
   * When the action's newest transaction was signed. Attempts signed in advance are released relative to this
   * time.
   */
  releasedAt: number;
  /** The ledger's newest block at that time, if known. */
  releasedHeight?: number | null;
  /** Whether a sealed grant that signs replacements is stored. */
  kept?: boolean;
  /**
   * Whether the action was loaded from the database. If so, it is unknown for how long it has been the first
   * action of its account.
   */
  readBack?: boolean;
  sentAt: number;
  /**
   * When a node first accepted one of the action's transactions, if this process signed the action. Absent if
   * no node has accepted any, or if the time is unknown.
   */
  takenAt?: number;
  readonly pendingReason: PendingReason;
  /** The open change request that this server knows of. */
  change?: Change | null;
}

/** Some actions of a batch cannot be stored, so the batch was not stored. The caller retries without them. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused';
  /** Results by action id; null if the action changed since it was read. */
  readonly refused: ReadonlyMap<string, Problem | null>;

  constructor(refused: ReadonlyMap<string, Problem | null>) {
    super(`${refused.size} actions of the batch cannot be stored.`);
    this.refused = refused;
  }
}

/** Whether a node refused the newest transaction because its fee is below the minimum of every mempool. */
export function isBelowMinimum({ attempts, released }: Pick<LiveAction, 'attempts' | 'released'>): boolean {
  return attempts[released]?.feeTooLow === 'minimum';
}

/** Creates an in-memory action. The defaults fit an action that was just signed. */
export function liveAction(
  signed: Omit<LiveAction, 'released' | 'releasedAt' | 'sentAt' | 'pendingReason'> & Partial<LiveAction>,
): LiveAction {
  const { signedAt } = signed;
  return {
    released: 0,
    releasedAt: signedAt,
    sentAt: signedAt,
    pendingReason: noPendingReason(),
    ...signed,
  };
}

/** The final outcome of an action. */
export interface Settlement {
  actionId: string;
  status: 'SUCCEEDED' | 'FAILED';
  /** Whether the action was signed. An unsigned action may be settled only while it is still unsigned. */
  signed: boolean;
  /** When a node first accepted one of the action's transactions; absent if unknown. */
  sentAt?: number | undefined;
  locator: string | null;
  contractAddress: string | null;
  height: number | null;
  /** Block time in milliseconds since the epoch; null if the ledger did not report it. */
  blockTime: number | null;
  fee: string | null;
  /** JSON. */
  details: string | null;
  problem: ProblemDocument | null;
}

/** An action that needs another transaction because its current one is completed or expired. */
export interface Continuation {
  actionId: string;
  /** The completed or expired transaction. */
  txId: string;
  /** The next plan. Null if the transaction expired; the current plan is then used again. */
  plan: JsonObject | null;
  /**
   * Whether the action's transactions may still be executed after a reorg. They then stay unsettled, and the
   * next transaction must share a claim with them.
   */
  mayStillExecute: boolean;
  /** When a node first accepted one of the action's transactions; absent if unknown. */
  sentAt?: number | undefined;
  /** User-facing reason. */
  detail: string;
  /** Whether part of the action was executed. If so, the deadline no longer applies. */
  executed: boolean;
  /** Milliseconds. */
  delay: number;
}

/** Problem members for an action that this service did not sign but that may have been executed. */
export const possiblyExecuted = { mayBeExecuted: true };

/** Returns a failure without a transaction on the ledger. */
export function failure(actionId: string, signed: boolean, problem: ProblemDocument): Settlement {
  return {
    actionId,
    status: 'FAILED',
    signed,
    locator: null,
    contractAddress: null,
    height: null,
    blockTime: null,
    fee: null,
    details: null,
    problem,
  };
}

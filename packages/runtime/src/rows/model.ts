import type { AttemptKind, ClaimingTransaction, JsonObject, Submitted } from '@ledger-ops/adapter';
import type { Problem, ProblemDocument } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { PendingCode } from '../pending-codes.ts';

/** A row of table `action` as it is inserted when the action is accepted. */
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
  /** Parties other than the sending wallet, named as in listings: receiving accounts and co-signing wallets. */
  receivers: readonly string[];
  /** The id chosen by the client, unique in the project; null if there is none. */
  givenId: string | null;
  /** How to register the deployed contract. If null, a contract deployed from a template gets the action's id. */
  registration: { contractId: string; name: string | null } | null;
  /** The response to store for the request's Idempotency-Key. Only one of a batch's actions has it. */
  claim: { claim: IdempotencyClaim; status: number; body: string } | null;
  /** The action's place in the request with an Idempotency-Key that created it; null if the request had no key. */
  request: RequestPlace | null;
}

/** A request with an Idempotency-Key, and the place of an action in it. */
export interface RequestPlace {
  readonly key: string;
  readonly fingerprint: string;
  /** 0 for the only operation of a request; counted from 1 in a batch. */
  readonly position: number;
}

/**
 * Why a replacement was made. `unmined`: the ledger has the transaction and requires no higher fee, but does not mine
 * it. `dropped`: the action is given up, and `detail` becomes the reason of its failure. `cancelled`, `hurried`: a user
 * requested it.
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

/** A signed transaction of an action. */
export interface Attempt {
  txId: string;
  n: number;
  kind: AttemptKind;
  bytes: Uint8Array;
  cost: bigint;
  /** The ledger's own id of the transaction. Once it is stored, the transaction is no longer sent. */
  note: string | null;
  /** Whether the transaction was certainly never sent, not even before a crash. */
  unsent: boolean;
  /** Set if the last response of a node was that the fee is too low. In memory only. */
  feeTooLow?: Submitted['feeTooLow'];
  /**
   * A node's last error message for the transaction. Null if a node has the transaction; absent if no node has
   * responded yet. In memory only.
   */
  refusal?: string | null;
  /** Why a replacement was made on demand; absent if the ledger required a higher fee. */
  reason?: ReplacementReason | null;
  /**
   * Whether the outcome may require another transaction, so that the grant must be kept. Set only until the attempt is
   * stored.
   */
  mayContinue?: boolean;
  /** The last height at which the ledger may execute the transaction; absent if it does not expire. */
  validUntil?: number;
  /** The claims that the adapter assigned. Absent if it assigned none, or if the claim is the action's sequence. */
  claims?: readonly string[];
  /** Transactions that must execute before this transaction. */
  needs?: readonly ClaimingTransaction[];
  /**
   * Why the transaction cannot be executed in the ledger's current state; absent if it may still be executed. In memory
   * only.
   */
  superseded?: Superseded;
}

/**
 * Why a transaction cannot be executed. Either another transaction (`by`, if known) at confirmation depth used a claim
 * of this transaction or of one that it needs, or a transaction that it needs (`needs`) cannot be executed.
 */
export type Superseded = { claim: string; by?: string } | { needs: string };

/**
 * Why a signed action has no outcome yet: one member for each source of reasons, null if the source has none. For
 * display only.
 */
export interface PendingReason {
  /** A node's last error message; null if a node has one of the action's transactions. */
  refusal: string | null;
  /** A lower nonce that the ledger expects first, with an explanation. */
  missingNonce: { nonce: number; detail: string } | null;
  /** Why the change request cannot be carried out now. */
  change: string | null;
  /** Description of an impossible outcome that the plugin reported. */
  pluginFault: string | null;
  /** Why the action is late, according to the last check. */
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
  /** The plugin that signed the action; null if any plugin that serves the ledger may follow it. */
  plugin: string | null;
  /** W3C trace context; null if it is derived from the id. */
  trace: string | null;
  address: string;
  shard: number;
  sequence: number | null;
  attempts: Attempt[];
  /** When the action was accepted; absent if unknown. */
  acceptedAt?: number;
  signedAt: number;
  /**
   * Index of the last attempt that may be sent. The attempts after it were signed in advance, and wait until a
   * replacement is due.
   */
  released: number;
  /**
   * When the action's newest transaction was signed. The intervals after which attempts signed in advance are sent
   * begin at this time.
   */
  releasedAt: number;
  /** The ledger's newest block at that time, if known. */
  releasedHeight?: number | null;
  /** Whether a sealed grant is stored, with which replacements can be signed. */
  kept?: boolean;
  /**
   * Whether the action was loaded from the database. If so, it is unknown for how long it has been the first
   * action of its account.
   */
  readBack?: boolean;
  sentAt: number;
  /**
   * When a node first accepted one of the action's transactions. Absent if no node has accepted one, or if another
   * process signed the action.
   */
  takenAt?: number;
  readonly pendingReason: PendingReason;
  /** The open change request, if this server knows of one. */
  change?: Change | null;
}

/**
 * Some actions of a batch cannot be stored, so the batch was not stored. The caller can store the others without them.
 */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused';
  /** The refused actions by id, each with the problem; null if the action changed since it was read. */
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

/** Creates an action in memory. The defaults are those of an action that was just signed. */
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
  /**
   * Whether the action was signed. The settlement of an unsigned action is ignored if the action was signed in the
   * meantime.
   */
  signed: boolean;
  /** When a node first accepted one of the action's transactions; absent if unknown. */
  sentAt?: number | undefined;
  locator: string | null;
  contractAddress: string | null;
  height: number | null;
  /** Block time in milliseconds since the epoch; null if the ledger did not report it. */
  blockTime: number | null;
  fee: string | null;
  /** JSON of the details that the ledger reported; null if there are none. */
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
   * Whether the action's transactions may still be executed after a reorg. If so, they stay unsettled, and the next
   * transaction must share a claim with them.
   */
  mayStillExecute: boolean;
  /** When a node first accepted one of the action's transactions; absent if unknown. */
  sentAt?: number | undefined;
  /** The reason for users why another transaction is needed. */
  detail: string;
  /** Whether part of the action was executed. If so, the deadline no longer applies. */
  executed: boolean;
  /** Delay before the next transaction is prepared, in milliseconds. */
  delay: number;
}

/** Members of the problem of an action that this service did not sign but that may have been executed. */
export const possiblyExecuted = { mayBeExecuted: true };

/** Returns the settlement of an action that failed without a transaction on the ledger. */
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

import type { AttemptKind, JsonObject } from '@ledger-ops/adapter';
import type { Problem, ProblemDocument } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { PendingCode } from '../pending-codes.ts';

/** A row of table `action` as acceptance writes it. */
export interface NewAction {
  id: string;
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
  /** W3C trace context of the request; null: it gave none. */
  trace: string | null;
  operation: string;
  /** JSON of what meta changed in it; null: nothing. */
  overrides: string | null;
  plan: string;
  /** The plugin whose plan it is. */
  plugin: string;
  cost: bigint;
  sequence: number | null;
  deadline: number;
  createdAt: number;
  dependencies: readonly string[];
  /** Parties beside the sender, as lists of actions name them: accounts that receive, wallets that sign too. */
  receivers: readonly string[];
  /** The id that the client chose, so that it may exist in the project; null: none. */
  givenId: string | null;
  /** Of a deployment: how its contract is to be registered; null: by the action's id. */
  registration: { contractId: string; name: string | null } | null;
  claim: { claim: IdempotencyClaim; status: number; body: string } | null;
}

/**
 * Why a replacement was made. `unmined`: the ledger shows what is signed, asks no more, and does not mine it.
 * `dropped`: the action is given up; the detail becomes the reason of its end. `cancelled`, `hurried`: it was asked for.
 */
export interface ReplacementReason {
  type: 'unmined' | 'dropped' | 'cancelled' | 'hurried';
  detail: string;
}

/** A change that somebody who may use its wallet asks of a pending action. */
export interface Change {
  kind: 'cancel' | 'hurry';
  /** The most for a unit of the ledger's fee; null: the ledger's own cap alone. */
  cap: bigint | null;
}

/** A signed transaction as it is stored and sent. */
export interface Attempt {
  txId: string;
  n: number;
  kind: AttemptKind;
  bytes: Uint8Array;
  cost: bigint;
  /** The ledger's own id of it, once it has told one and that is stored: then it is sent no more. */
  note: string | null;
  /** Never sent, not even before a crash. */
  unsent: boolean;
  /** Of a replacement that was made when it was needed; absent: because the ledger asked more. */
  reason?: ReplacementReason | null;
  /** Its outcome may ask for another one: the grant is kept. Only while it is being stored. */
  mayContinue?: boolean;
  /** The last height at which the ledger may execute it; absent: it does not expire. */
  validUntil?: number;
}

/** Signed and not settled: in memory only as long as its lane is held; the rows are the truth. */
export interface LiveAction {
  id: string;
  ledgerUid: string;
  /** The plugin that signed it; null: any of the ledger's may follow it. */
  plugin: string | null;
  /** W3C trace context; null: one made of its id. */
  trace: string | null;
  address: string;
  shard: number;
  sequence: number | null;
  attempts: Attempt[];
  /** Absent: not known. */
  acceptedAt?: number;
  signedAt: number;
  /** Attempts up to this index have been released to be sent. */
  released: number;
  /** When its newest transaction was signed; all that were signed beforehand wait from then on to be released. */
  releasedAt: number;
  /** The ledger's newest block then, as far as it was known. */
  releasedHeight?: number | null;
  /** A grant that signs its replacements is kept, sealed. */
  kept?: boolean;
  /** It was read from the rows: how long it has been the first of its account is not known. */
  readBack?: boolean;
  /** When its transactions were last sent. */
  sentAt: number;
  /** When a node took one of them first, of an action that was signed here; absent: not yet, or not known. */
  takenAt?: number;
  /** A node's last words against it; they decide nothing. */
  complaint: string | null;
  /** The nonce that the ledger wants of the account before it, and what is known of that; null: none is missing. */
  gap?: { nonce: number; said: string } | null;
  /** The ledger's last words on why it has no outcome, as they are stored. */
  remark?: string | null;
  remarkCode?: PendingCode | null;
  /** Why it is late, as the last look found it. */
  lateness?: string | null;
  /** The open request, as far as this server has read. */
  change?: Change | null;
  /** Why that cannot be done now, for people. */
  hindrance?: string | null;
  /** An outcome that its plugin gave and that cannot be, for people. */
  impossible?: string | null;
}

/** Some of a batch cannot be written, and nothing was: the rest is to be tried without them. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused';
  /** By action; null: it is no longer where it was. */
  readonly refused: ReadonlyMap<string, Problem | null>;

  constructor(refused: ReadonlyMap<string, Problem | null>) {
    super(`${refused.size} of the batch cannot be written.`);
    this.refused = refused;
  }
}

/** A signed action as it is in memory; what is not given is as it is for one that was signed just now. */
export function liveAction(
  signed: Omit<LiveAction, 'released' | 'releasedAt' | 'sentAt' | 'complaint'> & Partial<LiveAction>,
): LiveAction {
  const { signedAt } = signed;
  return { released: 0, releasedAt: signedAt, sentAt: signedAt, complaint: null, ...signed };
}

/** The end of an action. */
export interface Settlement {
  actionId: string;
  status: 'SUCCEEDED' | 'FAILED';
  /** Whether the action was signed; an unsigned one may end only while it is still unsigned. */
  signed: boolean;
  /** When a node took a transaction of it first; absent: not known. */
  sentAt?: number | undefined;
  locator: string | null;
  contractAddress: string | null;
  height: number | null;
  /** When its block was made, in ms; null: the ledger did not say. */
  blockTime: number | null;
  fee: string | null;
  /** JSON. */
  details: string | null;
  problem: ProblemDocument | null;
}

/** An action whose transaction is over, and that needs another one. */
export interface Continuation {
  actionId: string;
  /** The transaction that is over. */
  txId: string;
  /** Null: it expired, and what it was prepared by is prepared again. */
  plan: JsonObject | null;
  /** When a node took a transaction of it first; absent: not known. */
  sentAt?: number | undefined;
  /** Why, for people. */
  detail: string;
  /** Something of the action stands on the ledger: its deadline stops it no more. */
  executed: boolean;
  /** Milliseconds. */
  delay: number;
}

/** A failure without a transaction of its own on the ledger. */
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

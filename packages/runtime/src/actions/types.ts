import type { JsonObject } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import type { Paging, Problem, ProblemDocument, Secret } from '@ledger-ops/base';
import type { Glo, Override } from '@ledger-ops/glo-core';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { Page } from '../page.ts';
import type { PendingCode } from '../pending-codes.ts';

/** A parsed request to run an operation. All forms of section 4.1 become one of these. */
export interface SendRequest {
  glo: Glo;
  walletId: string;
  walletPassword: Secret;
  /** The other wallets that its meta names, which sign too or pay. */
  wallets?: readonly { walletId: string; walletPassword: Secret }[];
  dependencies: readonly string[];
  /** UUID or null. */
  intent: string | null;
  tag: string | null;
  /** Kept with the action, and shown with it. */
  context?: string | null;
  /** How the contract that it deploys from a template is to be registered; absent: by the action's id. */
  registration?: { contractId: string | null; name: string | null };
  /** RFC 3339. */
  deadline?: string;
  /** Client's own action id (cloud wallet); unique in the project. */
  actionId?: string;
  /** When given, must be the wallet's ledger. */
  ledgerId?: string;
  pluginId?: string;
  /** Pointers of problems are given relative to these. */
  pointers: {
    glo: string;
    walletId: string;
    walletPassword: string;
    /** Absent: the request has no place for other wallets. */
    wallets?: string;
    dependencies: string;
    intent: string;
    deadline: string;
    ledgerId: string;
    /** Of the registration's `contractId`. */
    contractId?: string;
  };
}

export interface AcceptedAction {
  actionId: string;
  intent: string | null;
  status: 'PENDING';
  /** Options whose value meta changed. */
  overrides: Override[];
}

/** Operations that are sent in one request, and stored in one transaction. */
export interface BatchRequest {
  /** `name`: by which others of the batch depend on it; a problem where it could not be read. */
  operations: readonly { name: string | null; request: SendRequest | Problem }[];
  /** Nothing is accepted unless all are. */
  allOrNothing: boolean;
}

/** Results of the operations, in the order of the batch; `withheld`: fit to be accepted, but others were not. */
export type BatchResult =
  | { readonly outcome: 'accepted'; readonly action: AcceptedAction }
  | { readonly outcome: 'refused'; readonly problem: Problem }
  | { readonly outcome: 'withheld' };

export interface ActionView {
  /** As `onChange` names it. */
  uid: string;
  /** As its project names it: the id that its sender chose, else its uid. */
  actionId: string;
  contractAddress: string | null;
  createdAt: number;
  updatedAt: number;
  dependencies: string[];
  intent: string;
  ledgerId: string | null;
  locator: string | null;
  /** Where the transaction can be looked at; null where no explorer is known, or there is no transaction yet. */
  explorerUrl: string | null;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  tag: string | null;
  /** The sender's own text, kept with it. */
  context: string | null;
  walletId: string;
  /** Other results that its ledger told at its end, e.g. the return value of the call. */
  details: JsonObject | null;
  problem: ProblemDocument | null;
  /** The ledger took back what it ended with: since when, why, and what stands there instead. */
  retracted: { at: number; detail: string; by?: string } | null;
  /** Why it is pending: a code for programs, and in words for people. */
  pending: { stage: 'blocked' | 'ready' | 'signed'; code: PendingCode; detail: string } | null;
}

export interface WalletActionsQuery extends Paging {
  /** Only among these, by their senders' ids, as `onChange` tells them; never ids that a caller gives. */
  ids?: readonly string[];
  /** In the order of changes, and without a total. */
  changedAfter?: ChangePlace;
  intent?: string;
  status?: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  ledgerId?: string;
  tag?: string;
  /** Milliseconds since the epoch, inclusive. */
  from?: number;
  to?: number;
}

/** A place in the order in which actions changed. */
export interface ChangePlace {
  /** Milliseconds since the epoch. */
  updatedAt: number;
  /** Of the action that changed then; empty: before all of them. */
  uid: string;
}

export interface ChangesQuery {
  /** One of the two is given. */
  intent?: string | undefined;
  wallet?: string | undefined;
  after: ChangePlace;
  /** Most actions that are answered; fewer may be, and yet there are more. */
  size: number;
}

export interface OverviewQuery {
  /** The `next` of the page before; absent: from the first on. */
  cursor?: string | undefined;
  /** Which come first; default: the newest. */
  order?: 'newest' | 'oldest' | undefined;
  /** Most actions that are answered; fewer may be, and yet there are more. */
  size: number;
  status?: ActionView['status'] | undefined;
  stage?: 'blocked' | 'ready' | 'signed' | undefined;
  ledgerId?: string | undefined;
  /** Id of the sending wallet. */
  wallet?: string | undefined;
  /** Another project than the caller's own: for who sees all of the installation. */
  project?: string | undefined;
  tag?: string | undefined;
  intent?: string | undefined;
  /** serviceId of who sent it. */
  caller?: string | undefined;
  type?: 'transfer' | 'contract_call' | 'contract_deploy' | undefined;
  /** Id or address of the contract that is called, or was deployed. */
  contract?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  from?: number | undefined;
  to?: number | undefined;
  /** Why it is pending, as `counts` counts it; with the status PENDING. */
  code?: PendingCode | undefined;
  /** Accepted at this time or before; with the status PENDING. */
  pendingSince?: number | undefined;
}

/** An action with what is known of it beside its search result. */
export interface ActionOverview extends ActionView {
  /** Null: the project is deleted. */
  projectId: string | null;
  type: 'transfer' | 'contract_call' | 'contract_deploy' | null;
  /** As the operation names it: an id or address of what is called, or the template of what is deployed. */
  contract: string | null;
  method: string | null;
  recipient: string | null;
  /** Native currency that goes along, in the smallest unit. */
  amount: string | null;
  /** The native currency; null: there is none, or the plugin that planned the action was not used here since the start. */
  unit: { symbol: string; decimals: number } | null;
  /** Paid, in the smallest unit. */
  fee: string | null;
  blockHeight: number | null;
  /** When that block was made, as the ledger says; null: it does not. */
  blockTime: number | null;
  endedAt: number | null;
  creator: { serviceId: string; appId: string };
}

/** Everything that is kept of an action. */
export interface ActionDetails extends ActionOverview {
  /** Of the W3C trace that its acceptance and its execution are recorded in, where traces are. */
  traceId: string;
  /** The operation as it was accepted, meta heeded, without what is secret. */
  operation: JsonObject;
  /** Of the method or the constructor, as they were sent; null: there are none. */
  arguments: string[] | null;
  /** Changes that meta made in the operation. */
  overrides: Override[];
  /** Those of the actions it depends on that the caller may see. */
  dependsOn: { actionId: string; status: ActionView['status'] }[];
  /** Since when it waits for what `pending` tells; null: it does not wait, or that is not known. */
  waitingSince: number | null;
  /** It was asked for, and is not done. */
  change: 'cancel' | 'hurry' | null;
  /** When it fails unless it is signed by then; null: it has ended, or what is half done goes on. */
  deadline: number | null;
  /** Its transactions, oldest first. */
  attempts: {
    txId: string;
    kind: 'main' | 'bump' | 'noop';
    sequence: number | null;
    /** When it was signed. */
    at: number;
    /** The ledger's newest block then, as far as it was known. */
    signedAtHeight: number | null;
    settledAt: number | null;
    /** The most that it could take of the native currency, in the smallest unit. */
    maxCost: string;
    /** Of the one that the ledger executed: what was paid, and its block. */
    fee: string | null;
    blockHeight: number | null;
    /** The last height at which the ledger may execute it; null: it does not expire. */
    validUntil: number | null;
    /** The one that was signed next, in its place or after it. */
    replacedBy: string | null;
    /** Why it took the place of the one before. */
    reason: string | null;
  }[];
  /** When it was signed first. */
  signedAt: number | null;
  /** When a node took it first; null: that is not known, or did not happen yet. */
  sentAt: number | null;
  /** The newest actions that depend on it. */
  dependents: string[];
}

export interface CountsQuery {
  project?: string | undefined;
  ledgerId?: string | undefined;
}

export interface ActionCounts {
  status: Record<ActionView['status'], number>;
  /** Of those that are pending. */
  stage: Record<'blocked' | 'ready' | 'signed', number>;
  /** The same by their reasons, as they are shown. */
  pending: Partial<Record<PendingCode, number>>;
  /** When the oldest of those that are pending was accepted; null: none is. */
  oldestPendingAt: number | null;
  /** False: there are so many pending actions that `stage` and `pending` count the newest only. */
  complete: boolean;
}

export interface EmulateActionRequest {
  glo: Glo;
  /** Wallet whose point of view is taken; optional for view methods when a ledgerId is given. */
  walletId?: string;
  ledgerId?: string;
  /**
   * The ledger is asked by the wallet itself, with a signature, where its adapter declares `signedEmulation`; needs
   * `wallet:transact`. Absent: by an identity of the ledger's own.
   */
  walletPassword?: Secret;
  pointers: { glo: string; walletId: string; ledgerId: string; walletPassword?: string };
}

export interface EmulatedAction {
  result: unknown;
  fee: string | null;
  figures: Record<string, unknown>;
  overrides: Override[];
  /** Reasons why the same operation, sent, may end otherwise. */
  warnings: string[];
}

/** `walletPassword`: needed where nothing is kept that signs what takes the place of what is signed. */
export interface CancelRequest {
  walletPassword?: Secret;
}

export interface HurryRequest extends CancelRequest {
  /** The most for a unit of the ledger's fee, in its smallest unit; beside the ledger's own cap. */
  maxFee?: bigint;
}

export interface Actions {
  /**
   * Accepts an operation: once this resolves, it survives any crash and happens exactly once.
   * @throws Problem
   */
  send(principal: Principal, request: SendRequest, claim?: IdempotencyClaim): Promise<AcceptedAction>;
  /**
   * Accepts operations as {@link send} does, those that can be, all in one transaction. Names of operations of the batch
   * stand among `dependencies` beside ids. Where no result is `accepted`, nothing was stored.
   * @param answer the response to what was accepted, which is stored with it for the claim
   * @throws Problem `invalid-request` where operations wait for each other in a circle
   */
  sendBatch(
    principal: Principal,
    batch: BatchRequest,
    answer: (results: readonly BatchResult[]) => object,
    claim?: IdempotencyClaim,
  ): Promise<readonly BatchResult[]>;
  /**
   * Ends an action that is not signed. Of one that is signed, another transaction is to take its nonce: which of the two
   * is mined decides. Asked again, it answers the same.
   * @throws Problem `not-found`, `not-permitted`, `wrong-wallet-password`, `conflict` where it has ended or was sent to a
   * ledger that takes nothing back
   */
  cancel(
    principal: Principal,
    actionId: string,
    request: CancelRequest,
    claim?: IdempotencyClaim,
  ): Promise<ActionView>;
  /** Offers the ledger a higher fee for a signed action. @throws Problem as `cancel` does */
  hurry(
    principal: Principal,
    actionId: string,
    request: HurryRequest,
    claim?: IdempotencyClaim,
  ): Promise<ActionView>;
  /** @throws Problem `not-found` */
  get(principal: Principal, actionId: string): Promise<ActionView>;
  /** Unknown and invisible ids are left out; order of the request. */
  byIds(principal: Principal, actionIds: readonly string[]): Promise<ActionView[]>;
  byIntents(principal: Principal, intents: readonly string[]): Promise<ActionView[]>;
  /**
   * Where the wallet sends or receives. Of a received action whose sender the caller may not read it shows, and heeds
   * in filters and orders, what the ledger makes public; it has an id of its own there, which names nothing elsewhere.
   */
  byWallet(principal: Principal, walletId: string, query: WalletActionsQuery): Promise<Page<ActionView>>;
  /**
   * Actions that changed after a place, each as it is now, in the order of their last changes; as the searches show them.
   * `next` is null at the end.
   */
  changes(
    principal: Principal,
    query: ChangesQuery,
  ): Promise<{ items: ActionView[]; next: ChangePlace | null }>;
  /**
   * All actions that the caller may see; who may read the installation's wallets sees those of all projects.
   * `next` is null at the end, else the cursor of the next page.
   * @throws Problem `not-found`, `invalid-request`
   */
  overview(
    principal: Principal,
    query: OverviewQuery,
  ): Promise<{ items: ActionOverview[]; next: string | null }>;
  /** One of those that `overview` lists. @throws Problem `not-found` */
  describe(principal: Principal, actionId: string): Promise<ActionDetails>;
  /** How many actions the caller may see. @throws Problem `not-found` */
  counts(principal: Principal, query: CountsQuery): Promise<ActionCounts>;
  emulate(principal: Principal, request: EmulateActionRequest): Promise<EmulatedAction>;
  /** Status by transaction id or action id (cloud wallet); null where unknown or invisible. */
  byTransaction(principal: Principal, ids: readonly string[]): Promise<(ActionView | null)[]>;
  /** Calls back after each committed change of an action, on every server. */
  onChange(listener: (uids: readonly string[]) => void): () => void;
}

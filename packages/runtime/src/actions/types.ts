import type { JsonObject } from '@ledger-ops/adapter';
import type { Paging, Problem, ProblemDocument, Secret } from '@ledger-ops/base';
import type { Glo, Override } from '@ledger-ops/glo-core';
import type { PendingCode } from '../pending-codes.ts';
import type { Change } from '../rows/model.ts';

/** A parsed request to run an operation. Requests in all forms are converted to this type. */
export interface SendRequest {
  glo: Glo;
  walletId: string;
  walletPassword: Secret;
  /** Other wallets, named in meta, that co-sign or pay. */
  wallets?: readonly { walletId: string; walletPassword: Secret }[];
  dependencies: readonly string[];
  /** A UUID. */
  intent: string | null;
  tag: string | null;
  /** The caller's note; stored and returned with the action. */
  context?: string | null;
  /**
   * How to register a contract that is deployed from a template. If absent, the contract is registered under
   * the action's id.
   */
  registration?: { contractId: string | null; name: string | null };
  /** RFC 3339. */
  deadline?: string;
  /** The action id that the client chose (cloud wallet API); unique in the project. */
  actionId?: string;
  /** Id of the ledger; if present, it must be the ledger of the wallet. */
  ledgerId?: string;
  pluginId?: string;
  /** JSON Pointers of the values above, for problem documents. */
  pointers: {
    glo: string;
    walletId: string;
    walletPassword: string;
    /** Pointer to the other wallets; absent if this request form does not support other wallets. */
    wallets?: string;
    dependencies: string;
    intent: string;
    deadline: string;
    ledgerId: string;
    /** Pointer to the registration's `contractId`. */
    contractId?: string;
  };
}

export interface AcceptedAction {
  actionId: string;
  intent: string | null;
  status: 'PENDING';
  /** Options of the GLO whose values `meta` replaced. */
  overrides: Override[];
}

/** Operations of one request, stored in one transaction. */
export interface BatchRequest {
  /**
   * Other operations of the batch use `name` to depend on this one. `request` is a problem if the operation could not
   * be parsed.
   */
  operations: readonly { name: string | null; request: SendRequest | Problem }[];
  /** Whether all operations are refused if one of them is refused. */
  allOrNothing: boolean;
}

/**
 * The result of one operation. `withheld`: the operation passed its checks but was not accepted, because another
 * operation of the batch failed its checks.
 */
export type BatchResult =
  | { readonly outcome: 'accepted'; readonly action: AcceptedAction }
  | { readonly outcome: 'refused'; readonly problem: Problem }
  | { readonly outcome: 'withheld' };

export interface ActionView {
  /** The id assigned by the service, which `onChange` reports. */
  uid: string;
  /** The id that the caller chose for the action; otherwise the uid. */
  actionId: string;
  contractAddress: string | null;
  createdAt: number;
  updatedAt: number;
  dependencies: string[];
  intent: string;
  ledgerId: string | null;
  locator: string | null;
  /** URL of the transaction in an explorer; null if no explorer is known or there is no transaction yet. */
  explorerUrl: string | null;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  tag: string | null;
  /** The note of the caller that sent the action. */
  context: string | null;
  walletId: string;
  /** Other results that the ledger reported on completion, such as the return value of a call. */
  details: JsonObject | null;
  problem: ProblemDocument | null;
  /** Set if a reorg removed the transaction after it was final: when, why, and which transaction replaced it. */
  retracted: { at: number; detail: string; by?: string } | null;
  /** Why the action is pending: a code for programs and a user-facing message. */
  pending: { stage: 'blocked' | 'ready' | 'signed'; code: PendingCode; detail: string } | null;
}

export interface WalletActionsQuery extends Paging {
  /** Only actions with these uids are returned. The uids must not come from a caller. */
  ids?: readonly string[];
  /**
   * Returns only actions that changed after this position, in the order of their changes and without a total.
   */
  changedAfter?: ChangePlace;
  intent?: string;
  status?: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  ledgerId?: string;
  tag?: string;
  /** Milliseconds since the epoch, inclusive. */
  from?: number;
  to?: number;
}

/** A position in the order of changes. */
export interface ChangePlace {
  /** Milliseconds since the epoch. */
  updatedAt: number;
  /** Uid of the action that changed at that time. Empty for the position before all changes at that time. */
  uid: string;
}

export interface ChangesQuery {
  /** A query for actions. Exactly one of `intent` and `wallet` is set. */
  intent?: string | undefined;
  wallet?: string | undefined;
  after: ChangePlace;
  /** Maximum number of actions to return. A page may contain fewer actions even if more pages follow. */
  size: number;
}

export interface OverviewQuery {
  /** The `next` of the previous page; absent for the first page. */
  cursor?: string | undefined;
  /** Default: `newest`. */
  order?: 'newest' | 'oldest' | undefined;
  /** Maximum number of actions to return. A page may contain fewer actions even if more pages follow. */
  size: number;
  /** `CANCELED` selects the `FAILED` actions that a caller canceled. */
  status?: ActionView['status'] | 'CANCELED' | undefined;
  stage?: 'blocked' | 'ready' | 'signed' | undefined;
  ledgerId?: string | undefined;
  /** Id of the sending wallet. */
  wallet?: string | undefined;
  /** A project other than the caller's own, for callers that may see the whole installation. */
  project?: string | undefined;
  tag?: string | undefined;
  intent?: string | undefined;
  /** serviceId of the caller that sent the action. */
  caller?: string | undefined;
  type?: 'transfer' | 'contract_call' | 'contract_deploy' | undefined;
  /** Id or address of the called or deployed contract. */
  contract?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  from?: number | undefined;
  to?: number | undefined;
  /** A pending reason as returned by `counts`. Only with the status PENDING. */
  code?: PendingCode | undefined;
  /** Selects actions accepted at this time or earlier. Only with the status PENDING. */
  pendingSince?: number | undefined;
}

/** A search result with additional data about the action. */
export interface ActionOverview extends ActionView {
  /** Null if the project was deleted. */
  projectId: string | null;
  type: 'transfer' | 'contract_call' | 'contract_deploy' | null;
  /**
   * The contract as the operation names it: id or address of the called contract, or the template of a
   * deployment.
   */
  contract: string | null;
  method: string | null;
  /** The first arguments of the method or constructor, shortened for lists; null if there are none. */
  argumentsPreview: string[] | null;
  recipient: string | null;
  /** Names of the records that the caller may read; null for a record without a registered name. */
  names: {
    /** Name of the called or deployed contract, or of the deployed template. */
    contract: string | null;
    /** Id of the wallet at the receiving address. */
    recipient: string | null;
    /** For each argument in `argumentsPreview`: the id of the wallet with this address, or null. */
    arguments: (string | null)[];
  };
  /** Amount of native currency that the operation transfers, in the smallest unit. */
  amount: string | null;
  /**
   * The ledger's native currency. Null if the ledger has none, or if this server has not used the action's
   * plugin since it started.
   */
  unit: { symbol: string; decimals: number } | null;
  /**
   * Fee paid, in the smallest unit. Null if the fee is not known yet, or if the plugin does not report fees.
   */
  fee: string | null;
  blockHeight: number | null;
  /** The ledger's timestamp of the block; null if the ledger does not report it. */
  blockTime: number | null;
  endedAt: number | null;
  creator: { serviceId: string; appId: string };
}

/** All stored details of an action. */
export interface ActionDetails extends ActionOverview {
  /** Id of the W3C trace that records acceptance and execution, if tracing is on. */
  traceId: string;
  /** The accepted operation, with meta applied and secrets removed. */
  operation: JsonObject;
  /** Arguments of the method or constructor, as sent; null if there are none. */
  arguments: string[] | null;
  /** Options of the GLO that `meta` replaced. */
  overrides: Override[];
  /** The dependencies that the caller may see. */
  dependsOn: { actionId: string; status: ActionView['status'] }[];
  /** When the reason in `pending` began. Null if the action is not waiting, or if the time is unknown. */
  waitingSince: number | null;
  /** A change request that is not completed yet. */
  change: Change['kind'] | null;
  /** The change requests that are possible now. Omits those that would certainly be rejected. */
  changes: Change['kind'][];
  /** Time at which the action fails if it is not signed. Null if the action is final or partly executed. */
  deadline: number | null;
  /** Transactions of the action, oldest first. */
  attempts: {
    /** The ledger's transaction id. With a remote plugin, the plugin's id until the ledger's id is known. */
    txId: string;
    /** Whether the ledger executed this transaction. */
    executed: boolean;
    /**
     * `outside`: a user marked the action as executed by this transaction, which the service did not sign.
     */
    kind: 'main' | 'bump' | 'noop' | 'outside';
    sequence: number | null;
    /** When the transaction was signed or, for `outside`, when the action was marked. */
    at: number;
    /** The newest block of the ledger that was known at that time. */
    signedAtHeight: number | null;
    settledAt: number | null;
    /** The maximum cost in native currency, in the smallest unit; null if the plugin reports no cost. */
    maxCost: string | null;
    /**
     * The fee paid, and the block; null unless the ledger executed this transaction and the plugin reports these
     * values.
     */
    fee: string | null;
    blockHeight: number | null;
    /**
     * The last height at which the ledger may execute the transaction; null if the transaction does not
     * expire.
     */
    validUntil: number | null;
    /** Id of the transaction that was signed next for the action; null for the newest one. */
    replacedBy: string | null;
    /** Why this transaction replaced the previous one. */
    reason: string | null;
  }[];
  /** Time of the first signature. */
  signedAt: number | null;
  /**
   * When a node first accepted one of the transactions. Null if no node has accepted any yet, or if the time
   * is unknown.
   */
  sentAt: number | null;
  dependents: string[];
}

export interface CountsQuery {
  project?: string | undefined;
  ledgerId?: string | undefined;
}

export interface ActionCounts {
  status: Record<ActionView['status'], number>;
  stage: Record<'blocked' | 'ready' | 'signed', number>;
  /** Numbers of pending actions by the reason that users see. */
  pending: Partial<Record<PendingCode, number>>;
  /** When the oldest pending action was accepted; null if none is pending. */
  oldestPendingAt: number | null;
  /** False if there are too many pending actions, so `stage` and `pending` count only the newest ones. */
  complete: boolean;
}

export interface EmulateActionRequest {
  glo: Glo;
  /** The wallet that the call runs as. */
  walletId?: string;
  /** The ledger of a call without a wallet; by default, the ledger of the registered contract that `glo` calls. */
  ledgerId?: string;
  /**
   * If present, the wallet signs the request to the ledger. This requires `wallet:transact` and an adapter with the
   * capability `signedEmulation`. If absent, the request uses the ledger's own identity.
   */
  walletPassword?: Secret;
  pointers: { glo: string; walletId: string; ledgerId: string; walletPassword?: string };
}

export interface EmulatedAction {
  result: unknown;
  fee: string | null;
  figures: Record<string, unknown>;
  overrides: Override[];
  /** Reasons why the operation may have another result when it is sent. */
  warnings: string[];
}

/** `walletPassword` is required if no stored grant can sign the replacement transaction. */
export interface CancelRequest {
  walletPassword?: Secret;
}

export interface HurryRequest extends CancelRequest {
  /** Maximum fee per unit, in the ledger's smallest unit, which applies in addition to the ledger's own cap. */
  maxFee?: bigint;
}

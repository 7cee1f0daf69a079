import type {
  AdapterProblem,
  ContractEvents,
  ContractEventsRequest,
  Json,
  JsonObject,
  RequestResult,
  TechnologyDescription,
} from '@ledger-ops/adapter';
import type { RemoteOperation } from '@ledger-ops/adapter/cloud-wallet';
import type { OperationType } from '@ledger-ops/glo-core';

/**
 * The contract of a remote plugin, which keeps its own keys and speaks the cloud wallet protocol. It is
 * smaller than the contract of an adapter.
 *
 * How a host uses it:
 * 1. Store a row for the action, then call `send`.
 * 2. A missing answer (an AdapterError with the code `unavailable`, `timeout` or `adapter-fault`) proves nothing: the plugin may
 *    have received the request. Call `send` again with the same request until there is an answer. `actionId` is the
 * idempotency key: the plugin executes it once, even if it is sent several times.
 * 3. Any other AdapterError is a refusal: nothing was executed and nothing will be. The action has failed.
 * 4. Store the answer. While it is `PROCESSING`, call `status` with its `txId`, in batches, until it is `SUCCEEDED` or
 *    `FAILED`; both are final. `UNKNOWN` after an answered `send` means that the plugin lost the action, which an
 *    operator must investigate. Sending again could execute it twice, so the action stays pending with that reason, and
 *    continues when the plugin knows it again.
 *
 * `walletId` is unique among the wallets of one plugin, across projects. `secret` is a random string of that
 * wallet with at least 32 bytes, never a user's password.
 */
export interface RemoteAdapterDefinition {
  /** Distinguishes a remote plugin from an adapter, whose keys the host holds. */
  custody: 'remote';
  name: string;
  technology: string;
  version: string;
  /** Version of the interface that it implements (semver). Both contracts share one number. */
  interfaceVersion: string;
  capabilities: RemoteCapabilities;
  /** Description of its technology, if it has one. */
  description?: TechnologyDescription;
  /** The ledgers to which it is restricted. If absent, it is not known which ledgers it serves. */
  ledgers?: readonly string[];
  /** Returns a ledger of the plugin. Sends no request and cannot fail. */
  open(ledgerId: string): RemoteLedger;
}

/** Capabilities of a remote plugin. The host relies on the declaration and never probes. */
export interface RemoteCapabilities {
  operations: readonly OperationType[];
  /** Checks operations without executing them. */
  checks: boolean;
  /** Dry runs. */
  emulations: boolean;
  /**
   * Whether other wallets of the plugin can sign or pay: those in the `x-wallet` members of native content.
   */
  coSigners?: boolean | undefined;
  /** Reads the events of contracts. */
  contractEvents?: boolean | undefined;
}

/** Arguments of `send`: an operation with the wallets and secrets that sign it. */
export interface RemoteSend extends RemoteOperation {
  /** Idempotency key. */
  actionId: string;
  walletId: string;
  secret: string;
  /** Other wallets that sign or pay. */
  others?: readonly { walletId: string; secret: string }[];
}

/** State of a sent transaction. */
export type RemoteState = 'PROCESSING' | 'SUCCEEDED' | 'FAILED';

/** Answer to `send`. */
export interface RemoteSubmission {
  /** The ledger's transaction id if it is known, otherwise an id of the plugin. `status` accepts it. */
  txId: string;
  status: RemoteState;
  /** Set if it failed. */
  problem?: AdapterProblem;
}

/** Answer to `status`, for one id. */
export interface RemoteStatus {
  /** The id as requested. */
  txId: string;
  status: RemoteState | 'UNKNOWN';
  /** The ledger's transaction id. */
  locator?: string;
  contractAddress?: string;
  /** The transaction's block; absent if the plugin does not report it. */
  blockHeight?: number;
  /** When its block was produced, in milliseconds since 1970. */
  blockTime?: number;
  /** The fee paid, in the smallest unit of the ledger's currency. */
  fee?: bigint;
  /** Ids of all transactions that the plugin sent to the ledger for the action, oldest first. */
  transactions?: string[];
  problem?: AdapterProblem;
  /** Requests to the ledger's nodes that the plugin reports. */
  requests?: NodeRequest[];
}

/** A completed request to a node. */
export interface NodeRequest {
  method: string;
  result: RequestResult;
  milliseconds: number;
}

/** A ledger behind a remote plugin. Every method may throw AdapterError. */
export interface RemoteLedger {
  /** Returns the same address if it is called again with the same secret. */
  createWallet(request: {
    walletId: string;
    secret: string;
    parameters?: Readonly<Record<string, string>>;
  }): Promise<{ address: string }>;
  send(request: RemoteSend): Promise<RemoteSubmission>;
  /** Returns one answer per id, in the same order. */
  status(txIds: readonly string[]): Promise<RemoteStatus[]>;
  /** Called only if `checks` is declared. @throws AdapterError if the operation is rejected */
  check(request: RemoteOperation & { walletId: string; others?: readonly string[] }): Promise<RemoteChecked>;
  /** Called only if `emulations` is declared. */
  emulate(
    request: RemoteOperation & { walletId?: string; systemContracts?: boolean },
  ): Promise<RemoteEmulated>;
  /** Called only if `contractEvents` is declared. @throws AdapterError `adapter-fault` for an impossible page */
  contractEvents(request: ContractEventsRequest): Promise<RemoteEvents>;
}

/** An operation that passed a check. */
export interface RemoteChecked {
  /** The maximum amount of native currency that the operation can take from the wallet, if known. */
  cost?: bigint;
  /** The maximum amount that the operation can take from other wallets. */
  costs?: { address: string; amount: bigint }[];
  /** Addresses of other accounts that receive something. */
  recipients: string[];
}

/** A page of contract events. */
export interface RemoteEvents extends ContractEvents {
  /** Requests to the ledger's nodes that the plugin reports. */
  requests?: NodeRequest[];
}

/** Result of a dry run. */
export interface RemoteEmulated {
  result: Json;
  fee?: bigint;
  figures?: JsonObject;
}

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
 * The second, smaller contract: a remote plugin, which keeps its own keys and speaks the cloud wallet protocol.
 *
 * How a host drives it
 * 1. Write a durable row for the action, then call `send`.
 * 2. No answer (an AdapterError whose code is `unavailable`, `timeout` or `adapter-fault`) proves nothing: the
 *    plugin may have it. Call `send` again with the same request, until there is an answer. `actionId` is the
 *    idempotency key: however often it is sent, it is executed once.
 * 3. Any other AdapterError is a refusal: nothing was executed and nothing will be. The action has failed.
 * 4. An answer is stored. While it says `PROCESSING`, ask `status` for its `txId`, in batches, until it says
 *    `SUCCEEDED` or `FAILED`; both are final. `UNKNOWN` after an answered `send` means that the plugin lost what
 *    it had promised to keep: a fault of the plugin that a person must look at. Sending again could execute twice.
 *    The action stays pending, says so, and goes on when the plugin knows it again.
 *
 * `walletId` is unique among the wallets of one plugin, whatever project they are in, and `secret` is a random
 * text of that wallet, at least 32 bytes of it, never a user's password.
 */
export interface RemoteAdapterDefinition {
  /** Tells it from an adapter whose keys the host holds. */
  custody: 'remote';
  name: string;
  technology: string;
  version: string;
  /** Version of the interface that it speaks (semver); one number for both contracts. */
  interfaceVersion: string;
  capabilities: RemoteCapabilities;
  /** Its technology, described; absent where it does not say. */
  description?: TechnologyDescription;
  /** The ledgers that it serves; absent where it does not say. */
  ledgers?: readonly string[];
  /** A ledger of the plugin. Asks nothing and cannot fail. */
  open(ledgerId: string): RemoteLedger;
}

/** The powers of a remote plugin. Declared, never discovered by trying. */
export interface RemoteCapabilities {
  operations: readonly OperationType[];
  /** Tells before it executes whether an operation is in order. */
  checks: boolean;
  /** Dry runs. */
  emulations: boolean;
  /** Other wallets of the plugin sign too, or pay: those that `x-wallet` members of native content name. */
  coSigners?: boolean | undefined;
  /** It reads what contracts tell. */
  contractEvents?: boolean | undefined;
}

/** An operation of a wallet. */
export interface RemoteSend extends RemoteOperation {
  /** Idempotency key. */
  actionId: string;
  walletId: string;
  secret: string;
  /** Wallets that sign too, or pay. */
  others?: readonly { walletId: string; secret: string }[];
}

/** State of what was sent. */
export type RemoteState = 'PROCESSING' | 'SUCCEEDED' | 'FAILED';

/** Answer to `send`. */
export interface RemoteSubmission {
  /** The ledger's transaction id where it is known, else an id of the plugin; `status` takes it. */
  txId: string;
  status: RemoteState;
  /** Where it failed. */
  problem?: AdapterProblem;
}

/** Answer to `status`, for one id. */
export interface RemoteStatus {
  /** As it was asked for. */
  txId: string;
  status: RemoteState | 'UNKNOWN';
  /** The ledger's transaction id. */
  locator?: string;
  contractAddress?: string;
  problem?: AdapterProblem;
  /** Requests to the ledger's nodes that the plugin tells with it. */
  requests?: NodeRequest[];
}

/** A request to a node that ended. */
export interface NodeRequest {
  method: string;
  result: RequestResult;
  milliseconds: number;
}

/** A ledger behind a remote plugin. Every method may throw AdapterError. */
export interface RemoteLedger {
  /** Repeated with the same secret it gives the same address. */
  createWallet(request: {
    walletId: string;
    secret: string;
    parameters?: Readonly<Record<string, string>>;
  }): Promise<{ address: string }>;
  send(request: RemoteSend): Promise<RemoteSubmission>;
  /** One answer for each id, in their order. */
  status(txIds: readonly string[]): Promise<RemoteStatus[]>;
  /** Only where `checks` is declared. @throws AdapterError what is wrong with the operation */
  check(request: RemoteOperation & { walletId: string; others?: readonly string[] }): Promise<RemoteChecked>;
  /** Only where `emulations` is declared. */
  emulate(
    request: RemoteOperation & { walletId?: string; systemContracts?: boolean },
  ): Promise<RemoteEmulated>;
  /** Only where `contractEvents` is declared. @throws AdapterError `adapter-fault` for a page that cannot be */
  contractEvents(request: ContractEventsRequest): Promise<RemoteEvents>;
}

/** An operation that passed a check. */
export interface RemoteChecked {
  /** The most native currency that it can take from the wallet, as far as it is known. */
  cost?: bigint;
  /** The same of other wallets. */
  costs?: { address: string; amount: bigint }[];
  /** Addresses of other accounts that receive something by it. */
  recipients: string[];
}

/** A page of what a contract told. */
export interface RemoteEvents extends ContractEvents {
  /** Requests to the ledger's nodes that the plugin tells with it. */
  requests?: NodeRequest[];
}

/** The result of a dry run. */
export interface RemoteEmulated {
  result: Json;
  fee?: bigint;
  figures?: JsonObject;
}

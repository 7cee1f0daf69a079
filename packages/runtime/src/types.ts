import type { ChainIdentity, JsonObject, LedgerSession, SigningRequest } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import type { Paging, ProblemDocument, Secret } from '@ledger-ops/base';
import type { Glo, Override, Technology } from '@ledger-ops/glo-core';
import type { LedgerRecord, NodeRecord } from '@ledger-ops/registry';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { LedgerDefinition } from './ledger-definition.ts';
import type { Log } from './log.ts';
import type { PluginLoader } from './plugins/loader.ts';

export type { IdempotencyClaim, LedgerDefinition, Log };

/** What happens: wallets, signing, actions. */

/** An open ledger: its record and the session on it. Replaced, never changed, when the record changes. */
export interface OpenLedger {
  record: LedgerRecord;
  definition: LedgerDefinition;
  session: LedgerSession;
  /** The plugin that serves it here: uid of its record, or `built-in:` and the adapter's name. */
  pluginUid: string;
  /**
   * Known after first contact. With `everyNode` it is asked anew, and only what all nodes say is answered.
   * @throws Problem `ledger-unavailable`
   */
  chain(request?: { everyNode: true }): Promise<ChainIdentity>;
}

/** A ledger as far as it is described when its nodes are asked. */
export type ProbedLedger = Pick<LedgerRecord, 'ledgerId' | 'projectUid' | 'technology' | 'properties'>;

export interface Ledgers {
  /**
   * Opens or reuses, with the plugin that is named or, without one (or an empty one), that fits best.
   * `projectUid`: whose wallet it is for; default the ledger's own project.
   * @throws Problem `not-found`, `no-plugin`, `plugin-fault`
   */
  open(ledgerUid: string, wanted?: { pluginId?: string; projectUid?: string }): Promise<OpenLedger>;
  /**
   * With the plugin that planned what was accepted; null when it was deleted or, unless `inactive` is given, is not
   * active.
   * @throws Problem `not-found`, `no-plugin`, `plugin-fault`
   */
  reopen(ledgerUid: string, pluginUid: string, options?: { inactive?: boolean }): Promise<OpenLedger | null>;
  /**
   * The adapter that reads contracts of a technology for a project, where no ledger is named.
   * @throws Problem `no-plugin`, `plugin-fault`
   */
  reader(technology: Technology, projectUid: string): Promise<LedgerDefinition>;
  /**
   * Asks one node which chain it is on, over the plugin that would serve the ledger. Neither has to be recorded.
   * @throws Problem `no-plugin`, `plugin-fault`, `ledger-unavailable`, `ledger-timeout`
   */
  probe(
    ledger: ProbedLedger,
    node: Pick<NodeRecord, 'nodeId' | 'uri' | 'properties'>,
  ): Promise<ChainIdentity>;
  /** False when there is no such ledger, or no more. */
  isRecorded(ledgerUid: string): Promise<boolean>;
  /** False when the ledger's record or the plugin has changed since, or is there no more. */
  isCurrent(open: OpenLedger): Promise<boolean>;
  /** Closes what was replaced and is not in use, and ends the plugins that nobody needs any more. */
  sweep(inUse: (open: OpenLedger) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** A wallet's key while it is needed. Never serialised, never handed to an adapter. */
export interface WalletKey {
  /** Signatures in the order of the requests. @throws when a curve is not the key's. */
  sign(requests: readonly SigningRequest[]): Uint8Array[];
  /** Overwrites the key bytes. */
  destroy(): void;
}

/** What binds a grant: it opens for nothing else. */
export interface GrantBinding {
  actionId: string;
  walletUid: string;
  ledgerUid: string;
  /** Canonical operation text; its SHA-256 is bound. */
  operation: string;
  /** Once it is signed: it signs at this sequence alone. */
  sequence?: number;
}

/** A wallet as stored, in the database's own columns (table `wallet`). */
export interface WalletRow {
  uid: string;
  projectId: string;
  walletId: string;
  ledgerUid: string;
  ledgerId: string;
  chainId: string;
  address: string;
  material: string | null;
  /** JSON array. */
  aliases: string | null;
  renewAt: number | null;
  keyType: string;
  publicKey: Uint8Array;
  sealedSecret: Uint8Array;
  sealedDataKey: Uint8Array;
  kdf: string;
  keyVersion: number;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

/** Who shows a wallet's password, after it was found that it may. */
export type PasswordCaller = Pick<Principal, 'serviceId' | 'appId' | 'projectUid' | 'organizationUid'>;

export interface Vault {
  /**
   * Checks the password and opens the wallet's key. Wrong passwords are throttled per identity and wallet, and per
   * wallet, and stand in the timeline.
   * @throws Problem `wrong-wallet-password`, `too-many-requests`
   */
  unlock(wallet: WalletRow, password: Secret, caller: PasswordCaller): Promise<WalletKey>;
  sealGrant(key: WalletKey, binding: GrantBinding): Uint8Array;
  /** @throws SealError when anything of the binding differs. */
  openGrant(sealed: Uint8Array, keyType: string, binding: GrantBinding): WalletKey;
  /** Seals what stands beside a grant: the part of a plan that is not stored in the clear. */
  sealText(text: string, binding: GrantBinding): Uint8Array;
  /** @throws SealError when anything of the binding differs. */
  openText(sealed: Uint8Array, binding: GrantBinding): string;
}

export interface CreateWalletRequest {
  walletId: string;
  ledgerId: string;
  /**
   * `walletPassword` is required. Ethereum: nothing more, `privateKey`, or `keystore` with `keystorePassword`. Fabric:
   * `certificate` with `privateKey`, or `enrollmentId`, alone or with `enrollmentSecret`.
   */
  pluginParameters: ReadonlyMap<string, Secret>;
}

export interface WalletView {
  walletId: string;
  walletAddress: string;
  ledgerId: string;
  keyType: string;
  createdAt: number;
}

/** A wallet with what its ledger knows of it. */
export interface WalletDetails extends WalletView {
  /** In native currency; null where the ledger has none. */
  balance: bigint | null;
  /** Other names of the account, such as the `x509::` id of a Fabric identity. */
  aliases: string[];
  /** Where the account is a certificate's: it in PEM, and its end in milliseconds since the epoch. */
  certificate: { pem: string; expiresAt: number } | null;
}

/** A wallet's key, encrypted with the password. */
export interface WalletExport {
  format: 'keystore-v3' | 'pem';
  document: string;
  /** The certificate of the key, in PEM, where it has one. */
  certificate?: string;
}

export interface Page<Item> {
  items: Item[];
  total: number;
}

export interface Wallets {
  create(principal: Principal, request: CreateWalletRequest, claim?: IdempotencyClaim): Promise<WalletView>;
  list(principal: Principal, query: Paging & { ledgerId?: string }): Promise<Page<WalletView>>;
  /** With the balance in the smallest unit. @throws Problem `not-found`, `ledger-unavailable` */
  get(principal: Principal, walletId: string): Promise<WalletDetails>;
  /** V3 keystore (secp256k1) or PEM (p256), encrypted with the password. Needs `wallet:export`. */
  export(principal: Principal, walletId: string, password: Secret): Promise<WalletExport>;
  changePassword(principal: Principal, walletId: string, from: Secret, to: Secret): Promise<void>;
  /** The row, when the caller holds the permission on it. @throws Problem `not-found`, `not-permitted` */
  demand(principal: Principal, permission: `wallet:${string}`, walletId: string): Promise<WalletRow>;
}

/** A parsed request to run an operation. All forms of section 4.1 become one of these. */
export interface SendRequest {
  glo: Glo;
  walletId: string;
  walletPassword: Secret;
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
  /** What meta changed in options. */
  overrides: Override[];
}

export interface ActionView {
  /** What `onChange` calls it. */
  uid: string;
  /** What its project calls it: the id that its sender chose, else its uid. */
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
  /** What the sender asked to be kept with it. */
  context: string | null;
  walletId: string;
  /** What else its ledger told of its end, e.g. the result of the call. */
  details: JsonObject | null;
  problem: ProblemDocument | null;
  /** The ledger took back what it ended with: since when, why, and what stands there instead. */
  retracted: { at: number; detail: string; by?: string } | null;
  /** Why it is pending, in words, for people: what it waits for and since when. */
  pending: { stage: 'blocked' | 'ready' | 'signed'; detail: string } | null;
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
  /** Most actions that are looked at. */
  size: number;
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
  /** What may make the result differ from that of the same operation sent. */
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
  emulate(principal: Principal, request: EmulateActionRequest): Promise<EmulatedAction>;
  /** Status by transaction id or action id (cloud wallet); null where unknown or invisible. */
  byTransaction(principal: Principal, ids: readonly string[]): Promise<(ActionView | null)[]>;
  /** Calls back after each committed change of an action, on every server. */
  onChange(listener: (uids: readonly string[]) => void): () => void;
}

export interface Runtime {
  wallets: Wallets;
  actions: Actions;
  ledgers: Ledgers;
  /** Plugins as they run on this server. */
  plugins: Pick<PluginLoader, 'status'>;
  /** Starts the engine's lanes. */
  start(): Promise<void>;
  /** Finishes what is at hand, gives the lanes back, closes sessions. Loses nothing. */
  stop(): Promise<void>;
  /** For readiness: what is wrong, empty when all is well. */
  health(): string[];
  /** For readiness: what is wrong with single nodes of ledgers that are served all the same. */
  warnings(): string[];
}

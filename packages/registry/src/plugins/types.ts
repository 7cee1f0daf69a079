import type { Principal } from '@ledger-ops/auth';
import type { ListResult, Paging } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { LedgerRecord } from '../types.ts';
import type { PluginCredentials } from './credentials.ts';

/** A plugin record, as the runtime uses it. */
export interface PluginRecord {
  /** Uid of the plugin and of its resource. */
  uid: string;
  id: number;
  pluginId: string;
  /** The owning project. Null if the deployer owns the plugin, so that every project can use it. */
  projectUid: string | null;
  /** Organization of its project. */
  organizationUid: string | null;
  name: string;
  url: string;
  active: boolean;
  pluginType: string;
  /** Version of the adapter interface. */
  implementationVersion: string;
  /** Semantic version of the plugin itself; null if it is unknown. */
  version: string | null;
  /**
   * Ids of the ledgers to which it is restricted, as of its last registration, change or activation; null for all ledgers.
   */
  ledgers: readonly string[] | null;
  /** Required `sha512-…` hash of the module; null if it is not pinned. */
  integrity: string | null;
  /** Encrypted credentials, bound to the plugin's uid and URL; null if there are none. */
  credentials: Uint8Array | null;
  tags: readonly string[];
  /** Increases with every change. */
  revision: number;
  /**
   * Counter that increases when the module changes or the plugin is reactivated. Modules that were loaded
   * under a lower value must be reloaded.
   */
  moduleRevision: number;
}

/** The module of a plugin, according to its record. */
export type PluginModule = Pick<PluginRecord, 'uid' | 'url' | 'integrity'>;

/** A plugin that a project may use for a ledger. */
export interface WeighedPlugin {
  plugin: PluginRecord;
  /** Why the plugin is not chosen, as a sentence; null if it is chosen. */
  why: string | null;
}

/** The columns of a new record that are needed to inspect its module. */
export type PluginCandidate = Pick<
  PluginRecord,
  | 'uid'
  | 'pluginId'
  | 'projectUid'
  | 'organizationUid'
  | 'name'
  | 'url'
  | 'active'
  | 'integrity'
  | 'credentials'
>;

/** The module of a candidate. Release it after the record was written or rejected. */
export interface PluginInspection {
  /**
   * The module's definition, or a sentence that says why it cannot be determined yet. `ledgers`: ids of the
   * ledgers to which the module is restricted.
   */
  found:
    | { technology: string; interfaceVersion: string; version: string; ledgers?: readonly string[] }
    | string;
  release(): Promise<void>;
}

/** An adapter built into the server, as listed in its record. */
export interface BuiltInPlugin {
  readonly name: string;
  readonly technology: string;
  readonly interfaceVersion: string;
  /** Version of the adapter itself. */
  readonly version: string;
}

/** A plugin as defined in section 2.6. */
export interface PluginView {
  active: boolean;
  id: string;
  implementationVersion: string;
  name: string;
  pluginType: string;
  /** Id of its project; `system` if the deployer owns it. */
  projectId: string;
  tags: string[];
  url: string;
  /** Extension: semantic version of the plugin itself; null if it is unknown. */
  version: string | null;
  /** Extension: the pinned integrity of the module, or null. */
  integrity: string | null;
  /** Extension: whether requests to the plugin carry credentials. */
  hasCredentials: boolean;
}

/** A plugin that was created or updated. */
export interface WrittenPlugin extends PluginView {
  /** Extension: sentences about likely mistakes, and about facts that can only be determined later. */
  warnings: string[];
}

/** A legacy plugin as defined in section 2.6. */
export interface LegacyPluginView {
  id: number;
  name: string;
  pluginId: string;
  pluginURL: string;
  project: string;
  resourceId: string;
  tags: LegacyTag[];
}

export interface LegacyTag {
  id: number;
  name: string;
}

/** A new plugin. It belongs to the caller's project if `projectId` is absent, and to the deployer if it is `system`. */
export interface NewPlugin {
  name: string;
  projectId?: string;
  url: string;
  /** Default: the interface version of this server. */
  implementationVersion?: string | null;
  /** Version of the plugin itself. Default: the version that its module reports. */
  version?: string | null;
  tags?: readonly string[] | null;
  integrity?: string | null;
  /** Only for remote plugins. Never returned. */
  credentials?: PluginCredentials | null;
  /** Whether the plugin may serve ledgers that other plugins serve now. Default: true. */
  takeOver?: boolean;
}

/**
 * The new values of a plugin. If `implementationVersion` or `integrity` is absent, it stays unchanged. If
 * `version` is absent, the version that the module reports is used if the module is loaded. If it is not
 * loaded, the version stays unchanged, but becomes unknown if the module is another one.
 */
export interface PluginUpdate {
  active: boolean;
  name: string;
  url: string;
  implementationVersion?: string | null;
  version?: string | null;
  integrity?: string | null;
  /**
   * If absent, the credentials stay unchanged, which is only allowed if the URL stays the same. Null removes
   * them.
   */
  credentials?: PluginCredentials | null;
  /** As in `NewPlugin`. */
  takeOver?: boolean;
}

export interface PluginQuery extends Paging {
  /** Id of the project. Plugins of the deployer are listed too. */
  project: string;
  /** Returns only plugins that have all of these tags. */
  tags: readonly string[];
}

/** A new legacy plugin, or an update of one. */
export interface LegacyPluginInput {
  name: string;
  pluginURL: string;
  pluginId?: string | null;
  project?: string | null;
  tags?: readonly { name: string }[] | null;
}

/** Plugin records for a caller. Every function also throws Problem `not-found` and `not-permitted`. */
export interface Plugins {
  /** Sortable by all scalar members. @throws Problem `invalid-request` */
  list(principal: Principal, query: PluginQuery): Promise<ListResult<PluginView>>;
  /** @throws Problem `invalid-request`, `plugin-refused` */
  create(principal: Principal, input: NewPlugin, claim?: IdempotencyClaim): Promise<WrittenPlugin>;
  get(principal: Principal, pluginId: string): Promise<PluginView>;
  /**
   * Returns the uid of the record that `get` returns.
   * @throws Problem `not-found`
   */
  uidOf(principal: Principal, pluginId: string): Promise<string>;
  /** @throws Problem `invalid-request`, `plugin-refused` */
  update(principal: Principal, pluginId: string, input: PluginUpdate): Promise<WrittenPlugin>;
  /** @throws Problem `in-use` that names the ledgers that only this plugin serves */
  delete(principal: Principal, pluginId: string): Promise<void>;
  /**
   * Ignores tags that the plugin already has.
   * @throws Problem `invalid-request`
   */
  addTags(
    principal: Principal,
    pluginId: string,
    tags: readonly string[],
    takeOver?: boolean,
  ): Promise<PluginView>;
  /** Ignores tags that the plugin does not have. */
  removeTags(principal: Principal, pluginId: string, tags: readonly string[]): Promise<PluginView>;

  legacy: LegacyPlugins;

  /**
   * Lists the adapters that are built into the server, as records of the deployer that no request can change. Must be
   * called at each start.
   */
  recordBuiltIn(builtIn: readonly BuiltInPlugin[]): Promise<void>;
  /**
   * Returns all registered plugins, from memory. The result includes every change that any server committed
   * before the call.
   */
  all(): Promise<readonly PluginRecord[]>;
  /** Stores the description that a loaded module reported. It is valid while the plugin has that module. */
  keepDescription(module: PluginModule, description: string): Promise<void>;
  /** Stored descriptions of the modules that these plugins have now, by plugin uid. */
  descriptions(uids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns the counter's value after the last committed change of a plugin. This is cheap, so loaders can
   * poll it.
   */
  revision(): Promise<number>;
  /**
   * Returns the plugin of a ledger for wallets of a project.
   * @throws Problem `no-plugin`
   */
  choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<PluginRecord>;
  /**
   * Returns all plugins that a project may use. Each, except the one that `choose` without an id returns, has the
   * reason why it is not chosen.
   */
  weigh(ledger: LedgerRecord, projectUid: string): Promise<WeighedPlugin[]>;
}

/** The deprecated operations on plugins. */
export interface LegacyPlugins {
  create(principal: Principal, input: LegacyPluginInput, claim?: IdempotencyClaim): Promise<LegacyPluginView>;
  update(principal: Principal, pluginId: string, input: LegacyPluginInput): Promise<LegacyPluginView>;
  delete(principal: Principal, pluginId: string): Promise<void>;
  get(principal: Principal, pluginId: string): Promise<LegacyPluginView>;
  /**
   * If `resourceId` is neither empty nor absent, returns only this plugin. Sortable by all scalar members.
   */
  list(
    principal: Principal,
    query: PluginQuery & { resourceId?: string },
  ): Promise<ListResult<LegacyPluginView>>;
  addTag(principal: Principal, pluginId: string, tag: { name: string }): Promise<LegacyPluginView>;
  removeTag(principal: Principal, pluginId: string, tagName: string): Promise<LegacyPluginView>;
  listTags(principal: Principal, pluginId: string): Promise<LegacyTag[]>;
}

import type { Principal } from '@ledger-ops/auth';
import type { Paging } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { LedgerRecord, ListResult } from '../types.ts';
import type { PluginCredentials } from './credentials.ts';

/** A plugin as the runtime works with it. */
export interface PluginRecord {
  /** Also the id of its resource. */
  uid: string;
  id: number;
  pluginId: string;
  /** Null: of the deployer, usable in every project. */
  projectUid: string | null;
  /** Of its project. */
  organizationUid: string | null;
  name: string;
  url: string;
  active: boolean;
  pluginType: string;
  implementationVersion: string;
  /** `sha512-…` that the module must have; null: not pinned. */
  integrity: string | null;
  /** Sealed, for its uid and url; null: none. */
  credentials: Uint8Array | null;
  tags: readonly string[];
  /** Grows with every change. */
  revision: number;
  /** Grows when its module is another one, or it is activated again: what was loaded under an older one is to be replaced. */
  moduleRevision: number;
}

/** The module of a plugin, as its record has it. */
export type PluginModule = Pick<PluginRecord, 'uid' | 'url' | 'integrity'>;

/** A plugin that a project may use, beside a ledger. */
export interface WeighedPlugin {
  plugin: PluginRecord;
  /** A sentence that says why it is not chosen; null: it is. */
  why: string | null;
}

/** A record that is to be written, as far as its module is asked what it is. */
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

/** The module of a candidate. To be released once the record is written, or was not. */
export interface PluginInspection {
  /** Its own definition; a sentence where that can only be known later. `ledgers`: ids of the only ones that it serves. */
  found: { technology: string; interfaceVersion: string; ledgers?: readonly string[] } | string;
  release(): Promise<void>;
}

/** An adapter that the server was started with, as far as its record tells of it. */
export interface BuiltInPlugin {
  readonly name: string;
  readonly technology: string;
  readonly interfaceVersion: string;
}

/** A plugin of section 2.6. */
export interface PluginView {
  active: boolean;
  id: string;
  implementationVersion: string;
  name: string;
  pluginType: string;
  /** Id of its project; `system` for one of the deployer. */
  projectId: string;
  tags: string[];
  url: string;
  /** Ours: the pinned integrity of the module, or null. */
  integrity: string | null;
  /** Ours: whether it is shown who calls. */
  hasCredentials: boolean;
}

/** A plugin that was written. */
export interface WrittenPlugin extends PluginView {
  /** Ours: sentences about what can only be known later, or is likely not meant. */
  warnings: string[];
}

/** A legacy plugin of section 2.6. */
export interface LegacyPluginView {
  id: number;
  name: string;
  pluginId: string;
  pluginURL: string;
  project: string;
  resourceId: string;
  tags: LegacyTag[];
}

/** A tag of a legacy plugin. */
export interface LegacyTag {
  id: number;
  name: string;
}

/** A new plugin. Without a `projectId` it stands in the caller's project; `system` makes one of the deployer. */
export interface NewPlugin {
  name: string;
  projectId?: string;
  url: string;
  /** Default: the interface version of this server. */
  implementationVersion?: string | null;
  tags?: readonly string[] | null;
  integrity?: string | null;
  /** Of a remote plugin. Never answered. */
  credentials?: PluginCredentials | null;
}

/** The new values of a plugin. Absent `implementationVersion` and `integrity` stay. */
export interface PluginUpdate {
  active: boolean;
  name: string;
  url: string;
  implementationVersion?: string | null;
  integrity?: string | null;
  /** Absent: they stay, unless the url changes; null: there are none any more. */
  credentials?: PluginCredentials | null;
}

/** Which plugins. */
export interface PluginQuery extends Paging {
  /** Id of the project; those of the deployer are listed beside its own. */
  project: string;
  /** Only plugins that have all of them. */
  tags: readonly string[];
}

/** A new legacy plugin, and an update of one. */
export interface LegacyPluginInput {
  name: string;
  pluginURL: string;
  pluginId?: string | null;
  project?: string | null;
  tags?: readonly { name: string }[] | null;
}

/** Plugin records for a caller. Every function throws Problem `not-found`, `not-permitted` and what it names. */
export interface Plugins {
  /** Sortable by all scalar members. @throws Problem `invalid-request` */
  list(principal: Principal, query: PluginQuery): Promise<ListResult<PluginView>>;
  /** @throws Problem `invalid-request`, `plugin-refused` */
  create(principal: Principal, input: NewPlugin, claim?: IdempotencyClaim): Promise<WrittenPlugin>;
  get(principal: Principal, pluginId: string): Promise<PluginView>;
  /** The uid of the record that `get` answers. @throws Problem `not-found` */
  uidOf(principal: Principal, pluginId: string): Promise<string>;
  /** @throws Problem `invalid-request`, `plugin-refused` */
  update(principal: Principal, pluginId: string, input: PluginUpdate): Promise<WrittenPlugin>;
  /** @throws Problem `in-use` naming what only this plugin serves */
  delete(principal: Principal, pluginId: string): Promise<void>;
  /** Tags that it has already are no error. @throws Problem `invalid-request` */
  addTags(principal: Principal, pluginId: string, tags: readonly string[]): Promise<PluginView>;
  /** Tags that it has not are no error. */
  removeTags(principal: Principal, pluginId: string, tags: readonly string[]): Promise<PluginView>;

  legacy: LegacyPlugins;

  /**
   * Makes the listings say which adapters are built into the server: records of the deployer that no request changes.
   * To be called at each start.
   */
  recordBuiltIn(builtIn: readonly BuiltInPlugin[]): Promise<void>;
  /** All plugins that were registered, from memory, as of this call or later: a change is seen at the next call, on every server. */
  all(): Promise<readonly PluginRecord[]>;
  /** Keeps what a module said of itself when it was loaded, for as long as its plugin has that module. */
  keepDescription(module: PluginModule, description: string): Promise<void>;
  /** As it was kept of the modules that these plugins have now, by uid. */
  descriptions(uids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The counter at the last committed change of any plugin. Cheap: for loaders that look for changes. */
  revision(): Promise<number>;
  /**
   * The plugin of a ledger for wallets of a project.
   * @throws Problem `no-plugin`
   */
  choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<PluginRecord>;
  /** All that a project may use, and why each is not the one that `choose` answers without an id. */
  weigh(ledger: LedgerRecord, projectUid: string): Promise<WeighedPlugin[]>;
}

/** The deprecated operations on plugins. */
export interface LegacyPlugins {
  create(principal: Principal, input: LegacyPluginInput, claim?: IdempotencyClaim): Promise<LegacyPluginView>;
  update(principal: Principal, pluginId: string, input: LegacyPluginInput): Promise<LegacyPluginView>;
  delete(principal: Principal, pluginId: string): Promise<void>;
  get(principal: Principal, pluginId: string): Promise<LegacyPluginView>;
  /** `resourceId`: exactly this plugin; empty or absent: all. Sortable by all scalar members. */
  list(
    principal: Principal,
    query: PluginQuery & { resourceId?: string },
  ): Promise<ListResult<LegacyPluginView>>;
  addTag(principal: Principal, pluginId: string, tag: { name: string }): Promise<LegacyPluginView>;
  removeTag(principal: Principal, pluginId: string, tagName: string): Promise<LegacyPluginView>;
  listTags(principal: Principal, pluginId: string): Promise<LegacyTag[]>;
}

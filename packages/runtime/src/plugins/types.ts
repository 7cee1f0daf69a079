import type { ClosedPath, IsolationLevel } from '@ledger-ops/plugin-host';
import type { LedgerRecord, PluginLocation, PluginModule, WeighedPlugin } from '@ledger-ops/registry';
import type { LedgerDefinition } from '../ledger-definition.ts';

/** The columns of a plugin that the loader reads. */
export interface PluginRecord {
  /** Also the id of its resource; stored with each action that the plugin planned. */
  uid: string;
  pluginId: string;
  /** The owning project; null: the deployer's, usable in every project. */
  projectUid: string | null;
  /** The owning organization; null: the deployer's. */
  organizationUid: string | null;
  name: string;
  url: string;
  active: boolean;
  /** `sha512-…` of the module's file; null if not pinned. */
  integrity: string | null;
  /** Credentials of a remote plugin, sealed for its uid and URL; null: none. */
  credentials: Uint8Array | null;
  /** A changed value means that the loaded module must be replaced. */
  moduleRevision: number;
}

/** A record before it is written. */
export type PluginCandidate = Omit<PluginRecord, 'moduleRevision'>;

/** Source of plugin records: the part of the registry that is needed here. */
export interface PluginSource {
  /** All records, as of this call or later. */
  all(): Promise<readonly PluginRecord[]>;
  /**
   * Chooses the plugin of a ledger for wallets of a project.
   * @throws Problem `no-plugin`
   */
  choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<PluginRecord>;
  /** All plugins that a project may use, and why `choose` without an id does not return each of them. */
  weigh(ledger: LedgerRecord, projectUid: string): Promise<WeighedPlugin[]>;
  /** Stores a module's description, for as long as the plugin has that module. */
  keepDescription(module: PluginModule, description: string): Promise<void>;
  /** Stored descriptions of the plugins' current modules, by uid. */
  descriptions(uids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The deployer's settings for modules. */
export interface PluginPolicy {
  /** Checks a URL against the allow-list. @throws Problem `invalid-request` */
  locate(url: string, pointer: string): Promise<PluginLocation>;
  /** Modules that may run in this process. */
  trusted: {
    /** Package names. */
    packages: readonly string[];
    /** Absolute folder paths. */
    folders: readonly string[];
  };
  /** Absolute path of the folder whose `node_modules` contains the packages. */
  folder: string;
  /** Paths that no module in a separate process may read. Absent: none. */
  closed?: readonly ClosedPath[];
  /** Isolation of modules in separate processes. Default: the best that this machine supports. */
  isolation?: 'best' | 'required';
  /**
   * Maximum number of concurrent module processes on this server; an organization cannot use those that are reserved
   * for others. Absent: as many as there are records.
   */
  processes?: number;
}

/** A usable plugin. The same object for as long as it runs the same module. */
export interface LoadedPlugin {
  /** Uid of its record; `built-in:` and the name for an adapter passed in code. */
  readonly uid: string;
  readonly name: string;
  readonly definition: LedgerDefinition;
}

/** The part of a definition that is stored for use when the plugin is not loaded. */
export type KeptDefinition = Pick<
  LedgerDefinition,
  'technology' | 'version' | 'keyType' | 'capabilities' | 'description'
>;

/** The known definition of a plugin. */
export interface KnownPlugin {
  readonly definition: KeptDefinition;
  /** False: the definition was stored when this or another server last loaded the plugin. */
  readonly isLoaded: boolean;
}

/** A plugin whose definition is known. */
export interface OfferedPlugin extends KnownPlugin {
  readonly pluginId: string;
}

/** The plugin that serves a ledger for wallets of a project, and why the others do not. */
export interface PluginSelection {
  /** Null: no plugin is suitable. */
  chosen: { pluginId: string; fault: string | null } | null;
  /** All plugins that the project may use, suitable ones first. */
  candidates: { pluginId: string; name: string; builtIn: boolean; why: string | null }[];
}

/** Status of a plugin on this server. */
export interface PluginStatus {
  /** Whether it was imported and its separate process, if any, responds. */
  loaded: boolean;
  /** Technology; null before the plugin was loaded. */
  technology: string | null;
  /** Version of the adapter; null before the plugin was loaded. */
  version: string | null;
  /** Ids of the ledgers to which it is restricted; null: all ledgers of its technology, or not loaded yet. */
  ledgers: readonly string[] | null;
  /** Milliseconds since the epoch. */
  lastError: { at: number; detail: string } | null;
  /** Moving average of call durations, in milliseconds; null before the first call. */
  latency: number | null;
  /** Number of restarts of its process. */
  restarts: number;
  /** Isolation level of its process; null without a separate process. */
  isolation: IsolationLevel | null;
}

/** Message that a plugin cannot be used. */
export function unusable({ name }: Pick<PluginRecord, 'name'>, why: string): string {
  return `The plugin ${name} cannot be used: ${why}.`;
}

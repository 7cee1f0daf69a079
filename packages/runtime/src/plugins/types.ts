import type { ClosedPath, IsolationLevel } from '@ledger-ops/plugin-host';
import type { LedgerRecord, PluginLocation, PluginModule, WeighedPlugin } from '@ledger-ops/registry';
import type { LedgerDefinition } from '../ledger-definition.ts';

/** A plugin record as the loader reads it. */
export interface PluginRecord {
  /** Id of the record and of its resource. It is stored with each action that the plugin planned. */
  uid: string;
  pluginId: string;
  /** The owning project. Null for a plugin of the deployer, which every project can use. */
  projectUid: string | null;
  /** The owning organization; null for a plugin of the deployer. */
  organizationUid: string | null;
  name: string;
  url: string;
  active: boolean;
  /** Integrity of the module's file (`sha512-…`); null if it is not pinned. */
  integrity: string | null;
  /** Credentials of a remote plugin, encrypted for its uid and URL; null if there are none. */
  credentials: Uint8Array | null;
  /** When this value changes, the loaded module must be replaced. */
  moduleRevision: number;
  /** Ids of the ledgers for which the plugin can be selected; null for all ledgers of its technology. */
  ledgers: readonly string[] | null;
}

/** A plugin record that is not written yet. */
export type PluginCandidate = Omit<PluginRecord, 'moduleRevision' | 'ledgers'>;

/** Source of plugin records: the part of the registry that the runtime uses. */
export interface PluginSource {
  /** Returns all records. The result includes every change that was committed before the call. */
  all(): Promise<readonly PluginRecord[]>;
  /**
   * Chooses the plugin of a ledger for wallets of a project.
   * @throws Problem `no-plugin`
   */
  choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<PluginRecord>;
  /**
   * Returns all plugins that a project may use, each with the reason why `choose` without an id does not return it;
   * without a reason if it does.
   */
  weigh(ledger: LedgerRecord, projectUid: string): Promise<WeighedPlugin[]>;
  /** Stores a module's description. The description is kept as long as the plugin has this module. */
  keepDescription(module: PluginModule, description: string): Promise<void>;
  /** Returns the stored descriptions of the plugins' current modules, by plugin uid. */
  descriptions(uids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** What the deployer allows plugin modules to do. */
export interface PluginPolicy {
  /** Checks a URL against the allow-list. @throws Problem `invalid-request` */
  locate(url: string, pointer: string): Promise<PluginLocation>;
  /** Modules that may run in this process. */
  trusted: {
    /** Names of packages. */
    packages: readonly string[];
    /** Absolute paths of folders. */
    folders: readonly string[];
  };
  /** Absolute path of the folder whose `node_modules` contains the packages. */
  folder: string;
  /** Paths that no module in a separate process may read. Absent if there are none. */
  closed?: readonly ClosedPath[];
  /** Isolation of modules in separate processes. Default: `best`, the best that this machine supports. */
  isolation?: 'best' | 'required';
  /**
   * Maximum number of module processes that run on this server at the same time; one organization cannot use all of
   * them. Default: one for each record.
   */
  processes?: number;
}

/** A plugin that can be used. As long as it runs the same module with the same description, the object is the same. */
export interface LoadedPlugin {
  /** Uid of the plugin's record or, for an adapter that was passed in code, `built-in:` and its name. */
  readonly uid: string;
  readonly name: string;
  readonly definition: LedgerDefinition;
}

/** The part of a definition that is stored, so that it is known while the plugin is not loaded. */
export type KeptDefinition = Pick<
  LedgerDefinition,
  'technology' | 'version' | 'keyType' | 'capabilities' | 'description'
>;

/** A plugin's definition, as loaded or as stored. */
export interface KnownPlugin {
  readonly definition: KeptDefinition;
  /** Whether the plugin is loaded. If false, the definition was stored when a server last loaded the plugin. */
  readonly isLoaded: boolean;
}

export interface OfferedPlugin extends KnownPlugin {
  readonly pluginId: string;
}

/** The plugin that serves a ledger for wallets of a project, and the reasons why the others do not. */
export interface PluginSelection {
  /** Null if no plugin is suitable. */
  chosen: { pluginId: string; fault: string | null } | null;
  /** All plugins that the project may use, those that can serve the ledger first. */
  candidates: { pluginId: string; name: string; builtIn: boolean; why: string | null }[];
}

/** Status of a plugin on this server. */
export interface PluginStatus {
  /** Whether the module was imported and, if it runs in a separate process, this process responds. */
  loaded: boolean;
  /** Technology; null before the plugin was loaded. */
  technology: string | null;
  /** Version of the adapter; null before the plugin was loaded. */
  version: string | null;
  /**
   * Ids of the ledgers to which the plugin is restricted. Null if it serves all ledgers of its technology, or if it was
   * not loaded yet.
   */
  ledgers: readonly string[] | null;
  /** Difference between `ledgers` and the plugin's record, with advice; null if there is none. */
  changed: string | null;
  /** Milliseconds since the epoch. */
  lastError: { at: number; detail: string } | null;
  /** Moving average of call durations, in milliseconds; null before the first call. */
  latency: number | null;
  /** Number of restarts of the plugin's process. */
  restarts: number;
  /** Isolation level of the plugin's process; null without a separate process. */
  isolation: IsolationLevel | null;
}

export function unusable({ name }: Pick<PluginRecord, 'name'>, why: string): string {
  return `The plugin ${name} cannot be used: ${why}.`;
}

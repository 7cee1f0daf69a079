import type { ClosedPath, IsolationLevel } from '@ledger-ops/plugin-host';
import type { LedgerRecord, PluginLocation, PluginModule, WeighedPlugin } from '@ledger-ops/registry';
import type { LedgerDefinition } from '../ledger-definition.ts';

/** The columns of a plugin that the loader reads. */
export interface PluginRecord {
  /** Id of the record and of its resource. Stored with each action that the plugin planned. */
  uid: string;
  pluginId: string;
  /** The owning project. Null for a plugin of the deployer, which every project can use. */
  projectUid: string | null;
  /** The owning organization; null for a plugin of the deployer. */
  organizationUid: string | null;
  name: string;
  url: string;
  active: boolean;
  /** `sha512-…` of the module's file; null if not pinned. */
  integrity: string | null;
  /** Credentials of a remote plugin, encrypted for its uid and URL; null if there are none. */
  credentials: Uint8Array | null;
  /** A changed value requires replacing the loaded module. */
  moduleRevision: number;
  /** Ids of the ledgers for which the plugin can be selected; null for all ledgers of its technology. */
  ledgers: readonly string[] | null;
}

/** A record before it is written. */
export type PluginCandidate = Omit<PluginRecord, 'moduleRevision' | 'ledgers'>;

/** Source of plugin records: the part of the registry that the runtime uses. */
export interface PluginSource {
  /** Returns all records, as of this call or later. */
  all(): Promise<readonly PluginRecord[]>;
  /**
   * Chooses the plugin of a ledger for wallets of a project.
   * @throws Problem `no-plugin`
   */
  choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<PluginRecord>;
  /**
   * Returns all plugins that a project may use, and why `choose` without an id does not return each of them.
   */
  weigh(ledger: LedgerRecord, projectUid: string): Promise<WeighedPlugin[]>;
  /** Stores a module's description. The description is kept as long as the plugin has this module. */
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
  /** Paths that no module in a separate process may read. Absent if there are none. */
  closed?: readonly ClosedPath[];
  /** Isolation of modules in separate processes. Default: the best that this machine supports. */
  isolation?: 'best' | 'required';
  /**
   * Maximum number of concurrent module processes on this server. Some are reserved for other organizations.
   * If absent, each record may have a process.
   */
  processes?: number;
}

/** A usable plugin. The object stays the same as long as the plugin runs the same module with the same description. */
export interface LoadedPlugin {
  /** Uid of the plugin's record. For an adapter passed in code: `built-in:` and its name. */
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
  /**
   * Whether the plugin is loaded. False if the definition is the stored one from the last time that a server
   * loaded the plugin.
   */
  readonly isLoaded: boolean;
}

/** A plugin whose definition is known. */
export interface OfferedPlugin extends KnownPlugin {
  readonly pluginId: string;
}

/** The plugin that serves a ledger for wallets of a project, and why the others do not. */
export interface PluginSelection {
  /** Null if no plugin is suitable. */
  chosen: { pluginId: string; fault: string | null } | null;
  /** All plugins that the project may use, suitable ones first. */
  candidates: { pluginId: string; name: string; builtIn: boolean; why: string | null }[];
}

/** Status of a plugin on this server. */
export interface PluginStatus {
  /** Whether the module was imported and its separate process, if any, responds. */
  loaded: boolean;
  /** Technology; null before the plugin was loaded. */
  technology: string | null;
  /** Version of the adapter; null before the plugin was loaded. */
  version: string | null;
  /**
   * Ids of the ledgers to which the plugin is restricted. Null if it serves all ledgers of its technology, or
   * is not loaded yet.
   */
  ledgers: readonly string[] | null;
  /** How `ledgers` differs from the plugin's record, and what to do; null if it does not differ. */
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

/** Returns the error message for a plugin that cannot be used. */
export function unusable({ name }: Pick<PluginRecord, 'name'>, why: string): string {
  return `The plugin ${name} cannot be used: ${why}.`;
}

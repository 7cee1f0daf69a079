import type { ClosedPath, IsolationLevel } from '@ledger-ops/plugin-host';
import type { LedgerRecord, PluginLocation, PluginModule, WeighedPlugin } from '@ledger-ops/registry';
import type { LedgerDefinition } from '../ledger-definition.ts';

/** The columns of a plugin that the loader reads. */
export interface PluginRecord {
  /** Also the id of its resource; kept with each action that it planned. */
  uid: string;
  pluginId: string;
  /** Its project; null: the deployer's, usable in every project. */
  projectUid: string | null;
  /** Whose it is; null: the deployer's. */
  organizationUid: string | null;
  name: string;
  url: string;
  active: boolean;
  /** `sha512-…` of the module's file; null when it is not pinned. */
  integrity: string | null;
  /** Of a remote plugin, sealed for its uid and url; null: none. */
  credentials: Uint8Array | null;
  /** Another one: what was loaded before is to be replaced. */
  moduleRevision: number;
}

/** A record that is to be written. */
export type PluginCandidate = Omit<PluginRecord, 'moduleRevision'>;

/** Where plugin records are found: the registry's plugins, as far as they are needed here. */
export interface PluginSource {
  /** All of them, as of this call or later. */
  all(): Promise<readonly PluginRecord[]>;
  /**
   * The plugin of a ledger for wallets of a project.
   * @throws Problem `no-plugin`
   */
  choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<PluginRecord>;
  /** All that a project may use, and why each is not the one that `choose` answers without an id. */
  weigh(ledger: LedgerRecord, projectUid: string): Promise<WeighedPlugin[]>;
  /** Keeps what a module said of itself, for as long as its plugin has that module. */
  keepDescription(module: PluginModule, description: string): Promise<void>;
  /** As it was kept of the modules that these plugins have now, by uid. */
  descriptions(uids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The deployer's settings for modules. */
export interface PluginPolicy {
  /** Checks a URL against the allow-list. @throws Problem `invalid-request` */
  locate(url: string, pointer: string): Promise<PluginLocation>;
  /** Modules that run in this process. */
  trusted: {
    /** Names of packages. */
    packages: readonly string[];
    /** Absolute paths of folders. */
    folders: readonly string[];
  };
  /** Absolute path of the folder whose `node_modules` has the packages. */
  folder: string;
  /** Read by no module in a process of its own. Absent: nothing is the server's. */
  closed?: readonly ClosedPath[];
  /** How well modules in processes of their own are to be shut off. Default: as well as this machine allows. */
  isolation?: 'best' | 'required';
  /**
   * Modules in processes of their own at once, on this server; an organization has no more of them than are left for
   * others. Absent: as many as there are records.
   */
  processes?: number;
}

/** A plugin that can be used. The same object as long as it runs the same module. */
export interface LoadedPlugin {
  /** Uid of its record; for an adapter passed in code, `built-in:` and its name. */
  readonly uid: string;
  readonly name: string;
  readonly definition: LedgerDefinition;
}

/** The part of a definition that is kept, to be known where the plugin is not loaded. */
export type KeptDefinition = Pick<
  LedgerDefinition,
  'technology' | 'version' | 'keyType' | 'capabilities' | 'description'
>;

/** The definition of a plugin, as far as it is known. */
export interface KnownPlugin {
  readonly definition: KeptDefinition;
  /** False: it is as it was when the plugin was loaded last, here or by another server. */
  readonly isLoaded: boolean;
}

/** A plugin whose definition is known. */
export interface OfferedPlugin extends KnownPlugin {
  readonly pluginId: string;
}

/** Which plugin serves a ledger for wallets of a project, and why no other does. */
export interface PluginSelection {
  /** Null: none fits. */
  chosen: { pluginId: string; fault: string | null } | null;
  /** All that the project may use, those that fit first. */
  candidates: { pluginId: string; name: string; builtIn: boolean; why: string | null }[];
}

/** How a plugin is doing on this server. */
export interface PluginStatus {
  /** It was imported and its process, if it has one of its own, answers. */
  loaded: boolean;
  /** The technology that it serves; null before it was loaded. */
  technology: string | null;
  /** The adapter's own version; null before it was loaded. */
  version: string | null;
  /** Ids of the only ledgers that it serves; null: it serves all of its technology, or was not loaded. */
  ledgers: readonly string[] | null;
  /** Milliseconds since the epoch. */
  lastError: { at: number; detail: string } | null;
  /** Milliseconds of a call, a moving average; null before the first. */
  latency: number | null;
  /** Times that its process was started again. */
  restarts: number;
  /** How well its process is shut off; null when it has none of its own. */
  isolation: IsolationLevel | null;
}

/** The form of the sentence in which a plugin cannot be used. */
export function unusable({ name }: Pick<PluginRecord, 'name'>, why: string): string {
  return `The plugin ${name} cannot be used: ${why}.`;
}

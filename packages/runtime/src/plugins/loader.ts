import type { AdapterDefinition } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { backoff } from '@ledger-ops/base/backoff';
import type { LedgerRecord, PluginInspection } from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import type { Log } from '../log.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { builtInFor, builtInPlugins } from './built-in.ts';
import { changeOf, type Entry, isLoading, isSameLoad, sameModule, statusOf } from './entry.ts';
import { readDefinition, writeDefinition } from './kept-definition.ts';
import { type Measurements, measured } from './measure.ts';
import { type PluginLimits, PluginOpener, type PluginRecords } from './open-plugin.ts';
import { preferredUids } from './preferred.ts';
import type {
  KnownPlugin,
  LoadedPlugin,
  OfferedPlugin,
  PluginCandidate,
  PluginRecord,
  PluginStatus,
} from './types.ts';

export interface PluginLoaderOptions {
  /**
   * Built-in adapters, passed in code, in order of preference. They serve ledgers that no plugin record serves, and
   * belong to the deployer.
   */
  builtIn: readonly AdapterDefinition[];
  /** Omitted if there are only built-in plugins. */
  records?: PluginRecords;
  limits?: PluginLimits;
  log: Log;
  now: () => number;
  /** Default: `defaultTiming`. */
  timing?: Pick<Timing, 'loadAgain' | 'remoteCall' | 'probe'>;
}

/**
 * Loads plugins and caches them. Each module is loaded once, for all of its ledgers.
 *
 * An entry is loading, then loaded or failed; a failed entry is loaded again after a backoff. `#entries` contains the
 * current entry of each record. When a record is changed or deleted, its entry moves to `#retired`, and `sweep` closes
 * it when nothing uses it. `#candidates` contains modules that are loaded for records that are not written yet.
 */
export class PluginLoader {
  readonly #options: PluginLoaderOptions;
  readonly #records: PluginRecords | undefined;
  readonly #timing: Pick<Timing, 'loadAgain' | 'remoteCall' | 'probe'>;
  readonly #builtIn: readonly LoadedPlugin[];
  readonly #opener: PluginOpener;
  readonly #entries = new Map<string, Entry>();
  readonly #retired = new Set<Entry>();
  readonly #candidates = new Set<Entry>();
  /** Descriptions that are being written to the database. */
  readonly #keeping = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: PluginLoaderOptions) {
    const { builtIn, records, limits = {}, log, now, timing = defaultTiming } = options;
    this.#options = options;
    this.#records = records;
    this.#timing = timing;
    this.#builtIn = builtInPlugins(
      builtIn.map((definition) =>
        measured(definition, { latency: null, lastError: null }, now, (words) =>
          log('error', 'plugin.failed', { pluginId: definition.name, error: words }),
        ),
      ),
    );
    const closing = this.#closing.signal;
    const redescribed = (entry: Entry, plugin: LoadedPlugin) => this.#redescribe(entry, plugin);
    this.#opener = new PluginOpener({ builtIn, records, limits, log, now, timing, redescribed, closing });
  }

  /**
   * Returns the loaded plugin of a ledger for wallets of a project: chosen among the plugin records or, if none fits,
   * among the built-in plugins.
   * @param projectUid if empty, only plugins of the deployer are considered
   * @throws Problem `no-plugin`, `plugin-fault`
   */
  async choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<LoadedPlugin> {
    const fallback = builtInFor(this.#builtIn, ledger, pluginId);
    if (this.#records === undefined) {
      if (fallback !== undefined) return fallback;
      throw noPlugin(ledger, pluginId);
    }
    // This runs for every request, so the search is skipped if there are no records.
    if (fallback !== undefined && (await this.#records.source.all()).length === 0) return fallback;
    const record = await this.#records.source.choose(ledger, projectUid, pluginId).catch((error: unknown) => {
      if (fallback !== undefined && error instanceof Problem && error.problem === 'no-plugin') return null;
      throw error;
    });
    if (record === null && fallback !== undefined) return fallback;
    if (record === null) throw noPlugin(ledger, pluginId);
    const plugin = await this.#load(record);
    if (plugin.definition.technology === ledger.technology) return plugin;
    throw new Problem(
      'no-plugin',
      `The plugin ${plugin.name} is for ledgers of ${plugin.definition.technology}, but ${ledger.ledgerId} uses ${ledger.technology}.`,
    );
  }

  /**
   * Returns the loaded plugin with this uid. Returns null if the plugin was deleted, or if it is inactive and
   * `inactive` is not set.
   * @throws Problem `no-plugin`, `plugin-fault`
   */
  async plugin(uid: string, inactive = false): Promise<LoadedPlugin | null> {
    const found = this.#builtIn.find((plugin) => plugin.uid === uid);
    if (found !== undefined) return found;
    const record = await this.#recordOf(uid);
    return record === undefined || !(record.active || inactive) ? null : this.#load(record);
  }

  /** Whether the plugin still matches its record: the record is active and has the same module. */
  async isCurrent(plugin: LoadedPlugin): Promise<boolean> {
    if (this.#builtIn.includes(plugin)) return true;
    const record = await this.#recordOf(plugin.uid);
    const entry = this.#entries.get(plugin.uid);
    return record?.active === true && entry?.loaded === plugin && isSameLoad(entry.record, record);
  }

  /**
   * Returns the active plugins of a project and of the deployer whose definitions are known, grouped by technology. In
   * each group, those whose descriptions take precedence come first: the plugin that serves ledgers without
   * `plugin_tags`, then built-in ones, then the oldest record. Does not load modules.
   */
  async offered(projectUid: string): Promise<OfferedPlugin[]> {
    const usable = ((await this.#records?.source.all()) ?? []).filter(
      (record) => record.active && (record.projectUid === null || record.projectUid === projectUid),
    );
    const known = await this.#knownOf(usable);
    const all: readonly (OfferedPlugin & { uid: string })[] = [
      ...this.#builtIn.map(({ uid, name, definition }) => ({
        uid,
        pluginId: name,
        definition,
        isLoaded: true,
      })),
      ...usable.flatMap(({ uid, pluginId }) => {
        const its = known.get(uid);
        return its === undefined ? [] : [{ uid, pluginId, ...its }];
      }),
    ];
    const byTechnology = Map.groupBy(all, ({ definition }) => definition.technology);
    const preferred = await preferredUids(this.#records?.source, byTechnology.keys(), projectUid);
    return [...byTechnology].flatMap(([technology, plugins]) => {
      const best = preferred.get(technology);
      return plugins
        .toSorted((one, other) => Number(other.uid === best) - Number(one.uid === best))
        .map(({ uid: _, ...offered }) => offered);
    });
  }

  /**
   * Returns the plugins that this server used since their last change, with their status. Omits built-in
   * plugins.
   */
  running(): { pluginId: string; status: PluginStatus }[] {
    return [...this.#entries.values()].map((entry) => ({
      pluginId: entry.record.pluginId,
      status: statusOf(entry),
    }));
  }

  /** Returns known definitions by plugin uid. Does not load modules. */
  async known(uids: readonly string[]): Promise<ReadonlyMap<string, KnownPlugin>> {
    const wanted = new Set(uids);
    const registered = ((await this.#records?.source.all()) ?? []).filter(({ uid }) => wanted.has(uid));
    const found = await this.#knownOf(registered);
    for (const { uid, definition } of this.#builtIn) {
      if (wanted.has(uid)) found.set(uid, { definition, isLoaded: true });
    }
    return found;
  }

  /** Returns the status of a plugin on this server; null if the plugin was not used since its last change. */
  status(uid: string): PluginStatus | null {
    const found = this.#builtIn.find((plugin) => plugin.uid === uid);
    if (found !== undefined) {
      const { technology, version } = found.definition;
      const unmeasured = { lastError: null, latency: null, restarts: 0, isolation: null };
      return { loaded: true, technology, version, ledgers: null, changed: null, ...unmeasured };
    }
    const entry = this.#entries.get(uid);
    return entry === undefined ? null : statusOf(entry);
  }

  /** Checks that a remote plugin responds, by sending a request to it. @throws AdapterError if it does not respond */
  async check(uid: string): Promise<void> {
    await this.#entries.get(uid)?.remote?.check();
  }

  /** Closes plugins whose record was changed or deleted, unless they are in use or awaited. */
  async sweep(inUse: (plugin: LoadedPlugin) => boolean, isAwaited: (uid: string) => boolean): Promise<void> {
    const all = new Map((await this.#records?.source.all())?.map((record) => [record.uid, record]));
    for (const [uid, entry] of this.#entries) {
      const record = all.get(uid);
      if (record !== undefined && isSameLoad(record, entry.record)) {
        entry.record = record;
        this.#logChange(entry);
      }
      if (isAwaited(uid) || (record?.active === true && isSameLoad(record, entry.record))) continue;
      this.#entries.delete(uid);
      this.#retired.add(entry);
    }
    for (const entry of this.#retired) {
      // Entries that are still loading are not waited for, because an import or a remote response may never complete. A
      // later sweep closes them.
      if (isLoading(entry) || (entry.loaded !== undefined && inUse(entry.loaded))) continue;
      this.#retired.delete(entry);
      await this.#opener.end(entry);
      this.#options.log('info', 'plugin.closed', { pluginId: entry.record.pluginId });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const all = [...this.#entries.values(), ...this.#retired, ...this.#candidates];
    this.#entries.clear();
    this.#retired.clear();
    this.#candidates.clear();
    await Promise.all(all.map((entry) => this.#opener.end(entry)));
    await Promise.all(this.#keeping);
  }

  /**
   * Loads the module of a record before the record is written, so that a broken module is rejected. When the inspection
   * is released, the written record takes over the loaded module. If the record was not written, the module is closed.
   * @throws Problem `plugin-refused`
   */
  async inspect(candidate: PluginCandidate): Promise<PluginInspection> {
    // The module's revision is not known until the record is written.
    const entry = this.#begin({ ...candidate, moduleRevision: 0, ledgers: null });
    this.#candidates.add(entry);
    const found = await entry.plugin.then(
      ({ definition: { technology, interfaceVersion, version, ledgers } }) => ({
        ...{ technology, interfaceVersion, version },
        ...(ledgers === undefined ? {} : { ledgers }),
      }),
      (error: unknown) => {
        const problem = problemFrom(error);
        if (temporary.has(problem.problem))
          return `It is not known yet whether the plugin can be used: ${problem.message}`;
        this.#candidates.delete(entry);
        const thrown = entry.thrown === undefined ? '' : ` It threw ${entry.thrown}.`;
        const detail = `${problem.message}${thrown}`;
        const errors = problem.errors.length > 0 ? [...problem.errors] : [{ pointer: '/url', detail }];
        throw new Problem('plugin-refused', detail, { errors });
      },
    );
    return { found, release: () => this.#releaseCandidate(candidate, entry) };
  }

  async #recordOf(uid: string): Promise<PluginRecord | undefined> {
    return (await this.#records?.source.all())?.find((record) => record.uid === uid);
  }

  #load(record: PluginRecord): Promise<LoadedPlugin> {
    const known = this.#entries.get(record.uid);
    const isSame = known !== undefined && isSameLoad(known.record, record);
    if (isSame) {
      known.record = record;
      if (known.loaded !== undefined || this.#options.now() < known.retryAt) return known.plugin;
    }
    if (known?.loaded !== undefined) this.#retired.add(known);
    const failures = isSame ? known.failures : 0;
    const entry = this.#begin(record, failures, known?.measurements.lastError ?? null);
    this.#entries.set(record.uid, entry);
    return entry.plugin;
  }

  #begin(record: PluginRecord, failures = 0, lastError: Measurements['lastError'] = null): Entry {
    const measurements = { latency: null, lastError };
    const entry: Entry = {
      record,
      measurements,
      retryAt: Number.POSITIVE_INFINITY,
      failures,
      plugin: Promise.resolve().then(() => this.#opener.open(entry)),
    };
    entry.plugin.then(
      (loaded) => {
        entry.loaded = loaded;
        this.#options.log('info', 'plugin.loaded', {
          pluginId: record.pluginId,
          version: loaded.definition.version,
        });
        if (this.#candidates.has(entry)) return;
        void this.#keep(entry.record, loaded);
        // Another entry replaced this one while it was loading.
        if (this.#entries.get(record.uid) !== entry) this.#retired.add(entry);
      },
      (error: unknown) => {
        const { message } = problemFrom(error);
        measurements.lastError = { at: this.#options.now(), detail: message };
        entry.failures += 1;
        entry.retryAt = this.#options.now() + backoff(entry.failures, this.#timing.loadAgain);
        this.#options.log('warn', 'plugin.refused', { pluginId: record.pluginId, detail: message });
      },
    );
    return entry;
  }

  /**
   * Replaces the description of a remote plugin. Its sessions are opened again, because the plugin is another object.
   */
  #redescribe(entry: Entry, plugin: LoadedPlugin): void {
    entry.loaded = plugin;
    entry.plugin = Promise.resolve(plugin);
    this.#options.log('info', 'plugin.described', {
      pluginId: entry.record.pluginId,
      version: plugin.definition.version,
    });
    if (this.#entries.get(entry.record.uid) === entry) void this.#keep(entry.record, plugin);
  }

  /** Logs once that the plugin states other ledgers than its record contains. */
  #logChange(entry: Entry): void {
    const change = changeOf(entry);
    if (change !== null && change !== entry.changed)
      this.#options.log('warn', 'plugin.changed', { pluginId: entry.record.pluginId, detail: change });
    entry.changed = change;
  }

  /** Stores the definition, for other servers and for this server after a restart. */
  #keep(record: PluginRecord, { definition }: LoadedPlugin): Promise<void> {
    const kept = (async () => {
      try {
        await this.#records?.source.keepDescription(record, writeDefinition(definition));
      } catch (error) {
        const { message } = problemFrom(error);
        this.#options.log('warn', 'plugin description not stored', {
          pluginId: record.pluginId,
          detail: message,
        });
      }
    })();
    this.#keeping.add(kept);
    return kept.finally(() => this.#keeping.delete(kept));
  }

  /**
   * Returns definitions by plugin uid: from the loaded module or, if it is not loaded, as stored when it was last
   * loaded.
   */
  async #knownOf(all: readonly PluginRecord[]): Promise<Map<string, KnownPlugin>> {
    const found = new Map<string, KnownPlugin>();
    for (const record of all) {
      const entry = this.#entries.get(record.uid);
      if (entry?.loaded === undefined || !isSameLoad(entry.record, record)) continue;
      found.set(record.uid, { definition: entry.loaded.definition, isLoaded: true });
    }
    const unloaded = all.filter(({ uid }) => !found.has(uid)).map(({ uid }) => uid);
    if (unloaded.length === 0) return found;
    for (const [uid, text] of (await this.#records?.source.descriptions(unloaded)) ?? []) {
      found.set(uid, { definition: readDefinition(text), isLoaded: false });
    }
    return found;
  }

  async #releaseCandidate(candidate: PluginCandidate, entry: Entry): Promise<void> {
    if (!this.#candidates.delete(entry)) return;
    const written = await this.#recordOf(candidate.uid).catch(() => undefined);
    const current = this.#entries.get(candidate.uid);
    const isWritten = written !== undefined && sameModule(written, entry.record);
    // A failed load is replaced: the plugin can then be used before the next attempt is due.
    const isUsable = current !== undefined && (current.loaded !== undefined || isLoading(current));
    const isServed = isUsable && written !== undefined && isSameLoad(current.record, written);
    if (this.#closing.signal.aborted || !isWritten || isServed || entry.loaded === undefined)
      return await this.#opener.end(entry);
    if (current?.loaded !== undefined) this.#retired.add(current);
    entry.record = written;
    this.#entries.set(candidate.uid, entry);
    await this.#keep(written, entry.loaded);
  }
}

/** Types of temporary problems: a later attempt may succeed. */
const temporary: ReadonlySet<string> = new Set(['unavailable', 'ledger-unavailable', 'ledger-timeout']);

function noPlugin({ technology, ledgerId }: LedgerRecord, pluginId: string | undefined): Problem {
  const wanted = pluginId === undefined || pluginId === '' ? '' : ` and the id "${pluginId}"`;
  return new Problem(
    'no-plugin',
    `No active plugin with the tag "${technology}"${wanted} serves the ledger ${ledgerId}.`,
  );
}

import type { AdapterDefinition } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import { Problem } from '@ledger-ops/base';
import type { LedgerRecord, PluginInspection } from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import type { Log } from '../log.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { builtInFor, builtInPlugins } from './built-in.ts';
import { type Entry, isSameLoad, sameModule, statusOf } from './entry.ts';
import { readDefinition, writeDefinition } from './kept-definition.ts';
import type { Measurements } from './measure.ts';
import { createPluginOpener, type PluginLimits, type PluginRecords } from './open-plugin.ts';
import type {
  KnownPlugin,
  LoadedPlugin,
  OfferedPlugin,
  PluginCandidate,
  PluginRecord,
  PluginStatus,
} from './types.ts';

export interface PluginLoaderOptions {
  /** Adapters passed in code: the deployer's, for ledgers that no record serves. In order of preference. */
  builtIn: readonly AdapterDefinition[];
  /** Absent: there are only the built-in ones. */
  records?: PluginRecords;
  limits?: PluginLimits;
  log: Log;
  now: () => number;
  /** Default: the runtime's usual ones. */
  timing?: Pick<Timing, 'loadAgain' | 'remoteCall'>;
}

/** Loads plugins and keeps them: a module once, for all its ledgers. */
export interface PluginLoader {
  /**
   * The plugin of a ledger for wallets of a project, loaded.
   * @param projectUid empty: only plugins of the deployer
   * @throws Problem `no-plugin`, `plugin-fault`
   */
  choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<LoadedPlugin>;
  /**
   * The plugin of that uid, loaded; null when it was deleted or, unless `inactive` is given, is not active.
   * @throws Problem `no-plugin`, `plugin-fault`
   */
  plugin(uid: string, inactive?: boolean): Promise<LoadedPlugin | null>;
  /** Whether the plugin is still what its record asks for: active, and with the same module. */
  isCurrent(plugin: LoadedPlugin): Promise<boolean>;
  /**
   * Active plugins of a project and of the deployer whose definition is known, in the order in which descriptions of one
   * technology hold: what is built in, then oldest record first. Loads nothing.
   */
  offered(projectUid: string): Promise<OfferedPlugin[]>;
  /**
   * Loads the module of a record that is to be written, so that it is refused before anybody uses it. Once released it is
   * what the record uses, or is ended where the record was not written.
   * @throws Problem `plugin-refused`
   */
  inspect(candidate: PluginCandidate): Promise<PluginInspection>;
  /** Plugins that were asked for here since they were last changed, built-in ones left out, and how they are doing. */
  running(): { pluginId: string; status: PluginStatus }[];
  /** Definitions of plugins by uid, as far as they are known without loading any. */
  known(uids: readonly string[]): Promise<ReadonlyMap<string, KnownPlugin>>;
  /** How the plugin of that uid is doing here; null when nothing has asked for it since it was last changed. */
  status(uid: string): PluginStatus | null;
  /** Ends plugins that no record asks for any more and that are neither in use nor awaited, by their uids. */
  sweep(inUse: (plugin: LoadedPlugin) => boolean, isAwaited: (uid: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

export function createPluginLoader(options: PluginLoaderOptions): PluginLoader {
  const { records, limits = {}, log, now, timing = defaultTiming } = options;
  const builtIn = builtInPlugins(options.builtIn);
  const entries = new Map<string, Entry>();
  const retired = new Set<Entry>();
  /** Of records that are being written. */
  const candidates = new Set<Entry>();
  /** Descriptions on their way to the database. */
  const keeping = new Set<Promise<void>>();
  let closed = false;
  const { open, end } = createPluginOpener({
    ...{ builtIn: options.builtIn, records, limits, log, now, timing },
    isClosed: () => closed,
  });

  /** By the records first, then among the built-in ones. */
  async function choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<LoadedPlugin> {
    const fallback = builtInFor(builtIn, ledger, pluginId);
    if (records === undefined) {
      if (fallback !== undefined) return fallback;
      throw noPlugin(ledger, pluginId);
    }
    // Every request comes here: where there are no records, none has to be looked for in vain.
    if (fallback !== undefined && (await records.source.all()).length === 0) return fallback;
    const record = await records.source.choose(ledger, projectUid, pluginId).catch((error: unknown) => {
      if (fallback !== undefined && error instanceof Problem && error.problem === 'no-plugin') return null;
      throw error;
    });
    if (record === null && fallback !== undefined) return fallback;
    if (record === null) throw noPlugin(ledger, pluginId);
    const plugin = await load(record);
    if (plugin.definition.technology === ledger.technology) return plugin;
    throw new Problem(
      'no-plugin',
      `The plugin ${plugin.name} is for ledgers of ${plugin.definition.technology}, but ${ledger.ledgerId} is of ${ledger.technology}.`,
    );
  }

  async function recordOf(uid: string): Promise<PluginRecord | undefined> {
    return (await records?.source.all())?.find((record) => record.uid === uid);
  }

  function load(record: PluginRecord): Promise<LoadedPlugin> {
    const known = entries.get(record.uid);
    const isSame = known !== undefined && isSameLoad(known.record, record);
    if (isSame) {
      known.record = record;
      if (known.loaded !== undefined || now() < known.retryAt) return known.plugin;
    }
    if (known?.loaded !== undefined) retired.add(known);
    const failures = isSame ? known.failures : 0;
    const entry = begin(record, failures, known?.measurements.lastError ?? null);
    entries.set(record.uid, entry);
    return entry.plugin;
  }

  function begin(record: PluginRecord, failures = 0, lastError: Measurements['lastError'] = null): Entry {
    const measurements = { latency: null, lastError };
    const entry: Entry = {
      record,
      measurements,
      retryAt: Number.POSITIVE_INFINITY,
      failures,
      plugin: Promise.resolve().then(() => open(entry)),
    };
    entry.plugin.then(
      (loaded) => {
        entry.loaded = loaded;
        log('info', 'plugin.loaded', { pluginId: record.pluginId, version: loaded.definition.version });
        if (candidates.has(entry)) return;
        void keep(entry.record, loaded);
        // Replaced while it was on its way.
        if (entries.get(record.uid) !== entry) retired.add(entry);
      },
      (error: unknown) => {
        const { message } = problemFrom(error);
        measurements.lastError = { at: now(), detail: message };
        entry.failures += 1;
        entry.retryAt = now() + backoff(entry.failures, timing.loadAgain);
        log('warn', 'plugin.refused', { pluginId: record.pluginId, detail: message });
      },
    );
    return entry;
  }

  /** So that it is known after a restart, and to other servers. */
  function keep(record: PluginRecord, { definition }: LoadedPlugin): Promise<void> {
    const kept = (async () => {
      try {
        await records?.source.keepDescription(record, writeDefinition(definition));
      } catch (error) {
        const { message } = problemFrom(error);
        log('warn', 'plugin.description not kept', { pluginId: record.pluginId, detail: message });
      }
    })();
    keeping.add(kept);
    return kept.finally(() => keeping.delete(kept));
  }

  async function inspect(candidate: PluginCandidate): Promise<PluginInspection> {
    // Its revision is known when it is written.
    const entry = begin({ ...candidate, moduleRevision: 0 });
    candidates.add(entry);
    const found = await entry.plugin.then(
      ({ definition: { technology, interfaceVersion, ledgers } }) => ({
        ...{ technology, interfaceVersion },
        ...(ledgers === undefined ? {} : { ledgers }),
      }),
      (error: unknown) => {
        const problem = problemFrom(error);
        if (passing.has(problem.problem))
          return `Whether it can be used is not known yet: ${problem.message}`;
        candidates.delete(entry);
        const thrown = entry.thrown === undefined ? '' : ` It threw ${entry.thrown}.`;
        const detail = `${problem.message}${thrown}`;
        const errors = problem.errors.length > 0 ? [...problem.errors] : [{ pointer: '/url', detail }];
        throw new Problem('plugin-refused', detail, { errors });
      },
    );
    return {
      found,
      async release() {
        if (!candidates.delete(entry)) return;
        const written = await recordOf(candidate.uid).catch(() => undefined);
        const current = entries.get(candidate.uid);
        const isWritten = written !== undefined && sameModule(written, entry.record);
        const isServed =
          current !== undefined && written !== undefined && isSameLoad(current.record, written);
        if (closed || !isWritten || isServed || entry.loaded === undefined) return await end(entry);
        if (current?.loaded !== undefined) retired.add(current);
        entry.record = written;
        entries.set(candidate.uid, entry);
        await keep(written, entry.loaded);
      },
    };
  }

  /** By uid: as it is loaded here, else as it was when the module was loaded last. */
  async function knownOf(all: readonly PluginRecord[]): Promise<Map<string, KnownPlugin>> {
    const found = new Map<string, KnownPlugin>();
    for (const record of all) {
      const entry = entries.get(record.uid);
      if (entry?.loaded === undefined || !isSameLoad(entry.record, record)) continue;
      found.set(record.uid, { definition: entry.loaded.definition, isLoaded: true });
    }
    const unloaded = all.filter(({ uid }) => !found.has(uid)).map(({ uid }) => uid);
    if (unloaded.length === 0) return found;
    for (const [uid, text] of (await records?.source.descriptions(unloaded)) ?? []) {
      found.set(uid, { definition: readDefinition(text), isLoaded: false });
    }
    return found;
  }

  return {
    choose,
    inspect,
    async plugin(uid, inactive = false) {
      const found = builtIn.find((plugin) => plugin.uid === uid);
      if (found !== undefined) return found;
      const record = await recordOf(uid);
      return record === undefined || !(record.active || inactive) ? null : load(record);
    },
    async isCurrent(plugin) {
      if (builtIn.includes(plugin)) return true;
      const record = await recordOf(plugin.uid);
      const entry = entries.get(plugin.uid);
      return record?.active === true && entry?.loaded === plugin && isSameLoad(entry.record, record);
    },
    async offered(projectUid) {
      const usable = ((await records?.source.all()) ?? []).filter(
        (record) => record.active && (record.projectUid === null || record.projectUid === projectUid),
      );
      const known = await knownOf(usable);
      return [
        ...builtIn.map(({ name, definition }) => ({ pluginId: name, definition, isLoaded: true })),
        ...usable.flatMap(({ uid, pluginId }): OfferedPlugin[] => {
          const its = known.get(uid);
          return its === undefined ? [] : [{ pluginId, ...its }];
        }),
      ];
    },
    running: () =>
      [...entries.values()].map((entry) => ({ pluginId: entry.record.pluginId, status: statusOf(entry) })),
    async known(uids) {
      const wanted = new Set(uids);
      const registered = ((await records?.source.all()) ?? []).filter(({ uid }) => wanted.has(uid));
      const found = await knownOf(registered);
      for (const { uid, definition } of builtIn) {
        if (wanted.has(uid)) found.set(uid, { definition, isLoaded: true });
      }
      return found;
    },
    status(uid) {
      const found = builtIn.find((plugin) => plugin.uid === uid);
      if (found !== undefined) {
        const { technology, version } = found.definition;
        const unmeasured = { lastError: null, latency: null, restarts: 0, isolation: null };
        return { loaded: true, technology, version, ledgers: null, ...unmeasured };
      }
      const entry = entries.get(uid);
      return entry === undefined ? null : statusOf(entry);
    },
    async sweep(inUse, isAwaited) {
      const all = new Map((await records?.source.all())?.map((record) => [record.uid, record]));
      for (const [uid, entry] of entries) {
        const record = all.get(uid);
        if (isAwaited(uid) || (record?.active === true && isSameLoad(record, entry.record))) continue;
        entries.delete(uid);
        retired.add(entry);
      }
      for (const entry of retired) {
        if (entry.loaded !== undefined && inUse(entry.loaded)) continue;
        retired.delete(entry);
        await end(entry);
        log('info', 'plugin.closed', { pluginId: entry.record.pluginId });
      }
    },
    async close() {
      closed = true;
      const every = [...entries.values(), ...retired, ...candidates];
      entries.clear();
      retired.clear();
      candidates.clear();
      await Promise.all(every.map(end));
      await Promise.all(keeping);
    },
  };
}

/** Problems that say nothing of the plugin: it may be there later. */
const passing: ReadonlySet<string> = new Set(['unavailable', 'ledger-unavailable', 'ledger-timeout']);

function noPlugin({ technology, ledgerId }: LedgerRecord, pluginId: string | undefined): Problem {
  const wanted = pluginId === undefined || pluginId === '' ? '' : ` and the id "${pluginId}"`;
  return new Problem(
    'no-plugin',
    `No active plugin with the tag "${technology}"${wanted} serves the ledger ${ledgerId}.`,
  );
}

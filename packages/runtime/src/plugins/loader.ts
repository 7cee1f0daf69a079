import type { AdapterDefinition } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import { Problem } from '@ledger-ops/base';
import { builtInUid, type LedgerRecord, ledgerTags, type PluginInspection } from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import type { LedgerDefinition } from '../ledger-definition.ts';
import type { Log } from '../log.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { type Entry, sameModule, statusOf } from './entry.ts';
import type { Measurements } from './measure.ts';
import { createPluginOpener, type PluginLimits, type PluginRecords } from './open-plugin.ts';
import type { LoadedPlugin, OfferedPlugin, PluginRecord, PluginSelection, PluginStatus } from './types.ts';

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
   * Active plugins of a project and of the deployer whose definition is known here, in the order in which descriptions of
   * one technology hold: what is built in, then what was loaded since it was last changed, oldest record first.
   */
  offered(projectUid: string): Promise<OfferedPlugin[]>;
  /**
   * Loads the module of a record that is to be written, so that it is refused before anybody uses it. Once released it is
   * what the record uses, or is ended where the record was not written.
   * @throws Problem `plugin-refused`
   */
  inspect(record: PluginRecord): Promise<PluginInspection>;
  /** The plugin that `choose` answers without an id, loaded, and why it is not one of the others. */
  select(ledger: LedgerRecord, projectUid: string): Promise<PluginSelection>;
  /** Plugins that were asked for here since they were last changed, built-in ones left out, and how they are doing. */
  running(): { pluginId: string; status: PluginStatus }[];
  /** The definition of the plugin of that uid, as it was loaded here; null when nothing has asked for it yet. */
  loaded(uid: string): LedgerDefinition | null;
  /** How the plugin of that uid is doing here; null when nothing has asked for it since it was last changed. */
  status(uid: string): PluginStatus | null;
  /** Ends plugins that no record asks for any more and that are neither in use nor awaited, by their uids. */
  sweep(inUse: (plugin: LoadedPlugin) => boolean, isAwaited: (uid: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

export function createPluginLoader(options: PluginLoaderOptions): PluginLoader {
  const { records, limits = {}, log, now, timing = defaultTiming } = options;
  const builtIn: readonly LoadedPlugin[] = options.builtIn.map((definition) => ({
    uid: builtInUid(definition.name),
    name: definition.name,
    definition,
  }));
  const entries = new Map<string, Entry>();
  const retired = new Set<Entry>();
  /** Of records that are being written. */
  const candidates = new Set<Entry>();
  let closed = false;
  const { open, end } = createPluginOpener({
    ...{ builtIn: options.builtIn, records, limits, log, now, timing },
    isClosed: () => closed,
  });

  function builtInFor(ledger: LedgerRecord, pluginId: string | undefined): LoadedPlugin | undefined {
    const tags = ledger.properties.plugin_tags;
    return builtIn.find(({ name, definition: { technology } }) => {
      if (technology !== ledger.technology) return false;
      if (pluginId !== undefined && pluginId !== '') return name === pluginId;
      return !Array.isArray(tags) || tags.every((tag) => tag === technology || tag === name);
    });
  }

  /** By the records first, then among the built-in ones. */
  async function choose(ledger: LedgerRecord, projectUid: string, pluginId?: string): Promise<LoadedPlugin> {
    const fallback = builtInFor(ledger, pluginId);
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
    if (known !== undefined && sameModule(known.record, record)) {
      known.record = record;
      if (known.loaded !== undefined || now() < known.retryAt) return known.plugin;
    }
    if (known?.loaded !== undefined) retired.add(known);
    const failures = known !== undefined && sameModule(known.record, record) ? known.failures : 0;
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
        // Replaced while it was on its way.
        if (entries.get(record.uid) !== entry && !candidates.has(entry)) retired.add(entry);
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

  async function inspect(record: PluginRecord): Promise<PluginInspection> {
    const known = entries.get(record.uid);
    const isKnown = known?.loaded !== undefined && sameModule(known.record, record);
    const entry = isKnown ? known : begin(record);
    if (!isKnown) candidates.add(entry);
    const found = await entry.plugin.then(
      ({ definition: { technology, interfaceVersion } }) => ({ technology, interfaceVersion }),
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
        const written = await recordOf(record.uid).catch(() => undefined);
        const current = entries.get(record.uid);
        const isWritten = written !== undefined && sameModule(written, entry.record);
        const isServed =
          current !== undefined && written !== undefined && sameModule(current.record, written);
        if (closed || !isWritten || isServed || entry.loaded === undefined) return await end(entry);
        if (current?.loaded !== undefined) retired.add(current);
        entry.record = written;
        entries.set(record.uid, entry);
      },
    };
  }

  async function select(ledger: LedgerRecord, projectUid: string): Promise<PluginSelection> {
    const registered = (await records?.source.weigh(ledger, projectUid)) ?? [];
    const best = registered.find(({ why }) => why === null)?.plugin;
    const fallback = builtInFor(ledger, undefined);
    const whyNot = ({ name, definition: { technology } }: LoadedPlugin): string | null => {
      if (technology !== ledger.technology) return `It is for ledgers of ${technology}.`;
      const missing = ledgerTags(ledger).filter((tag) => tag !== technology && tag !== name);
      if (missing.length > 0) return `It has not what the ledger asks for: ${missing.join(', ')}.`;
      if (best !== undefined) return `${best.pluginId} was registered, and goes before what is built in.`;
      return name === fallback?.name ? null : `${fallback?.name} goes before it.`;
    };
    const chosen = best?.pluginId ?? fallback?.name;
    const fault = chosen === undefined ? null : await faultOf(ledger, projectUid);
    return {
      chosen: chosen === undefined ? null : { pluginId: chosen, fault },
      candidates: [
        ...registered.map(({ plugin: { pluginId, name }, why }) => ({ pluginId, name, builtIn: false, why })),
        ...builtIn.map((plugin) => ({
          ...{ pluginId: plugin.name, name: plugin.name, builtIn: true },
          why: whyNot(plugin),
        })),
      ],
    };
  }

  /** Why what is chosen cannot serve; null: it can. */
  async function faultOf(ledger: LedgerRecord, projectUid: string): Promise<string | null> {
    try {
      await choose(ledger, projectUid);
      return null;
    } catch (error) {
      return problemFrom(error).message;
    }
  }

  return {
    choose,
    inspect,
    select,
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
      return record?.active === true && entry?.loaded === plugin && sameModule(entry.record, record);
    },
    async offered(projectUid) {
      const loaded = ((await records?.source.all()) ?? []).flatMap((record): OfferedPlugin[] => {
        const entry = entries.get(record.uid);
        const mayUse = record.projectUid === null || record.projectUid === projectUid;
        if (!record.active || !mayUse || entry?.loaded === undefined || !sameModule(entry.record, record))
          return [];
        return [{ pluginId: record.pluginId, definition: entry.loaded.definition }];
      });
      return [...builtIn.map(({ name, definition }) => ({ pluginId: name, definition })), ...loaded];
    },
    running: () =>
      [...entries.values()].map((entry) => ({ pluginId: entry.record.pluginId, status: statusOf(entry) })),
    loaded(uid) {
      const found = builtIn.find((plugin) => plugin.uid === uid) ?? entries.get(uid)?.loaded;
      return found?.definition ?? null;
    },
    status(uid) {
      const found = builtIn.find((plugin) => plugin.uid === uid);
      if (found !== undefined) {
        const { technology, version } = found.definition;
        const unmeasured = { lastError: null, latency: null, restarts: 0, isolation: null };
        return { loaded: true, technology, version, ...unmeasured };
      }
      const entry = entries.get(uid);
      return entry === undefined ? null : statusOf(entry);
    },
    async sweep(inUse, isAwaited) {
      const all = new Map((await records?.source.all())?.map((record) => [record.uid, record]));
      for (const [uid, entry] of entries) {
        const record = all.get(uid);
        if (isAwaited(uid) || (record?.active === true && sameModule(record, entry.record))) continue;
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

import { type AdapterDefinition, adapterError, type OutboundPolicy } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import { type MasterKey, Problem, SealError } from '@ledger-ops/base';
import { createCloudWalletClient, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { createGuardedFetch, isNotOpened } from '@ledger-ops/outbound';
import {
  importAdapter,
  openProcessAdapter,
  type PluginHealth,
  type ProcessAdapter,
  type Timing as ProcessTiming,
} from '@ledger-ops/plugin-host';
import {
  builtInUid,
  type LedgerRecord,
  ledgerTags,
  openCredentials,
  type PluginCredentials,
  type PluginInspection,
} from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import type { LedgerDefinition } from '../ledger-definition.ts';
import type { Log } from '../log.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { currentTraceparent } from '../traces/trace-scope.ts';
import { plainFields } from './log-fields.ts';
import { type Measurements, measured, thrownWords } from './measure.ts';
import { remoteDefinition } from './remote/remote-definition.ts';
import { type ResolvedModule, resolvePlugin } from './resolve-module.ts';
import {
  type LoadedPlugin,
  type OfferedPlugin,
  type PluginPolicy,
  type PluginRecord,
  type PluginSelection,
  type PluginSource,
  type PluginStatus,
  unusable,
} from './types.ts';

/** Of plugins in processes of their own. Absent: the defaults of `openProcessAdapter`. */
export interface PluginLimits {
  memoryLimitMb?: number;
  /** `call` holds for remote plugins too. */
  timing?: Partial<ProcessTiming>;
}

/** Where plugins are found beside the built-in ones, and what they may do. */
export interface PluginRecords {
  source: PluginSource;
  policy: PluginPolicy;
  /** Where remote plugins may be beside public addresses. */
  outbound: OutboundPolicy;
  /** Seals the secrets by which remote plugins know their wallets. */
  masterKey: MasterKey;
}

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

/** A module under one record: on its way, there, or refused. */
interface Entry {
  record: PluginRecord;
  plugin: Promise<LoadedPlugin>;
  loaded?: LoadedPlugin;
  measurements: Measurements;
  /** The error that its module threw when it was loaded: name, code and place. */
  thrown?: string;
  process?: ProcessAdapter;
  /** Of a remote plugin: ends its connections. */
  disconnect?: () => Promise<void>;
  /** When a failed load may be tried again. */
  retryAt: number;
  failures: number;
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
  /** Those that have a process of their own, or are getting it. */
  const processes = new Set<Entry>();
  /** Of records that are being written. */
  const candidates = new Set<Entry>();
  let closed = false;

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

  async function open(entry: Entry): Promise<LoadedPlugin> {
    const { record, measurements } = entry;
    if (closed || records === undefined) throw new Problem('unavailable', 'The server is stopping.');
    try {
      const found = await resolvePlugin(record, records.policy);
      const definition = await definitionOf(entry, found, records);
      return {
        uid: record.uid,
        name: record.name,
        definition: measured(definition, measurements, now, (words) =>
          log('error', 'plugin.failed', { pluginId: record.pluginId, error: words }),
        ),
      };
    } catch (error) {
      const thrown = thrownWords(error);
      if (thrown !== undefined) entry.thrown ??= thrown;
      if (thrown !== undefined) log('error', 'plugin.failed', { pluginId: record.pluginId, error: thrown });
      throw problemFrom(error);
    }
  }

  async function definitionOf(
    entry: Entry,
    found: Awaited<ReturnType<typeof resolvePlugin>>,
    from: PluginRecords,
  ): Promise<LedgerDefinition> {
    if ('url' in found) return openRemote(entry, found.url, from);
    return found.trusted
      ? importAdapter(found.file, entry.record.name)
      : openProcess(entry, found, from.policy);
  }

  async function openRemote(
    entry: Entry,
    url: string,
    { outbound, masterKey }: PluginRecords,
  ): Promise<LedgerDefinition> {
    const { name } = entry.record;
    const { bearerToken, ...certificates } = credentialsOf(entry.record, masterKey);
    const { fetch, close } = createGuardedFetch(outbound, { tls: tlsOf(certificates) });
    entry.disconnect = close;
    const client = createCloudWalletClient({
      url,
      fetch: (to, init) => fetch(to, init).catch((error: unknown) => throwOutbound(name, error)),
      timeoutMs: limits.timing?.call ?? timing.remoteCall,
      plugin: name,
      traceparent: currentTraceparent,
      ...(bearerToken === undefined ? {} : { headers: { authorization: `Bearer ${bearerToken}` } }),
    });
    const remote = await remoteAdapter(client);
    const reader = options.builtIn.find(({ technology }) => technology === remote.technology);
    return remoteDefinition(remote, {
      masterKey,
      url,
      namespace: (remote.description ?? reader?.description)?.namespace,
      ...(reader === undefined ? {} : { readInterface: (text) => reader.readInterface(text) }),
    });
  }

  async function openProcess(
    entry: Entry,
    { file, folder, workspace }: ResolvedModule,
    { closed: unreadable = [], isolation = 'best', processes: most = Number.POSITIVE_INFINITY }: PluginPolicy,
  ): Promise<AdapterDefinition> {
    const { pluginId, name } = entry.record;
    takeProcess(entry, most);
    const opening = openProcessAdapter({
      specifier: file,
      plugin: name,
      folder,
      ...(workspace === undefined ? {} : { workspace }),
      closed: unreadable,
      isolation,
      ...limits,
      log(level, event, fields) {
        if (event === 'plugin.broken' && typeof fields?.error === 'string') entry.thrown = fields.error;
        log(level, event, { ...plainFields(fields), plugin: name, pluginId });
      },
    });
    const adapter = await opening.catch((error: unknown) => {
      processes.delete(entry);
      throw error;
    });
    if (closed) await adapter.close();
    entry.process = adapter;
    return adapter;
  }

  /**
   * Takes a place among the processes. An organization that has as many as are free leaves these to others: alone it gets half
   * of all, and each that comes later half of what is left.
   * @throws Problem `unavailable` when there is none for it
   */
  function takeProcess(entry: Entry, most: number): void {
    const { name, organizationUid } = entry.record;
    const free = most - processes.size;
    const own = [...processes].filter(({ record }) => record.organizationUid === organizationUid).length;
    const isShared = organizationUid !== null && own >= free;
    if (free > 0 && !isShared) {
      processes.add(entry);
      return;
    }
    const whose =
      free <= 0
        ? `this server runs ${processes.size} plugins in processes of their own, and no more than ${most}`
        : `${own} plugins of its organization run in processes of their own, and the ${free} that are left on this server are for others`;
    const detail = `The plugin ${name} is not started: ${whose} (PLUGIN_PROCESSES). Deactivate or delete plugins that are not used, or ask the deployer for more.`;
    throw new Problem('unavailable', detail);
  }

  async function end(entry: Entry): Promise<void> {
    await entry.plugin.catch(() => undefined);
    await entry.process?.close();
    processes.delete(entry);
    await entry.disconnect?.();
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

function statusOf(entry: Entry): PluginStatus {
  const health = entry.process?.health();
  return {
    loaded: entry.loaded !== undefined && (health === undefined || health.state === 'up'),
    technology: entry.loaded?.definition.technology ?? null,
    version: entry.loaded?.definition.version ?? null,
    lastError: newest(entry.measurements.lastError, processFailure(entry, health)),
    latency: entry.measurements.latency,
    restarts: health?.restarts ?? 0,
    isolation: health?.isolation ?? null,
  };
}

function sameModule(one: PluginRecord, other: PluginRecord): boolean {
  return (
    one.url === other.url &&
    one.integrity === other.integrity &&
    Buffer.compare(one.credentials ?? nothing, other.credentials ?? nothing) === 0
  );
}
const nothing = Buffer.alloc(0);

/** @throws Problem `no-plugin` */
function credentialsOf(record: PluginRecord, masterKey: MasterKey): PluginCredentials {
  try {
    return openCredentials(masterKey, record);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const why = 'its credentials do not open with this server’s master key: give them again';
    throw new Problem('no-plugin', unusable(record, why));
  }
}

function tlsOf({ clientCertificate: cert, clientKey: key, certificateAuthority: ca }: PluginCredentials) {
  return { ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) };
}

/** The guard's refusal as the plugin's users are told; whatever else failed stays what it is. */
function throwOutbound(name: string, error: unknown): never {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!isNotOpened(cause)) throw error;
  const detail = `The plugin ${name} is at an address that is not public, and is not opened on this server (OUTBOUND_OPEN).`;
  throw adapterError('not-opened', detail, { phase: 'open' });
}

function processFailure({ record }: Entry, health: PluginHealth | undefined): PluginStatus['lastError'] {
  if (health?.lastFailure === undefined) return null;
  const { at, detail } = health.lastFailure;
  return { at, detail: `The plugin ${record.name} was ended: ${detail}.` };
}

function newest(one: PluginStatus['lastError'], other: PluginStatus['lastError']): PluginStatus['lastError'] {
  if (one === null || other === null) return one ?? other;
  return one.at > other.at ? one : other;
}

function noPlugin({ technology, ledgerId }: LedgerRecord, pluginId: string | undefined): Problem {
  const wanted = pluginId === undefined || pluginId === '' ? '' : ` and the id "${pluginId}"`;
  return new Problem(
    'no-plugin',
    `No active plugin with the tag "${technology}"${wanted} serves the ledger ${ledgerId}.`,
  );
}

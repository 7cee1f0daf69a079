import { isDeepStrictEqual } from 'node:util';
import { type AdapterDefinition, AdapterError, adapterError, type OutboundPolicy } from '@ledger-ops/adapter';
import { paths, protocolLimits } from '@ledger-ops/adapter/cloud-wallet';
import { createGuardedFetch, ExchangeError } from '@ledger-ops/adapter/outbound';
import { plainWords } from '@ledger-ops/adapter/words';
import { type MasterKey, Problem, SealError } from '@ledger-ops/base';
import {
  type CloudWalletClient,
  createCloudWalletClient,
  type RemoteAdapterDefinition,
  remoteAdapter,
} from '@ledger-ops/cloud-wallet';
import { importAdapter, openProcessAdapter, type Timing as ProcessTiming } from '@ledger-ops/plugin-host';
import { openCredentials, type PluginCredentials } from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import type { LedgerDefinition } from '../ledger-definition.ts';
import type { Log } from '../log.ts';
import type { Timing } from '../timing.ts';
import { currentTraceparent } from '../traces/trace-scope.ts';
import type { Entry } from './entry.ts';
import { readDefinition } from './kept-definition.ts';
import { plainFields } from './log-fields.ts';
import { measured, thrownWords } from './measure.ts';
import { remoteDefinition } from './remote/remote-definition.ts';
import { RemoteHealth } from './remote/remote-health.ts';
import { matchesIntegrity, type ResolvedModule, resolvePlugin, unpinned } from './resolve-module.ts';
import {
  type KeptDefinition,
  type LoadedPlugin,
  type PluginPolicy,
  type PluginRecord,
  type PluginSource,
  unusable,
} from './types.ts';

/** Limits of plugins that run in separate processes. Default: those of `openProcessAdapter`. */
export interface PluginLimits {
  memoryLimitMb?: number;
  /** Logs everything that modules throw. Only for development servers. */
  showThrown?: boolean;
  /** Timeouts and intervals. `call` also applies to remote plugins. */
  timing?: Partial<ProcessTiming>;
}

/** Source and permissions of the plugins that are not built in. */
export interface PluginRecords {
  source: PluginSource;
  policy: PluginPolicy;
  /** Private addresses at which remote plugins are allowed. */
  outbound: OutboundPolicy;
  /** Seals the secrets that identify wallets to remote plugins. */
  masterKey: MasterKey;
}

export interface PluginOpenerOptions {
  /**
   * Built-in adapters. For a remote plugin, the built-in adapter of the same technology parses contract
   * interfaces and supplies a missing description.
   */
  builtIn: readonly AdapterDefinition[];
  records: PluginRecords | undefined;
  limits: PluginLimits;
  log: Log;
  now: () => number;
  timing: Pick<Timing, 'remoteCall' | 'probe'>;
  /** Called when a remote plugin returned another description, with the plugin that uses that description. */
  redescribed: (entry: Entry, plugin: LoadedPlugin) => void;
  /** Aborted when the loader is closed. Nothing more is opened after that. */
  closing: AbortSignal;
}

/**
 * Opens the adapters of plugin records: trusted modules in this process, other modules in separate processes, and
 * remote plugins by URL. An entry is in `#processes` from the moment its process starts until `end` has closed it.
 */
export class PluginOpener {
  readonly #options: PluginOpenerOptions;
  readonly #processes = new Set<Entry>();

  constructor(options: PluginOpenerOptions) {
    this.#options = options;
  }

  /** @throws Problem `no-plugin`, `plugin-fault`, `unavailable` */
  async open(entry: Entry): Promise<LoadedPlugin> {
    const { record } = entry;
    if (this.#options.closing.aborted || this.#options.records === undefined)
      throw new Problem('unavailable', 'The server is stopping.');
    try {
      const found = await resolvePlugin(record, this.#options.records.policy);
      return this.#loadedFrom(entry, await this.#definitionOf(entry, found, this.#options.records));
    } catch (error) {
      const thrown = thrownWords(error);
      if (thrown !== undefined) entry.thrown ??= thrown;
      if (thrown !== undefined)
        this.#options.log('error', 'plugin.failed', { pluginId: record.pluginId, error: thrown });
      throw problemFrom(error);
    }
  }

  #loadedFrom({ record, measurements }: Entry, definition: LedgerDefinition): LoadedPlugin {
    return {
      uid: record.uid,
      name: record.name,
      definition: measured(definition, measurements, this.#options.now, (words) =>
        this.#options.log('error', 'plugin.failed', { pluginId: record.pluginId, error: words }),
      ),
    };
  }

  async #definitionOf(
    entry: Entry,
    found: Awaited<ReturnType<typeof resolvePlugin>>,
    from: PluginRecords,
  ): Promise<LedgerDefinition> {
    if ('url' in found) return this.#openRemote(entry, found.url, from);
    return found.trusted
      ? importAdapter(found.file, entry.record.name)
      : this.#openProcess(entry, found, from.policy);
  }

  async #openRemote(
    entry: Entry,
    url: string,
    { source, outbound, masterKey }: PluginRecords,
  ): Promise<LedgerDefinition> {
    const { name } = entry.record;
    const { bearerToken, ...certificates } = credentialsOf(entry.record, masterKey);
    const timeoutMs = this.#options.limits.timing?.call ?? this.#options.timing.remoteCall;
    const guarded = createGuardedFetch(
      { ...outbound, tenant: entry.record.organizationUid ?? entry.record.uid },
      { tls: tlsOf(certificates), timeoutMs, limits: remoteAnswers },
    );
    entry.disconnect = async () => {
      entry.remote?.close();
      await guarded.close();
    };
    const client = createCloudWalletClient({
      url,
      exchange: (to, init, use) =>
        guarded.exchange(to, init, use).catch((error: unknown) => throwOutbound(name, error)),
      timeoutMs,
      plugin: name,
      traceparent: currentTraceparent,
      completed: (failure, startedAt) => {
        const { measurements, remote: health } = entry;
        if (failure !== null) measurements.lastError = { at: this.#options.now(), detail: failure.message };
        health?.record(failure, startedAt);
      },
      ...(bearerToken === undefined ? {} : { headers: { authorization: `Bearer ${bearerToken}` } }),
    });
    const gated = withoutRefused(client, entry);
    const demandChains = (former: DescribedChains) => (said: RemoteAdapterDefinition) => {
      if (said.technology === former.technology && this.#namespaceOf(said) === this.#namespaceOf(former))
        return;
      throw otherChains(name, said, former);
    };
    const stored = await storedDefinition(source, entry.record);
    let remote = await remoteAdapter(gated, stored === undefined ? undefined : demandChains(stored));
    const reader = this.#readerOf(remote);
    const define = (said: RemoteAdapterDefinition) =>
      remoteDefinition(said, {
        masterKey,
        url,
        namespace: this.#namespaceOf(said),
        ...(reader === undefined ? {} : { readInterface: (text) => reader.readInterface(text) }),
      });
    entry.remote = this.#watch(entry, async () => {
      const said = await remoteAdapter(gated, demandChains(remote));
      if (isSameDescription(said, remote)) return;
      remote = said;
      this.#options.redescribed(entry, this.#loadedFrom(entry, define(said)));
    });
    return define(remote);
  }

  #readerOf({ technology }: DescribedChains): AdapterDefinition | undefined {
    return this.#options.builtIn.find((adapter) => adapter.technology === technology);
  }

  /** Returns the CAIP-2 namespace of the chains of a plugin's ledgers. */
  #namespaceOf(plugin: DescribedChains): string {
    const description = plugin.description ?? this.#readerOf(plugin)?.description;
    return description?.namespace ?? plugin.technology;
  }

  /** @param probe reads the plugin's description, and replaces the known one if it differs */
  #watch(entry: Entry, probe: () => Promise<void>): RemoteHealth {
    const { pluginId } = entry.record;
    return new RemoteHealth({
      probe: async () => {
        try {
          await probe();
          entry.refused = undefined;
        } catch (error) {
          if (error instanceof AdapterError && error.code === 'adapter-fault') entry.refused = error;
          throw error;
        }
      },
      intervalMs: this.#options.timing.probe,
      changed: (fault) => {
        if (fault === null) this.#options.log('info', 'plugin.responds', { pluginId });
        else this.#options.log('warn', 'plugin.unresponsive', { pluginId, detail: fault.message });
      },
    });
  }

  async #openProcess(
    entry: Entry,
    { file, folder, workspace }: ResolvedModule,
    { closed: unreadable = [], isolation = 'best', processes: most = Number.POSITIVE_INFINITY }: PluginPolicy,
  ): Promise<AdapterDefinition> {
    const { pluginId, name, organizationUid } = entry.record;
    this.#reserveProcess(entry, most);
    const opening = openProcessAdapter({
      specifier: file,
      plugin: name,
      ...(organizationUid === null ? {} : { tenant: organizationUid }),
      folder,
      ...(workspace === undefined ? {} : { workspace }),
      closed: unreadable,
      isolation,
      refusal: () => (matchesIntegrity(entry.record, file) ? undefined : unpinned),
      signal: this.#options.closing,
      ...this.#options.limits,
      log: (level, event, fields) => {
        if (event === 'plugin.broken' && typeof fields?.error === 'string') entry.thrown = fields.error;
        this.#options.log(level, event, { ...plainFields(fields), plugin: name, pluginId });
      },
    });
    const adapter = await opening.catch((error: unknown) => {
      this.#processes.delete(entry);
      throw error;
    });
    if (this.#options.closing.aborted) await adapter.close();
    entry.process = adapter;
    return adapter;
  }

  /**
   * Reserves a process. An organization can start another process only if it has fewer processes than are free. So the
   * first organization gets at most half of all processes, and each further organization at most half of the rest.
   * @throws Problem `unavailable` if the organization gets no process
   */
  #reserveProcess(entry: Entry, most: number): void {
    const { name, organizationUid } = entry.record;
    const free = most - this.#processes.size;
    const own = [...this.#processes].filter(
      ({ record }) => record.organizationUid === organizationUid,
    ).length;
    const isShared = organizationUid !== null && own >= free;
    if (free > 0 && !isShared) {
      this.#processes.add(entry);
      return;
    }
    const whose =
      free <= 0
        ? `this server runs ${this.#processes.size} plugins in separate processes, and at most ${most} are allowed`
        : `${own} plugins of its organization run in separate processes, and the remaining ${free} of this server are reserved for others`;
    const detail = `The plugin ${name} was not started: ${whose} (PLUGIN_PROCESSES). Deactivate or delete plugins that are not used, or ask the deployer to allow more.`;
    throw new Problem('unavailable', detail);
  }

  /**
   * Closes an adapter. An opening in progress is aborted if it is remote or the loader is closed; otherwise this method
   * waits for it.
   */
  async end(entry: Entry): Promise<void> {
    // Aborts a pending request for the remote plugin's description.
    await entry.disconnect?.();
    await entry.plugin.catch(() => undefined);
    await entry.process?.close();
    this.#processes.delete(entry);
  }
}

/** Refuses all requests except those for the plugin's description, while that description cannot be used. */
function withoutRefused(client: CloudWalletClient, entry: Entry): CloudWalletClient {
  return {
    plugin: client.plugin,
    async call(one) {
      if (entry.refused !== undefined && one.path !== paths.plugin)
        throw new AdapterError({ ...entry.refused.problem, phase: one.phase });
      return await client.call(one);
    },
  };
}

type DescribedChains = Pick<KeptDefinition, 'technology' | 'description'>;

/**
 * Returns the stored definition of a record's plugin. Undefined if the plugin was never loaded from the record's URL,
 * for example before the record is written.
 */
async function storedDefinition(
  source: PluginSource,
  { uid, url }: PluginRecord,
): Promise<KeptDefinition | undefined> {
  // The stored definition belongs to the URL in the written record, which may be about to change.
  const written = (await source.all()).find((record) => record.uid === uid);
  if (written?.url !== url) return undefined;
  const text = (await source.descriptions([uid])).get(uid);
  return text === undefined ? undefined : readDefinition(text);
}

function otherChains(name: string, other: DescribedChains, former: DescribedChains) {
  const what =
    other.technology === former.technology
      ? 'another namespace of its chains than before'
      : `the technology ${plainWords(other.technology, 100)} instead of ${former.technology}`;
  const remedy =
    'Restore its former description. If the change is intended, register the plugin again and deactivate this one.';
  return adapterError('adapter-fault', `The plugin ${name} now has ${what}. ${remedy}`, { phase: 'open' });
}

function isSameDescription(one: RemoteAdapterDefinition, other: RemoteAdapterDefinition): boolean {
  return isDeepStrictEqual({ ...one, open: null }, { ...other, open: null });
}

/** @throws Problem `no-plugin` */
function credentialsOf(record: PluginRecord, masterKey: MasterKey): PluginCredentials {
  try {
    return openCredentials(masterKey, record);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const why = 'its credentials cannot be decrypted with this server’s master key; enter them again';
    throw new Problem('no-plugin', unusable(record, why));
  }
}

function tlsOf({ clientCertificate: cert, clientKey: key, certificateAuthority: ca }: PluginCredentials) {
  return { ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) };
}

/**
 * One byte above the limit of the protocol's client, so that the client's error names the limit. The number of values
 * can be high, because the client parses responses in slices.
 */
const remoteAnswers = { bytes: protocolLimits.answerBytes + 1, values: 2_000_000 };

/**
 * Throws the outbound guard's refusal as an error for the plugin's users. Rethrows other errors unchanged.
 */
function throwOutbound(name: string, error: unknown): never {
  if (!(error instanceof ExchangeError) || error.failure !== 'not-opened') throw error;
  const detail = `The plugin ${name} has a private address that this server does not allow. Its deployer can add the address to OUTBOUND_OPEN.`;
  throw adapterError('not-opened', detail, { phase: 'open' });
}

import { type AdapterDefinition, adapterError, type OutboundPolicy } from '@ledger-ops/adapter';
import { type MasterKey, Problem, SealError } from '@ledger-ops/base';
import { createCloudWalletClient, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { createGuardedFetch, isNotOpened } from '@ledger-ops/outbound';
import { importAdapter, openProcessAdapter, type Timing as ProcessTiming } from '@ledger-ops/plugin-host';
import { openCredentials, type PluginCredentials } from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import type { LedgerDefinition } from '../ledger-definition.ts';
import type { Log } from '../log.ts';
import type { Timing } from '../timing.ts';
import { currentTraceparent } from '../traces/trace-scope.ts';
import type { Entry } from './entry.ts';
import { plainFields } from './log-fields.ts';
import { measured, thrownWords } from './measure.ts';
import { remoteDefinition } from './remote/remote-definition.ts';
import { type ResolvedModule, resolvePlugin } from './resolve-module.ts';
import {
  type LoadedPlugin,
  type PluginPolicy,
  type PluginRecord,
  type PluginSource,
  unusable,
} from './types.ts';

/** Of plugins in processes of their own. Absent: the defaults of `openProcessAdapter`. */
export interface PluginLimits {
  memoryLimitMb?: number;
  /** Whether all that modules throw is told in the log: for a development server. */
  showThrown?: boolean;
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

export interface PluginOpenerOptions {
  /** One of a remote plugin's technology reads interfaces for it, and describes what it does not. */
  builtIn: readonly AdapterDefinition[];
  records: PluginRecords | undefined;
  limits: PluginLimits;
  log: Log;
  now: () => number;
  timing: Pick<Timing, 'remoteCall'>;
  /** Whether the loader was closed: nothing is opened any more. */
  isClosed(): boolean;
}

/** Makes adapters of records: in this process, in one of their own, or by URL. */
export interface PluginOpener {
  /** @throws Problem `no-plugin`, `plugin-fault`, `unavailable` */
  open(entry: Entry): Promise<LoadedPlugin>;
  /** Ends what was opened, once it is there. */
  end(entry: Entry): Promise<void>;
}

export function createPluginOpener(options: PluginOpenerOptions): PluginOpener {
  const { records, limits, log, now, timing, isClosed } = options;
  /** Those that have a process of their own, or are getting it. */
  const processes = new Set<Entry>();

  async function open(entry: Entry): Promise<LoadedPlugin> {
    const { record, measurements } = entry;
    if (isClosed() || records === undefined) throw new Problem('unavailable', 'The server is stopping.');
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
    if (isClosed()) await adapter.close();
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

  return { open, end };
}

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

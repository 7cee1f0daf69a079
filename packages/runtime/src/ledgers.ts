import type { ChainIdentity, OutboundPolicy } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { createRedactor } from '@ledger-ops/plugin-host';
import type { LedgerRecord, NodeRecord } from '@ledger-ops/registry';
import { problemFrom } from './adapter-problem.ts';
import { createTally } from './concurrency/tally.ts';
import type { LedgerDefinition } from './ledger-definition.ts';
import type { Log } from './log.ts';
import { type Meter, noMeter } from './meter.ts';
import { NodeLatency } from './node-latency.ts';
import { OpenLedger } from './open-ledger.ts';
import type { PluginLoader } from './plugins/loader.ts';
import { plainFields } from './plugins/log-fields.ts';
import { meteredSession } from './plugins/metered-session.ts';
import type { LoadedPlugin } from './plugins/types.ts';
import { unrecordedLedger } from './plugins/unrecorded-ledger.ts';
import type { RegistryPort } from './registry-port.ts';
import { defaultTiming } from './timing.ts';
import { currentTraceparent } from './traces/trace-scope.ts';
import { createTraces, type Traces } from './traces/traces.ts';

export interface LedgersOptions {
  registry: Pick<RegistryPort, 'ledgerByUid'>;
  plugins: Pick<PluginLoader, 'choose' | 'plugin' | 'isCurrent' | 'sweep'>;
  log: Log;
  /** Default: no metrics. */
  meter?: Meter;
  /** Default: no traces. */
  traces?: Traces;
  now: () => number;
  /** Private addresses that sessions may connect to. */
  outbound: OutboundPolicy;
  /**
   * Returns the tenant of a project. The memory for nodes' responses is divided among tenants. Default: the project
   * itself.
   */
  tenantOf?: (projectUid: string) => Promise<string>;
  /**
   * Milliseconds for which a replaced session stays open, so that its calls in progress can complete. Default: 60,000.
   */
  grace?: number;
}

/** A session on a ledger, open or being opened. */
interface Opening {
  revision: number;
  plugin: LoadedPlugin;
  open: Promise<OpenLedger>;
  /** Undefined until `open` resolves. */
  ready?: OpenLedger;
  abort: AbortController;
  retiredAt?: number;
}

/** The fields of a ledger's record that are needed to read its nodes. */
export type ProbedLedger = Pick<LedgerRecord, 'ledgerId' | 'projectUid' | 'technology' | 'properties'>;

/**
 * Opens each ledger once with each of its plugins, and again when the ledger's record or the plugin changes.
 *
 * A session is current (`#current`) until its record or plugin changes. After that, it is in `#replaced` until its
 * calls in progress are done, and is then closed. `#awaited` counts the sessions that are about to be opened, by
 * plugin.
 */
export class Ledgers {
  readonly #options: LedgersOptions;
  readonly #meter: Meter;
  readonly #traces: Traces;
  /** The current session of each ledger, by ledger and plugin. */
  readonly #current = new Map<string, Opening>();
  readonly #replaced = new Set<Opening>();
  readonly #awaited = createTally();

  constructor(options: LedgersOptions) {
    this.#options = options;
    this.#meter = options.meter ?? noMeter;
    this.#traces = options.traces ?? createTraces();
  }

  /**
   * Returns the session of a ledger with the plugin `pluginId` or, if that is absent or empty, with the plugin that
   * fits best.
   * @param projectUid the project of the wallet; default: the project of the ledger
   * @throws Problem `not-found`, `no-plugin`, `plugin-fault`
   */
  async open(
    ledgerUid: string,
    { pluginId, projectUid }: { pluginId?: string; projectUid?: string } = {},
  ): Promise<OpenLedger> {
    const record = await this.#recordOf(ledgerUid);
    const project = projectUid ?? record.projectUid ?? '';
    const plugin = await this.#options.plugins.choose(record, project, pluginId);
    return this.#openWith(record, plugin);
  }

  /**
   * Returns the session with the plugin that planned an accepted action. Returns null if the plugin was deleted, or if
   * it is inactive and `inactive` is not set.
   * @throws Problem `not-found`, `no-plugin`, `plugin-fault`
   */
  async reopen(
    ledgerUid: string,
    pluginUid: string,
    { inactive = false }: { inactive?: boolean } = {},
  ): Promise<OpenLedger | null> {
    const record = await this.#recordOf(ledgerUid);
    this.#awaited.add(pluginUid);
    try {
      const plugin = await this.#options.plugins.plugin(pluginUid, inactive);
      return plugin === null ? null : await this.#openWith(record, plugin);
    } finally {
      this.#awaited.remove(pluginUid);
    }
  }

  /**
   * Returns the adapter that serves a project's ledgers of a technology with these `plugin_tags`, for requests that do
   * not name a ledger, or name one that does not exist yet.
   * @throws Problem `no-plugin`, `plugin-fault`
   */
  async reader(
    technology: string,
    projectUid: string,
    pluginTags: readonly string[] = [],
    ledgerId = '',
  ): Promise<LedgerDefinition> {
    const properties = { plugin_tags: [...pluginTags] };
    const ledger = { ledgerId, projectUid, technology, properties };
    return (await this.#options.plugins.choose(unrecordedLedger(ledger), projectUid)).definition;
  }

  /**
   * Reads which chain a node is on, through the plugin that would serve the ledger. Neither the ledger nor
   * the node has to be registered.
   * @throws Problem `no-plugin`, `plugin-fault`, `ledger-unavailable`, `ledger-timeout`
   */
  async probe(
    ledger: ProbedLedger,
    { nodeId, uri, properties = {} }: Pick<NodeRecord, 'nodeId' | 'uri' | 'properties'>,
  ): Promise<ChainIdentity> {
    const record = unrecordedLedger(ledger);
    const plugin = await this.#options.plugins.choose(record, record.projectUid ?? '');
    const node = { uid: '', nodeId, name: nodeId, uri, client: null, properties };
    const abort = new AbortController();
    const open = await this.#openSession({ ...record, nodes: [node] }, plugin, abort.signal);
    try {
      return await open.chain();
    } finally {
      abort.abort();
      await open.session.close();
    }
  }

  /** Whether the ledger exists. */
  async isRecorded(ledgerUid: string): Promise<boolean> {
    return (await this.#options.registry.ledgerByUid(ledgerUid)) !== null;
  }

  /** Returns whether the ledger's record and the plugin are unchanged and still exist. */
  async isCurrent(open: OpenLedger): Promise<boolean> {
    const one = this.#current.get(keyOf(open.record.uid, open.pluginUid));
    return one?.ready === open && this.#isUsable(one, open.record.uid);
  }

  /** Closes replaced sessions that are not in use, and stops plugins that are no longer needed. */
  async sweep(inUse: (open: OpenLedger) => boolean): Promise<void> {
    const { now, plugins, grace = defaultTiming.closeReplaced } = this.#options;
    for (const [key, one] of this.#current) {
      const ledgerUid = key.slice(0, key.indexOf(' '));
      if (!(await this.#isUsable(one, ledgerUid))) this.#replace(key, one);
    }
    const used = new Set<LoadedPlugin>();
    for (const one of this.#replaced) {
      const age = now() - (one.retiredAt ?? 0);
      if (age < grace || one.ready === undefined || inUse(one.ready)) {
        used.add(one.plugin);
      } else {
        this.#replaced.delete(one);
        await closeOpening(one);
      }
    }
    await plugins.sweep(
      // This is decided again for each plugin, because a ledger may have been opened in the meantime.
      (plugin) => used.has(plugin) || [...this.#current.values()].some((one) => one.plugin === plugin),
      (uid) => this.#awaited.of(uid) > 0,
    );
  }

  async close(): Promise<void> {
    for (const one of [...this.#current.values(), ...this.#replaced]) await closeOpening(one);
    this.#current.clear();
    this.#replaced.clear();
  }

  async #recordOf(ledgerUid: string): Promise<LedgerRecord> {
    const record = await this.#options.registry.ledgerByUid(ledgerUid);
    if (record === null) throw new Problem('not-found', 'The ledger does not exist.');
    return record;
  }

  #openWith(record: LedgerRecord, plugin: LoadedPlugin): Promise<OpenLedger> {
    const key = keyOf(record.uid, plugin.uid);
    const known = this.#current.get(key);
    if (known !== undefined && known.revision === record.revision && known.plugin === plugin)
      return known.open;
    // The previous session stays open until the engine has moved its tracker to the new session.
    if (known !== undefined) this.#replace(key, known);
    const abort = new AbortController();
    const opening: Opening = {
      revision: record.revision,
      plugin,
      abort,
      open: this.#openSession(record, plugin, abort.signal),
    };
    this.#current.set(key, opening);
    opening.open.then(
      (open) => {
        opening.ready = open;
      },
      () => {
        if (this.#current.get(key) === opening) this.#current.delete(key);
        this.#replaced.delete(opening);
      },
    );
    return opening.open;
  }

  async #openSession(
    record: LedgerRecord,
    { uid, name, definition }: LoadedPlugin,
    signal: AbortSignal,
  ): Promise<OpenLedger> {
    const { outbound, tenantOf, now, log } = this.#options;
    const { projectUid } = record;
    const tenant = projectUid === null ? 'deployer' : ((await tenantOf?.(projectUid)) ?? projectUid);
    const config = {
      ledgerId: record.ledgerId,
      technology: record.technology,
      properties: { ...record.properties },
      nodes: record.nodes.map(({ nodeId, uri, properties }) => ({
        nodeId,
        uri,
        ...(properties === undefined ? {} : { properties }),
      })),
      outbound: { ...outbound, tenant },
    };
    const redactor = createRedactor();
    redactor.learn(config);
    const latency = new NodeLatency();
    const bare = await definition
      .open(config, {
        now,
        signal,
        traceparent: currentTraceparent,
        requested: (method, result, milliseconds) => {
          latency.note(result, milliseconds);
          this.#meter.requested(record.ledgerId, method, result, milliseconds);
          this.#traces.requested(record.ledgerId, method, result, milliseconds);
        },
        // The plugin may add fields, but cannot override `plugin` and `ledgerId`.
        log: (level, event, fields) => {
          const whose = { plugin: name, ledgerId: record.ledgerId };
          log(level, `plugin.${event}`, { ...redactor.redactJson(plainFields(fields)), ...whose });
        },
      })
      .catch((error: unknown) => {
        throw problemFrom(error);
      });
    const session =
      this.#meter === noMeter
        ? bare
        : meteredSession(bare, (method, result, milliseconds) =>
            this.#meter.called(record.ledgerId, method, result, milliseconds),
          );
    return new OpenLedger({ record, definition, session, pluginUid: uid, latency });
  }

  #replace(key: string, one: Opening): void {
    one.retiredAt = this.#options.now();
    this.#replaced.add(one);
    if (this.#current.get(key) === one) this.#current.delete(key);
  }

  async #isUsable({ plugin, revision }: Opening, ledgerUid: string): Promise<boolean> {
    const record = await this.#options.registry.ledgerByUid(ledgerUid);
    return record?.revision === revision && (await this.#options.plugins.isCurrent(plugin));
  }
}

async function closeOpening({ open, abort }: Opening): Promise<void> {
  abort.abort();
  await open.then(({ session }) => session.close()).catch(() => {});
}

function keyOf(ledgerUid: string, pluginUid: string): string {
  return `${ledgerUid} ${pluginUid}`;
}

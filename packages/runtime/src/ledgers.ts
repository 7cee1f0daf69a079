import type { ChainIdentity, OutboundPolicy } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { createRedactor } from '@ledger-ops/plugin-host';
import type { LedgerRecord } from '@ledger-ops/registry';
import { problemFrom, retryAfter } from './adapter-problem.ts';
import { createTally } from './concurrency/tally.ts';
import type { Log } from './log.ts';
import { deafMeter, type Meter } from './meter.ts';
import type { Ledgers, OpenLedger, ProbedLedger } from './open-ledger.ts';
import type { PluginLoader } from './plugins/loader.ts';
import { plainFields } from './plugins/log-fields.ts';
import { meteredSession } from './plugins/metered-session.ts';
import type { LoadedPlugin } from './plugins/types.ts';
import type { RegistryPort } from './registry-port.ts';
import { defaultTiming } from './timing.ts';
import { currentTraceparent } from './traces/trace-scope.ts';
import { createTraces, type Traces } from './traces/traces.ts';

export interface LedgersOptions {
  registry: Pick<RegistryPort, 'ledgerByUid'>;
  plugins: Pick<PluginLoader, 'choose' | 'plugin' | 'isCurrent' | 'sweep'>;
  log: Log;
  /** Default: nobody counts. */
  meter?: Meter;
  /** Default: nobody records traces. */
  traces?: Traces;
  now: () => number;
  /** Where sessions may connect to beside public addresses. */
  outbound: OutboundPolicy;
  /** Milliseconds that a replaced session stays open for calls under way; default 60,000. */
  grace?: number;
}

interface Opened {
  revision: number;
  plugin: LoadedPlugin;
  open: Promise<OpenLedger>;
  /** Once it is open. */
  ready?: OpenLedger;
  abort: AbortController;
  retiredAt?: number;
}

/** Opens each ledger once with each of its plugins, and again when the ledger's record or the module changes. */
export function createLedgers(options: LedgersOptions): Ledgers {
  const {
    registry,
    plugins,
    outbound,
    log,
    meter = deafMeter,
    now,
    grace = defaultTiming.closeReplaced,
  } = options;
  const traces = options.traces ?? createTraces();
  const opened = new Map<string, Opened>();
  const retired = new Set<Opened>();
  /** Plugins on the way to a ledger: no session says yet that they are in use. */
  const awaited = createTally();

  async function recordOf(ledgerUid: string): Promise<LedgerRecord> {
    const record = await registry.ledgerByUid(ledgerUid);
    if (record === null) throw new Problem('not-found', 'There is no such ledger.');
    return record;
  }

  function openWith(record: LedgerRecord, plugin: LoadedPlugin): Promise<OpenLedger> {
    const key = keyOf(record.uid, plugin.uid);
    const known = opened.get(key);
    if (known !== undefined && known.revision === record.revision && known.plugin === plugin)
      return known.open;
    // The engine moves its line to the new session; the former one stays open until then.
    if (known !== undefined) retire(key, known);
    const abort = new AbortController();
    const one: Opened = {
      revision: record.revision,
      plugin,
      abort,
      open: openSession(record, plugin, abort.signal),
    };
    opened.set(key, one);
    one.open.then(
      (open) => {
        one.ready = open;
      },
      () => {
        if (opened.get(key) === one) opened.delete(key);
        retired.delete(one);
      },
    );
    return one.open;
  }

  async function openSession(
    record: LedgerRecord,
    { uid, name, definition }: LoadedPlugin,
    signal: AbortSignal,
  ): Promise<OpenLedger> {
    const config = {
      ledgerId: record.ledgerId,
      technology: record.technology,
      properties: { ...record.properties },
      nodes: record.nodes.map(({ nodeId, uri, properties }) => ({
        nodeId,
        uri,
        ...(properties === undefined ? {} : { properties }),
      })),
      outbound,
    };
    const redactor = createRedactor();
    redactor.learn(config);
    const bare = await definition
      .open(config, {
        now,
        signal,
        traceparent: currentTraceparent,
        ...((meter !== deafMeter || traces.isRecorded) && {
          requested(...request) {
            meter.requested(record.ledgerId, ...request);
            traces.requested(record.ledgerId, ...request);
          },
        }),
        // A plugin may write what it likes, but not that it was another one, or on another ledger.
        log: (level, event, fields) => {
          const whose = { plugin: name, ledgerId: record.ledgerId };
          log(level, `plugin.${event}`, { ...redactor.redactJson(plainFields(fields)), ...whose });
        },
      })
      .catch((error: unknown) => {
        throw problemFrom(error);
      });
    const session =
      meter === deafMeter
        ? bare
        : meteredSession(bare, (method, result, milliseconds) =>
            meter.called(record.ledgerId, method, result, milliseconds),
          );
    let identity: Promise<ChainIdentity> | undefined;

    async function chainOfAll(): Promise<ChainIdentity> {
      const answer = session.chain({ everyNode: true }).catch((error: unknown) => {
        throw problemFrom(error);
      });
      // The answer of one node before is in doubt, whatever comes of it.
      const all = await answer.finally(() => {
        identity = undefined;
      });
      if (all.unsure !== undefined) {
        const detail = `Actions of the ledger ${record.ledgerId} are signed for another chain than the one that a node shows now. They are given up when every node shows it, and that is not sure: ${all.unsure}`;
        throw new Problem('ledger-unavailable', detail, { retryAfter });
      }
      identity = answer;
      return all;
    }

    return {
      record,
      definition,
      session,
      pluginUid: uid,
      chain(request) {
        if (request !== undefined) return chainOfAll();
        identity ??= session.chain().catch((error: unknown) => {
          identity = undefined;
          throw problemFrom(error);
        });
        return identity;
      },
    };
  }

  /** A record of what is not recorded, for the choice of a plugin. */
  function unrecorded({ ledgerId, projectUid, technology, properties }: ProbedLedger): LedgerRecord {
    const known = { ledgerId, projectUid, technology, properties };
    return { ...known, uid: '', id: 0, name: ledgerId, active: true, nodes: [], revision: 0 };
  }

  function retire(key: string, one: Opened): void {
    one.retiredAt = now();
    retired.add(one);
    if (opened.get(key) === one) opened.delete(key);
  }

  async function end({ open, abort }: Opened): Promise<void> {
    abort.abort();
    await open.then(({ session }) => session.close()).catch(() => {});
  }

  async function isUsable({ plugin, revision }: Opened, ledgerUid: string): Promise<boolean> {
    const record = await registry.ledgerByUid(ledgerUid);
    return record?.revision === revision && (await plugins.isCurrent(plugin));
  }

  return {
    async open(ledgerUid, { pluginId, projectUid } = {}) {
      const record = await recordOf(ledgerUid);
      const plugin = await plugins.choose(record, projectUid ?? record.projectUid ?? '', pluginId);
      return openWith(record, plugin);
    },
    async reopen(ledgerUid, pluginUid, { inactive = false } = {}) {
      const record = await recordOf(ledgerUid);
      awaited.add(pluginUid);
      try {
        const plugin = await plugins.plugin(pluginUid, inactive);
        return plugin === null ? null : await openWith(record, plugin);
      } finally {
        awaited.remove(pluginUid);
      }
    },
    async reader(technology, projectUid) {
      const ledger = { ledgerId: technology, projectUid, technology, properties: {} };
      return (await plugins.choose(unrecorded(ledger), projectUid)).definition;
    },
    async probe(ledger, { nodeId, uri, properties = {} }) {
      const record = unrecorded(ledger);
      const plugin = await plugins.choose(record, record.projectUid ?? '');
      const node = { uid: '', nodeId, name: nodeId, uri, client: null, properties };
      const abort = new AbortController();
      const open = await openSession({ ...record, nodes: [node] }, plugin, abort.signal);
      try {
        return await open.chain();
      } finally {
        abort.abort();
        await open.session.close();
      }
    },
    isRecorded: async (ledgerUid) => (await registry.ledgerByUid(ledgerUid)) !== null,
    async isCurrent(open) {
      const one = opened.get(keyOf(open.record.uid, open.pluginUid));
      return one?.ready === open && isUsable(one, open.record.uid);
    },
    async sweep(inUse) {
      for (const [key, one] of opened) {
        const ledgerUid = key.slice(0, key.indexOf(' '));
        if (!(await isUsable(one, ledgerUid))) retire(key, one);
      }
      const used = new Set<LoadedPlugin>();
      for (const one of retired) {
        const age = now() - (one.retiredAt ?? 0);
        if (age < grace || one.ready === undefined || inUse(one.ready)) {
          used.add(one.plugin);
        } else {
          retired.delete(one);
          await end(one);
        }
      }
      await plugins.sweep(
        // Asked late: a ledger may have been opened meanwhile.
        (plugin) => used.has(plugin) || [...opened.values()].some((one) => one.plugin === plugin),
        (uid) => awaited.of(uid) > 0,
      );
    },
    async close() {
      for (const one of [...opened.values(), ...retired]) await end(one);
      opened.clear();
      retired.clear();
    },
  };
}

function keyOf(ledgerUid: string, pluginUid: string): string {
  return `${ledgerUid} ${pluginUid}`;
}

import type { AdapterDefinition, OutboundPolicy } from '@ledger-ops/adapter';
import type { Auth } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import type { Registry } from '@ledger-ops/registry';
import type { Store } from '@ledger-ops/store';
import { createChangeRequests } from './actions/change-requests.ts';
import { readDeployment } from './actions/deployments.ts';
import { createEmulator } from './actions/emulate.ts';
import { createResolver } from './actions/resolve.ts';
import { createSearch } from './actions/search.ts';
import { createAdmission, createSender } from './actions/send.ts';
import { createBatchSender } from './actions/send-batch.ts';
import type { Actions } from './actions/types.ts';
import { createEngine } from './engine/engine.ts';
import type { EngineState } from './engine/engine-state.ts';
import type { LedgerHealth } from './engine/ledger-health.ts';
import { createSigners } from './keys/signers.ts';
import { createVault } from './keys/vault.ts';
import { createLedgers } from './ledgers.ts';
import type { Log } from './log.ts';
import { deafMeter, type Meter } from './meter.ts';
import type { Ledgers } from './open-ledger.ts';
import { builtInPlugins } from './plugins/built-in.ts';
import { createPluginLoader, type PluginLoader } from './plugins/loader.ts';
import type { PluginLimits, PluginRecords } from './plugins/open-plugin.ts';
import { createPluginSelector, type SelectPlugin } from './plugins/select.ts';
import type { Retention } from './retention.ts';
import type { Faults } from './rows/faults.ts';
import { createSuspensions, type Suspensions } from './suspensions/suspensions.ts';
import { defaultTiming, type Timing } from './timing.ts';
import type { Tracer } from './traces/tracer.ts';
import { createTraces } from './traces/traces.ts';
import { createRenewals } from './wallets/renewals.ts';
import { createDraftSweep } from './wallets/sweep-drafts.ts';
import type { Wallets } from './wallets/types.ts';
import { createWallets } from './wallets/wallets.ts';

/** The running service: wallets, actions, and the ledgers and plugins behind them. */
export interface Runtime {
  wallets: Wallets;
  actions: Actions;
  suspensions: Suspensions;
  ledgers: Ledgers;
  /** Plugins as they run on this server. */
  plugins: Pick<PluginLoader, 'status' | 'offered' | 'inspect' | 'running'> & { select: SelectPlugin };
  /** Starts the engine's lanes. */
  start(): Promise<void>;
  /** Finishes what is at hand, gives the lanes back, closes sessions. Loses nothing. */
  stop(): Promise<void>;
  /** For readiness: what is wrong, and of which ledger; empty when all is well. */
  health(): LedgerHealth[];
  /** For metrics: what is pending, and what this server does for it. */
  state(): Promise<EngineState>;
}

export interface RuntimeOptions {
  store: Store;
  auth: Auth;
  registry: Registry;
  masterKey: MasterKey;
  /** Built in: they serve ledgers for which there is no plugin record. In order of preference. */
  adapters: readonly AdapterDefinition[];
  /** Where plugin records are, and what the deployer lets them be; absent: there are only the adapters. */
  plugins?: Pick<PluginRecords, 'source' | 'policy'>;
  /** Of plugins in processes of their own. */
  pluginLimits?: PluginLimits;
  /** Where nodes and remote plugins may be beside public addresses. */
  outbound: OutboundPolicy;
  log: Log;
  /** Default: nobody counts. */
  meter?: Meter;
  /** Default: nobody records traces. */
  tracer?: Tracer;
  /** Milliseconds since the epoch; the system's clock unless given. */
  now?: () => number;
  /** Characters of a wallet password; default 12. */
  minPasswordLength?: number;
  /** Default: everything is kept. */
  retention?: Retention;
  /** Default: `defaultTiming`. */
  timing?: Partial<Timing>;
  /** For tests that end the process at the worst moments. */
  faults?: Faults;
}

/** Puts the runtime together. Nothing runs until `start`. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { store, auth, registry, masterKey, adapters, log, minPasswordLength, faults } = options;
  const meter = options.meter ?? deafMeter;
  const traces = createTraces(options.tracer);
  const now = options.now ?? Date.now;
  const timing = { ...defaultTiming, ...options.timing };
  const signers = createSigners();
  const vault = createVault({ masterKey, store, now, log, signers });
  const plugins = createPluginLoader({
    builtIn: adapters,
    ...(options.plugins === undefined
      ? {}
      : { records: { ...options.plugins, outbound: options.outbound, masterKey } }),
    ...(options.pluginLimits === undefined ? {} : { limits: options.pluginLimits }),
    log,
    now,
    timing,
  });
  const ledgers = createLedgers({ registry, plugins, outbound: options.outbound, log, meter, traces, now });
  const select = createPluginSelector({
    ...{ builtIn: builtInPlugins(adapters), source: options.plugins?.source, ledgers, timing },
  });
  const wallets = createWallets({
    store,
    auth,
    registry,
    ledgers,
    vault,
    log,
    signers,
    now,
    ...(minPasswordLength === undefined ? {} : { minPasswordLength }),
  });
  const engine = createEngine({
    store,
    vault,
    ledgers,
    register: (tx, contract) => registry.registerDeployed(tx, contract),
    log,
    meter,
    traces,
    now,
    ...(options.retention === undefined ? {} : { retention: options.retention }),
    ...(faults === undefined ? {} : { faults }),
    timing,
  });
  const resolver = createResolver({
    auth,
    registry,
    wallets,
    deployments: (projectUid, actionId) => readDeployment(store.read, projectUid, actionId),
  });
  const renewals = createRenewals({ store, signers, log, now });
  const drafts = createDraftSweep({ store, now, log });
  const admit = createAdmission({
    ...{ store, auth, registry, ledgers, vault, wallets, renewals, resolver, engine, now },
  });
  const emulate = createEmulator({ auth, registry, ledgers, wallets, vault, resolver, engine });
  const search = createSearch({
    ...{ store, auth, registry, wallets, ledgers, plugins, engine, masterKey },
  });
  return {
    ledgers,
    plugins: { ...plugins, select },
    wallets,
    suspensions: createSuspensions({ store, auth, registry, wallets, now }),
    actions: {
      ...search,
      ...createChangeRequests({ store, wallets, ledgers, vault, engine, get: search.get, now }),
      send: createSender(admit, traces),
      sendBatch: createBatchSender(admit, engine, traces),
      emulate,
      onChange: engine.onChange,
    },
    async start() {
      drafts.start();
      await engine.start();
    },
    async stop() {
      // The last one first, and each although one before it could not end.
      const parts = new AsyncDisposableStack();
      parts.defer(() => plugins.close());
      parts.defer(() => renewals.idle());
      parts.defer(() => ledgers.close());
      parts.defer(() => drafts.stop());
      parts.defer(() => engine.stop());
      await parts.disposeAsync();
    },
    state: () => engine.state(),
    health: () => engine.health(),
  };
}

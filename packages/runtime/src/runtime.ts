import type { AdapterDefinition, OutboundPolicy } from '@ledger-ops/adapter';
import type { Auth } from '@ledger-ops/auth';
import type { Argon2Cost, MasterKey } from '@ledger-ops/base';
import type { Registry } from '@ledger-ops/registry';
import type { Store } from '@ledger-ops/store';
import { ActionCounter } from './actions/action-counts.ts';
import { ActionSummaries } from './actions/action-summaries.ts';
import { type Actions, joinActions } from './actions/actions.ts';
import { ChangeRequests } from './actions/change-requests.ts';
import { readDeployment } from './actions/deployments.ts';
import { EmittedEventsReader } from './actions/emitted-events.ts';
import { Emulator } from './actions/emulate.ts';
import { OutsideTransactions } from './actions/outside-transactions.ts';
import { ActionOverviews } from './actions/overview.ts';
import { Resolver } from './actions/resolve.ts';
import { ActionSearch } from './actions/search.ts';
import { Sender } from './actions/send.ts';
import { BatchSender } from './actions/send-batch.ts';
import { UnknownMatches } from './actions/unknown-matches.ts';
import { Engine } from './engine/engine.ts';
import type { EngineState } from './engine/engine-state.ts';
import type { FollowedLedger, LedgerHealth } from './engine/ledger-health.ts';
import type { Secp256k1SignerName } from './keys/secp256k1.ts';
import { Signers } from './keys/signers.ts';
import { Vault } from './keys/vault.ts';
import { Ledgers } from './ledgers.ts';
import type { Log } from './log.ts';
import { type Meter, noMeter } from './meter.ts';
import { builtInPlugins } from './plugins/built-in.ts';
import { PluginLoader } from './plugins/loader.ts';
import type { PluginLimits, PluginRecords } from './plugins/open-plugin.ts';
import { createPluginSelector, type SelectPlugin } from './plugins/select.ts';
import type { Public } from './public.ts';
import type { Retention } from './retention.ts';
import type { Faults } from './rows/faults.ts';
import { organizationOf } from './rows/project-name.ts';
import { RecordSearch } from './search/record-search.ts';
import { createSuspensions, type Suspensions } from './suspensions/suspensions.ts';
import { defaultTiming, type Timing } from './timing.ts';
import type { Tracer } from './traces/tracer.ts';
import { createTraces } from './traces/traces.ts';
import { Renewals } from './wallets/renewals.ts';
import { createDraftSweep } from './wallets/sweep-drafts.ts';
import { Wallets } from './wallets/wallets.ts';

/** The running service: wallets, actions, and the ledgers and plugins behind them. */
export interface Runtime {
  wallets: Public<Wallets>;
  actions: Actions;
  suspensions: Suspensions;
  /** Finds records of all kinds by a search term. */
  records: Public<RecordSearch>;
  ledgers: Public<Ledgers>;
  /** The plugins on this server. */
  plugins: Pick<PluginLoader, 'status' | 'offered' | 'inspect' | 'running'>;
  selectPlugin: SelectPlugin;
  /** Starts the engine. */
  start(): Promise<void>;
  /** Completes running work, releases the leases and closes sessions. No accepted action is lost. */
  stop(): Promise<void>;
  /** Returns the ledgers that have problems, each with the reasons. Used for readiness checks. */
  health(): LedgerHealth[];
  /** Returns the ledgers that this server follows, as their nodes last reported them. */
  followed(): FollowedLedger[];
  /** Returns the pending actions, and the ledgers that this server follows. Used for metrics. */
  state(): Promise<EngineState>;
  /** Returns the name of the library that signs with secp256k1 keys on this platform. */
  secp256k1Signer(): Secp256k1SignerName;
}

export interface RuntimeOptions {
  store: Store;
  auth: Auth;
  registry: Registry;
  masterKey: MasterKey;
  /** Built-in adapters, in order of preference. They serve the ledgers that no plugin record serves. */
  adapters: readonly AdapterDefinition[];
  /** Source of plugin records, and the policy for them; if it is omitted, there are only built-in adapters. */
  plugins?: Pick<PluginRecords, 'source' | 'policy'>;
  /** Limits for plugins that run in separate processes. */
  pluginLimits?: PluginLimits;
  /** Private addresses that nodes and remote plugins may have. */
  outbound: OutboundPolicy;
  log: Log;
  /** Default: no metrics. */
  meter?: Meter;
  /** Default: no traces. */
  tracer?: Tracer;
  /** Returns milliseconds since the epoch. Default: the system's clock. */
  now?: () => number;
  /** Minimum length of a wallet password in characters. Default: 12. */
  minPasswordLength?: number;
  /** Cost of deriving keys from wallet passwords. Default: 19 MiB, 2 passes. */
  passwordCost?: Argon2Cost;
  /** Whether the database was certainly not restored to an earlier state. Default: true. */
  isCurrent?: boolean;
  /** Default: keep everything. */
  retention?: Retention;
  /** Default: `defaultTiming`. */
  timing?: Partial<Timing>;
  /** Hook for tests that crash the process at certain points. */
  faults?: Faults;
}

/** Creates a runtime. Nothing runs until `start` is called. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { store, auth, registry, masterKey, adapters, log, minPasswordLength, faults } = options;
  const meter = options.meter ?? noMeter;
  const traces = createTraces(options.tracer);
  const now = options.now ?? Date.now;
  const timing = { ...defaultTiming, ...options.timing };
  const signers = new Signers();
  const vault = new Vault({
    ...{ masterKey, store, now, log, signers },
    ...(options.passwordCost === undefined ? {} : { cost: options.passwordCost }),
  });
  const plugins = new PluginLoader({
    builtIn: adapters,
    ...(options.plugins === undefined
      ? {}
      : { records: { ...options.plugins, outbound: options.outbound, masterKey } }),
    ...(options.pluginLimits === undefined ? {} : { limits: options.pluginLimits }),
    log,
    now,
    timing,
  });
  const ledgers = new Ledgers({
    registry,
    plugins,
    outbound: options.outbound,
    log,
    meter,
    traces,
    now,
    tenantOf: (projectUid) => organizationOf(store.read, projectUid),
  });
  const wallets = new Wallets({
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
  const engine = new Engine({
    store,
    vault,
    ledgers,
    register: (tx, contract) => registry.registerDeployed(tx, contract),
    log,
    meter,
    traces,
    now,
    ...(options.isCurrent === undefined ? {} : { isCurrent: options.isCurrent }),
    ...(options.retention === undefined ? {} : { retention: options.retention }),
    ...(faults === undefined ? {} : { faults }),
    timing,
  });
  const renewals = new Renewals({ store, signers, log, now });
  const drafts = createDraftSweep({ store, now, log });
  const resolver = new Resolver({
    auth,
    registry,
    wallets,
    deployments: (projectUid, actionId) => readDeployment(store.read, projectUid, actionId),
  });
  const sender = new Sender({
    store,
    auth,
    registry,
    ledgers,
    vault,
    wallets,
    renewals,
    resolver,
    engine,
    traces,
    now,
  });
  const search = new ActionSearch({ store, auth, registry, wallets, ledgers, engine });
  const present: ActionSearch['present'] = (rows) => search.present(rows);
  const overviews = new ActionOverviews({ store, auth, plugins, engine, masterKey, present });
  const describe: ActionOverviews['describe'] = (principal, actionId) =>
    overviews.describe(principal, actionId);
  const get: ActionSearch['get'] = (principal, actionId) => search.get(principal, actionId);
  const unknownMatches = new UnknownMatches({ store, ledgers });
  return {
    ledgers,
    plugins,
    selectPlugin: createPluginSelector({
      builtIn: builtInPlugins(adapters),
      source: options.plugins?.source,
      ...{ ledgers, plugins },
      timing,
    }),
    wallets,
    records: new RecordSearch({ store, auth, overviews }),
    suspensions: createSuspensions({ store, auth, registry, wallets, unknownMatches, now }),
    actions: joinActions({
      sender,
      batchSender: new BatchSender({ sender, engine, traces }),
      changeRequests: new ChangeRequests({ store, wallets, ledgers, vault, engine, get, now }),
      outside: new OutsideTransactions({ store, auth, wallets, ledgers, engine, unknownMatches, get, now }),
      search,
      overviews,
      emitted: new EmittedEventsReader({ read: store.read, ledgers, describe }),
      counter: new ActionCounter({ store, auth, engine }),
      summaries: new ActionSummaries({ store, auth }),
      emulator: new Emulator({ auth, registry, ledgers, wallets, vault, resolver, engine }),
      engine,
    }),
    async start() {
      drafts.start();
      await engine.start();
    },
    async stop() {
      // The parts are stopped in reverse order. If stopping one fails, the others are stopped anyway.
      const parts = new AsyncDisposableStack();
      parts.defer(() => plugins.close());
      parts.defer(() => renewals.idle());
      parts.defer(() => ledgers.close());
      parts.defer(() => drafts.stop());
      parts.defer(() => engine.stop());
      await parts.disposeAsync();
    },
    state: () => engine.state(),
    secp256k1Signer: () => signers.secp256k1SignerName(),
    health: () => engine.health(),
    followed: () => engine.followed(),
  };
}

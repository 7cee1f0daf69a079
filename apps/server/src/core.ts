import { type AdapterDefinition, interfaceVersion } from '@ledger-ops/adapter';
import type { Auth } from '@ledger-ops/auth';
import type { MasterKey } from '@ledger-ops/base';
import {
  createPlugins,
  createPluginUrls,
  createRegistry,
  type Plugins,
  type Registry,
} from '@ledger-ops/registry';
import {
  createRuntime,
  type Faults,
  type Meter,
  type Runtime,
  type RuntimeOptions,
  type Tracer,
} from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import type { ServerLog } from './logging/logger.ts';
import type { ServerConfig } from './settings/config.ts';
import { createPlaceCheck } from './settings/plugins.ts';

/** Ledgers, plugins, and the services that use them. */
export interface Core {
  readonly registry: Registry;
  readonly plugins: Plugins;
  readonly runtime: Runtime;
}

export interface CoreOptions {
  readonly config: ServerConfig;
  readonly log: ServerLog;
  readonly adapters: readonly AdapterDefinition[];
  readonly store: Store;
  readonly auth: Auth;
  readonly masterKey: MasterKey;
  readonly now: () => number;
  /** True if the database was certainly not restored to an earlier state. */
  readonly isCurrent?: boolean;
  readonly meter?: Meter;
  readonly tracer?: Tracer;
  readonly faults?: Faults;
  readonly timing?: NonNullable<RuntimeOptions['timing']>;
  readonly passwordCost?: NonNullable<RuntimeOptions['passwordCost']>;
  readonly pluginLimits?: NonNullable<RuntimeOptions['pluginLimits']>;
}

/** Assembles the core from the configuration. Nothing runs before `runtime.start` or after `runtime.stop`. */
export function createCore({
  config,
  log,
  adapters,
  store,
  auth,
  masterKey,
  now,
  ...more
}: CoreOptions): Core {
  const registry = createRegistry({ store, auth, masterKey, now });
  const urls = createPluginUrls(config.plugins.allowed, createPlaceCheck(config.plugins));
  const plugins = createPlugins({
    store,
    auth,
    now,
    urls,
    interfaceVersion,
    masterKey,
    inspect: (candidate) => runtime.plugins.inspect(candidate),
  });
  const { allowed: _allowed, ...place } = config.plugins;
  const runtime = createRuntime({
    store,
    auth,
    registry,
    masterKey,
    adapters,
    plugins: {
      source: plugins,
      policy: {
        locate: urls.locate,
        ...place,
        isolation: config.pluginIsolation,
        processes: config.pluginProcesses,
      },
    },
    outbound: { open: config.outboundOpen },
    log: log.log,
    now,
    minPasswordLength: config.walletPasswordMinimum,
    retention: config.retention,
    ...more,
  });
  return { registry, plugins, runtime };
}

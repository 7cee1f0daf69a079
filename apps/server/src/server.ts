import { mkdir } from 'node:fs/promises';
import type { AdapterDefinition } from '@ledger-ops/adapter';
import { type Admin, type Auth, createAdmin, createAuth, ensureConsole } from '@ledger-ops/auth';
import { createMasterKey } from '@ledger-ops/base';
import type { Plugins, Registry } from '@ledger-ops/registry';
import {
  type ContractEventsOptions,
  createContractEvents,
  createEventLog,
  createWebhooks,
  type Faults,
  type RunningContractEvents,
  type RunningWebhooks,
  type Runtime,
  type RuntimeOptions,
  type WebhooksOptions,
} from '@ledger-ops/runtime';
import { openStore, type Store, StoreError } from '@ledger-ops/store';
import { firstStart } from './administrator.ts';
import { createApp } from './app.ts';
import { readConsole } from './console/read-console.ts';
import { createCore } from './core.ts';
import { databasePlace } from './database-place.ts';
import { createIdempotency } from './http/idempotency.ts';
import { listen } from './http/sockets/listen.ts';
import { createStreams } from './http/streams.ts';
import { checkIsolation } from './isolation.ts';
import type { ServerLog } from './logging/logger.ts';
import { mailTransport } from './mail.ts';
import { createMetrics, type Metrics } from './metrics/create-metrics.ts';
import { serveMetrics } from './metrics/endpoint.ts';
import { createStateReader } from './metrics/state.ts';
import { createContractMethods } from './ports/contract-methods.ts';
import { createGatewayService } from './ports/gateway-service.ts';
import { createPluginPort } from './ports/plugin-port.ts';
import { createRegistryServices, type RegistryServices } from './ports/registry-services.ts';
import { createTechnologies } from './ports/technologies-port.ts';
import { createTimelineFeed } from './ports/timeline-feed.ts';
import type { ServerConfig } from './settings/config.ts';
import { ConfigError } from './settings/config-error.ts';
import { startTicker } from './ticker.ts';
import { startTracing } from './traces/start-tracing.ts';
import { version } from './version.ts';

/** Milliseconds between two looks for mail to send, and for what has expired. */
const upkeepInterval = 30_000;

/** A server's configuration, and everything else that it is started with. */
export interface StartOptions {
  readonly config: ServerConfig;
  readonly log: ServerLog;
  /** Built-in ledger plugins, for ledgers that no plugin record serves; in order of preference. */
  readonly adapters: readonly AdapterDefinition[];
  /** Milliseconds since the epoch; the system's clock unless given. */
  readonly now?: () => number;
  /** For tests that end the process at the worst moments. */
  readonly faults?: Faults;
  /** Whether what modules throw, in processes of their own, is told in full in the log: for who develops them. */
  readonly showThrown?: boolean;
  /** Shorter times than the runtime's own, for tests that would wait for them. */
  readonly timing?: RuntimeOptions['timing'];
  /** The same for webhooks. */
  readonly webhookTiming?: WebhooksOptions['timing'];
  /** The same for events of contracts. */
  readonly contractEventTiming?: ContractEventsOptions['timing'];
}

/** A running server. */
export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The configured public address. */
  readonly baseUrl: string;
  /** Where `/metrics` is answered; undefined where it is not. */
  readonly metricsUrl: string | undefined;
  readonly store: Store;
  readonly auth: Auth;
  readonly admin: Admin;
  readonly registry: Registry;
  readonly plugins: Plugins;
  readonly runtime: Runtime;
  readonly services: RegistryServices;
  /**
   * Takes no new requests, lets those under way finish (bounded), stops the engine, closes the database. What was
   * accepted is on disk and goes on at the next start.
   */
  close(): Promise<void>;
}

/**
 * Starts everything and listens.
 *
 * @throws ConfigError for what the deployer can change: the port is taken, the database is another's …
 */
export async function startServer({
  config,
  log,
  adapters,
  now = Date.now,
  faults,
  showThrown = false,
  timing,
  webhookTiming,
  contractEventTiming,
}: StartOptions): Promise<RunningServer> {
  // Closed in the opposite order, each although one before it could not be.
  const parts = new AsyncDisposableStack();
  let closing = false;
  const closeAll = async () => {
    closing = true;
    await parts.disposeAsync();
  };
  try {
    warnOfSecrets(config, log);
    const warnings = await checkIsolation(config, log.log);
    const { listener, url, baseUrl } = await openPort(config);
    const metrics =
      config.metrics === undefined
        ? undefined
        : createMetrics({ version, database: config.databaseUrl === undefined ? 'sqlite' : 'postgres' });
    const tracing = await startTracing(config.traces, { log: log.log, metrics, now });
    if (tracing !== undefined) parts.defer(() => tracing.close());
    const streams = createStreams({ maximum: config.maxEventStreams });
    const masterKey = createMasterKey(config.masterKey);
    // Until everything is there it answers 503; at the end the requests are waited for first.
    let stopListening = async () => {
      streams.close();
      await listener.close(config.shutdownTimeout);
    };
    parts.defer(() => stopListening());

    const store = await openDatabase(config, log, metrics);
    parts.defer(() => store.close());
    await firstStart({ store, config: { baseUrl }, dataDir: config.dataDir, given: config.administrator });
    const consoleFiles = await readConsole();
    if (consoleFiles === undefined) {
      log.log('info', 'no console', { detail: 'it is not built: /console is not served' });
    }
    await ensureConsole({ store, baseUrl, now });
    const auth = await createAuth({ store, masterKey, config: { baseUrl }, now });
    parts.defer(() => auth.close());
    const mail = mailTransport(config);
    parts.defer(() => mail.close());
    const admin = createAdmin({
      store,
      auth,
      masterKey,
      mail,
      config: {
        baseUrl,
        invitationsPerHour: config.invitationsPerHour,
        consoleUrl: config.consoleUrl ?? `${baseUrl.replace(/\/+$/, '')}/console`,
      },
      now,
      logger: log.authLogger,
    });
    parts.defer(() => admin.close());
    const { registry, plugins, runtime } = createCore({
      ...{ config, log, adapters, store, auth, masterKey, now },
      ...(metrics === undefined ? {} : { meter: metrics.runtime }),
      ...(tracing === undefined ? {} : { tracer: tracing.tracer }),
      ...(faults === undefined ? {} : { faults }),
      ...(timing === undefined ? {} : { timing }),
      pluginLimits: { showThrown },
    });
    await plugins.recordBuiltIn(adapters);
    parts.defer(() => runtime.stop());
    await runtime.start();
    const upkeep = startTicker(
      upkeepInterval,
      async () => {
        await auth.sweep();
        await admin.sweep();
      },
      log.log,
      'upkeep failed',
    );
    parts.defer(() => upkeep.close());

    const { ledgers } = runtime;
    const {
      services,
      compilations,
      close: closeServices,
    } = createRegistryServices({
      ...{ store, auth, masterKey, ledgers, now },
      technologies: createTechnologies(runtime.plugins, ledgers),
      log: log.log,
    });
    parts.defer(closeServices);
    compilations.start();
    const events = createEventLog({ store, auth, timeline: services.timeline, now });
    const webhooks = createWebhooks({
      ...{ store, auth, masterKey, events, now, source: baseUrl, log: log.log },
      outbound: { open: config.outboundOpen },
      ...(webhookTiming === undefined ? {} : { timing: webhookTiming }),
    });
    parts.defer(() => webhooks.stop());
    webhooks.start();
    const contractEvents = createContractEvents({
      ...{ store, auth, registry, ledgers, now, log: log.log },
      ...(contractEventTiming === undefined ? {} : { timing: contractEventTiming }),
      ...(faults === undefined ? {} : { faults }),
    });
    parts.defer(() => contractEvents.stop());
    contractEvents.start();
    const { app } = createApp({
      auth,
      admin,
      runtime,
      services,
      plugins: createPluginPort({ plugins, loader: runtime.plugins, auth, registry }),
      contractArguments: createContractMethods({ auth, registry, ledgers }),
      gateway: createGatewayService({ auth, registry, runtime }),
      store,
      events,
      webhooks: webhooks.webhooks,
      contractSubscriptions: contractEvents.subscriptions,
      timelineFeed: createTimelineFeed({
        timeline: services.timeline,
        onError: (error) =>
          log.log('warn', 'timeline not read', { error: error instanceof Error ? error.message : 'unknown' }),
      }),
      console: consoleFiles,
      idempotency: createIdempotency(store, masterKey),
      streams,
      accessLog:
        metrics === undefined
          ? log.accessLog
          : (record) => {
              log.accessLog(record);
              metrics.http(record);
            },
      tracer: tracing?.tracer,
      isClosing: () => closing,
      settings: {
        warnings,
        baseUrl,
        corsOrigins: config.corsOrigins,
        version,
        passwordMinimum: config.walletPasswordMinimum,
        transactionWait: config.transactionWait,
        trustedProxies: config.trustedProxies,
      },
    });
    const metricsUrl =
      metrics && (await openMetrics({ config, metrics, runtime, webhooks, contractEvents, now, log, parts }));
    listener.serve(app.fetch);
    const close = stopListening;
    stopListening = async () => {};
    parts.defer(close);
    log.log('info', 'listening', { url, version, metricsUrl });

    let closed: Promise<void> | undefined;
    return {
      url,
      baseUrl,
      metricsUrl,
      store,
      auth,
      admin,
      registry,
      plugins,
      runtime,
      services,
      close() {
        closed ??= closeAll();
        return closed;
      },
    };
  } catch (error) {
    await closeAll().catch((left: unknown) =>
      log.log('warn', 'not all closed', { error: left instanceof Error ? left.message : 'unknown' }),
    );
    throw error;
  }
}

function warnOfSecrets({ secretsInEnvironment }: ServerConfig, { log }: ServerLog): void {
  if (secretsInEnvironment.length === 0) return;
  log('warn', 'secrets in the environment, which the kernel goes on showing', {
    detail: `give ${secretsInEnvironment.map((name) => `${name}_FILE`).join(', ')} instead`,
  });
}

async function openPort({ host, port, baseUrl }: ServerConfig) {
  const listener = await listen(host, port);
  const url = urlOf(host, listener.port);
  return { listener, url, baseUrl: baseUrl ?? url };
}

/** Has `/metrics` answered. Answers where. */
async function openMetrics({
  config: { metrics: place },
  metrics,
  runtime,
  webhooks,
  contractEvents,
  now,
  log,
  parts,
}: {
  config: Pick<ServerConfig, 'metrics'>;
  metrics: Metrics;
  runtime: Runtime;
  webhooks: Pick<RunningWebhooks, 'state'>;
  contractEvents: Pick<RunningContractEvents, 'state'>;
  now: () => number;
  log: ServerLog;
  parts: AsyncDisposableStack;
}): Promise<string | undefined> {
  if (place === undefined) return undefined;
  const { instruments, ledger, contentType } = metrics;
  const readState = createStateReader({ runtime, webhooks, contractEvents, instruments, ledger, now });
  const endpoint = await serveMetrics({
    ...place,
    contentType,
    async text() {
      await readState();
      return await metrics.text();
    },
    failed: (error) =>
      log.log('warn', 'metrics not read', { error: error instanceof Error ? error.message : 'unknown' }),
  });
  parts.defer(() => endpoint.close());
  return `${urlOf(place.host, endpoint.port)}/metrics`;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function openDatabase(
  config: ServerConfig,
  { storeLogger }: ServerLog,
  metrics: Metrics | undefined,
): Promise<Store> {
  const { databaseUrl, dataDir } = config;
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(() => {
    throw new ConfigError(`DATA_DIR ${dataDir} cannot be created.`);
  });
  try {
    return await openStore({ ...databasePlace(config), logger: storeLogger, meter: metrics?.store });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ConfigError(
      `${databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL'}: the database cannot be opened (${error.code}): ${error.message}`,
    );
  }
}

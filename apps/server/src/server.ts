import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdapterDefinition } from '@ledger-ops/adapter';
import { type Admin, type Auth, createAdmin, createAuth, ensureConsole } from '@ledger-ops/auth';
import { createMasterKey, type MasterKey } from '@ledger-ops/base';
import type { Plugins, Registry } from '@ledger-ops/registry';
import {
  type ContractEventsOptions,
  createContractEvents,
  createEventLog,
  createWebhooks,
  type EventLog,
  type Faults,
  type Runtime,
  type RuntimeOptions,
  type WebhooksOptions,
} from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { firstStart } from './administrator.ts';
import { createApp } from './app.ts';
import type { ConsoleFiles } from './console/mount-console.ts';
import { readConsole } from './console/read-console.ts';
import { createCore } from './core.ts';
import { given } from './http/given.ts';
import { createIdempotency } from './http/idempotency.ts';
import { RequestSources } from './http/request/source.ts';
import { loggedMeter } from './http/sockets/connection-log.ts';
import { connectionBounds, descriptorLimit } from './http/sockets/descriptors.ts';
import { type ClosedListener, createListener } from './http/sockets/listen.ts';
import { demandUnusedPort } from './http/sockets/listen-on.ts';
import { createStreams } from './http/streams.ts';
import { RunningInstallation } from './installation/running-installation.ts';
import { checkIsolation } from './isolation.ts';
import type { ServerLog } from './logging/logger.ts';
import { isNewInstallation, lostDatabase, oldKeyFile } from './lost-database.ts';
import { mailTransport } from './mail.ts';
import { messageOf } from './message-of.ts';
import { createMetrics, type Metrics } from './metrics/create-metrics.ts';
import { serveMetrics } from './metrics/endpoint.ts';
import { createStateReader, type StateReaderOptions } from './metrics/state.ts';
import { databasePatience, openDatabase } from './open-database.ts';
import { createContractMethods } from './ports/contract-methods.ts';
import { createGatewayService } from './ports/gateway-service.ts';
import { createPluginPort } from './ports/plugin-port.ts';
import { createRegistryServices, type RegistryServices } from './ports/registry-services.ts';
import { createTechnologies } from './ports/technologies-port.ts';
import { createTimelineFeed } from './ports/timeline-feed.ts';
import { describeRunningServer } from './running-server.ts';
import type { ServerConfig } from './settings/config.ts';
import { ConfigError } from './settings/config-error.ts';
import { misspelledText } from './settings/misspelled.ts';
import { startTicker } from './ticker.ts';
import { startTracing } from './traces/start-tracing.ts';
import { collectUnusedBuffers } from './unused-buffers.ts';
import { version } from './version.ts';
import { WriteHealth } from './write-health.ts';

/** Milliseconds between checks for mail to send, for expired records and for unused buffers. */
const upkeepIntervalMs = 30_000;

/** A server's configuration and dependencies. */
export interface StartOptions {
  readonly config: ServerConfig;
  readonly log: ServerLog;
  /** Built-in ledger plugins, for ledgers that no plugin record serves; in order of preference. */
  readonly adapters: readonly AdapterDefinition[];
  /** Milliseconds since the epoch; the system's clock unless given. */
  readonly now?: () => number;
  /** Aborts a start that waits for the database. */
  readonly signal?: AbortSignal;
  /** For tests: milliseconds to wait for PostgreSQL; default {@link databasePatience}. */
  readonly databasePatience?: number;
  /** For tests: ends the process at critical points. */
  readonly faults?: Faults;
  /** For development: the ledgers start with this server, so no transaction of an earlier run can still be executed. */
  readonly startsLedgers?: boolean;
  /** For module developers: logs exceptions of module processes in full. */
  readonly showThrown?: boolean;
  /** For tests: shorter intervals and timeouts than the runtime's defaults. */
  readonly timing?: RuntimeOptions['timing'];
  /** For tests: a lower cost of hashing passwords, and of deriving keys from wallet passwords. */
  readonly passwordCost?: RuntimeOptions['passwordCost'];
  /** For tests: shorter intervals and timeouts of webhooks. */
  readonly webhookTiming?: WebhooksOptions['timing'];
  /** For tests: shorter intervals and timeouts of contract events. */
  readonly contractEventTiming?: ContractEventsOptions['timing'];
}

export interface RunningServer {
  /** Listening URL: `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The configured public address. */
  readonly baseUrl: string;
  /** URL of `/metrics`; undefined if it is not served. */
  readonly metricsUrl: string | undefined;
  readonly store: Store;
  readonly auth: Auth;
  readonly admin: Admin;
  readonly registry: Registry;
  readonly plugins: Plugins;
  readonly runtime: Runtime;
  readonly services: RegistryServices;
  /**
   * Reports that the server is not ready, and keeps serving for the configured time (`SHUTDOWN_DELAY_MS`), with
   * responses that end their connections: proxies send further requests to other servers. Call `close` afterwards.
   */
  drain(): Promise<void>;
  /**
   * Stops accepting requests, waits for running ones (bounded), stops the engine, closes the database. Accepted actions
   * are on disk and continue at the next start.
   */
  close(): Promise<void>;
}

/**
 * Starts the server.
 * @throws ConfigError for errors that the deployer can fix: the port is in use, the database belongs to another
 * installation … StartError if the database stays unavailable.
 */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  // Resources, closed in reverse order; a failure does not keep the others open.
  const parts = new AsyncDisposableStack();
  try {
    return await openServer(options, parts);
  } catch (error) {
    await parts.disposeAsync().catch((failure: unknown) =>
      options.log.log('warn', 'some resources were not closed', {
        error: messageOf(failure),
      }),
    );
    throw error;
  }
}

async function openServer(options: StartOptions, parts: AsyncDisposableStack): Promise<RunningServer> {
  const { config, log, adapters, now = Date.now, faults, showThrown = false, timing, passwordCost } = options;
  const warnings = await checkSettings(config, log);
  const metrics =
    config.metrics === undefined
      ? undefined
      : createMetrics({ version, database: config.databaseUrl === undefined ? 'sqlite' : 'postgres' });
  const { listener, url, baseUrl } = await preparePort(config, log, metrics);
  const tracing = await startTracing(config.traces, { log: log.log, metrics, now });
  if (tracing !== undefined) parts.defer(() => tracing.close());
  const streams = createStreams({ maximum: config.maxEventStreams });
  const masterKey = createMasterKey(config.masterKey);
  // Until the server is ready, the listener is closed or responds with 503; if the start fails, it is closed
  // last. After the start, it is closed first, so that running requests complete.
  let stopListening = async () => {
    streams.close();
    await listener.close(config.shutdownTimeout);
  };
  parts.defer(() => stopListening());

  const { store, writes, installation } = await openInstallation(options, { listener, metrics, parts });
  const isReadOnly = installation.doubt !== undefined;
  metrics?.instruments.set('ledger_ops_read_only', {}, isReadOnly ? 1 : 0);
  const foundation = { config, log, store, masterKey, baseUrl, now, parts, isReadOnly };
  const { auth, admin } = await openAccess(foundation, passwordCost);
  const { registry, plugins, runtime } = createCore({
    config,
    log,
    adapters,
    store,
    auth,
    masterKey,
    now,
    isCurrent: installation.isCurrent || options.startsLedgers === true,
    ...given({ meter: metrics?.runtime, tracer: tracing?.tracer, faults, timing, passwordCost }),
    pluginLimits: { showThrown },
  });
  await plugins.recordBuiltIn(adapters);
  parts.defer(() => runtime.stop());
  if (!isReadOnly) {
    await runtime.start();
    startUpkeep(foundation, auth, admin);
  }

  const { services, events, deliveries } = startServices(foundation, options, { auth, registry, runtime });
  let isStopping = false;
  let closing: Promise<void> | undefined;
  const { app } = createApp({
    auth,
    admin,
    runtime,
    services,
    plugins: createPluginPort({
      plugins,
      loader: runtime.plugins,
      select: runtime.selectPlugin,
      auth,
      registry,
    }),
    contractArguments: createContractMethods({ auth, registry, ledgers: runtime.ledgers }),
    gateway: createGatewayService({ auth, registry, runtime }),
    store,
    events,
    webhooks: deliveries.webhooks.webhooks,
    contractSubscriptions: deliveries.contractEvents.subscriptions,
    timelineFeed: createTimelineFeed({
      timeline: services.timeline,
      onError: (error) => log.log('warn', 'timeline not read', { error: messageOf(error) }),
    }),
    console: await openConsole(log),
    idempotency: createIdempotency(store, masterKey),
    streams,
    sources: new RequestSources(config.trustedProxies, (detail) =>
      log.log('warn', 'clients are not distinguished', { detail }),
    ),
    accessLog(record) {
      log.accessLog(record);
      metrics?.http(record);
    },
    tracer: tracing?.tracer,
    writes,
    isClosing: () => isStopping,
    settings: {
      warnings,
      baseUrl,
      corsOrigins: config.corsOrigins,
      version,
      passwordMinimum: config.walletPasswordMinimum,
      transactionWait: config.transactionWait,
      isReadOnly,
    },
  });
  const metricsUrl =
    metrics && (await openMetrics(foundation, metrics, { ...deliveries, runtime, storage: admin.storage }));
  listener.serve(app.fetch);
  await listener.open();
  parts.defer(stopListening);
  stopListening = async () => {};
  await announce(foundation, {
    url,
    metricsUrl,
    installationId: installation.installationId,
    secp256k1: runtime.secp256k1Signer(),
  });
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
    async drain() {
      isStopping = true;
      listener.drain();
      await delay(config.shutdownDelay);
    },
    close() {
      isStopping = true;
      closing ??= parts.disposeAsync();
      return closing;
    },
  };
}

/** Opens the database, and compares it with the installation's records about its database. */
async function openInstallation(
  { config, log, signal, ...options }: StartOptions,
  {
    listener,
    metrics,
    parts,
  }: { listener: ClosedListener; metrics: Metrics | undefined; parts: AsyncDisposableStack },
) {
  const writes = new WriteHealth(log.log);
  const opened = await openDatabase({
    config,
    log,
    meter: metrics?.store,
    patience: options.databasePatience ?? databasePatience,
    signal,
    async waiting(reason) {
      listener.refuse(`The service waits for its database (${reason}).`);
      await listener.open();
    },
  });
  parts.defer(() => opened.close());
  const store = writes.observe(opened);
  const installation = await RunningInstallation.open({ store, config, log: log.log, writes });
  parts.defer(() => installation.close());
  return { store, writes, installation };
}

/** Dependencies shared by the parts of a server. */
interface Foundation {
  readonly config: ServerConfig;
  readonly log: ServerLog;
  readonly store: Store;
  readonly masterKey: MasterKey;
  readonly baseUrl: string;
  readonly now: () => number;
  readonly parts: AsyncDisposableStack;
  /** True if the server must not change or send anything. */
  readonly isReadOnly: boolean;
}

/** Opens auth and administration; the first start on a database creates its administrator. */
async function openAccess(
  { config, log, store, masterKey, baseUrl, now, parts }: Foundation,
  passwordCost: StartOptions['passwordCost'],
) {
  const isNew = await isNewInstallation(store.read);
  const lost = isNew ? await lostDatabase(config) : undefined;
  if (lost !== undefined) throw new ConfigError(`DATA_DIR: ${lost}`);
  await firstStart({ store, config: { baseUrl }, dataDir: config.dataDir, given: config.administrator });
  if (isNew) await logNewInstallation({ config, log, store, now });
  await ensureConsole({ store, baseUrl, now });
  const auth = await createAuth({ store, masterKey, config: { baseUrl, ...given({ passwordCost }) }, now });
  parts.defer(() => auth.close());
  const mail = mailTransport(config, log.log);
  parts.defer(() => mail.close());
  const admin = createAdmin({
    store,
    auth,
    masterKey,
    mail,
    config: {
      baseUrl,
      invitationsPerHour: config.invitationsPerHour,
      showsLinks: config.smtp === undefined,
      consoleUrl: config.consoleUrl ?? `${baseUrl.replace(/\/+$/, '')}/console`,
    },
    now,
    logger: log.authLogger,
  });
  parts.defer(() => admin.close());
  return { auth, admin };
}

async function logNewInstallation({
  config,
  log,
  store,
  now,
}: Pick<Foundation, 'config' | 'log' | 'store' | 'now'>): Promise<void> {
  log.log('info', 'a new installation begins', { database: store.where });
  const detail = await oldKeyFile(config.masterKeyFile, now());
  if (detail !== undefined) log.log('warn', 'the master key is older than the database', { detail });
}

function startUpkeep({ log, parts }: Foundation, auth: Auth, admin: Admin): void {
  const upkeep = startTicker(
    upkeepIntervalMs,
    async () => {
      await auth.sweep();
      await admin.sweep();
      await collectUnusedBuffers();
    },
    log.log,
    'upkeep failed',
  );
  parts.defer(() => upkeep.close());
}

/** Starts the services of the registry, the event log and its deliveries. */
function startServices(
  foundation: Foundation,
  options: StartOptions,
  core: { auth: Auth; registry: Registry; runtime: Runtime },
) {
  const { store, masterKey, now, log, parts, isReadOnly } = foundation;
  const { auth, runtime } = core;
  const { services, compilations, close } = createRegistryServices({
    store,
    auth,
    masterKey,
    ledgers: runtime.ledgers,
    now,
    technologies: createTechnologies(runtime.plugins, runtime.ledgers),
    log: log.log,
  });
  parts.defer(close);
  if (!isReadOnly) compilations.start();
  const events = createEventLog({ store, auth, timeline: services.timeline, now });
  return { services, events, deliveries: startDeliveries(foundation, options, { ...core, events }) };
}

/** Starts the webhooks and the subscriptions to events of contracts. */
function startDeliveries(
  { config, log, store, masterKey, baseUrl, now, parts, isReadOnly }: Foundation,
  { webhookTiming, contractEventTiming, faults }: StartOptions,
  {
    auth,
    registry,
    runtime: { ledgers },
    events,
  }: { auth: Auth; registry: Registry; runtime: Runtime; events: EventLog },
) {
  const webhooks = createWebhooks({
    store,
    auth,
    masterKey,
    events,
    now,
    source: baseUrl,
    log: log.log,
    outbound: { open: config.outboundOpen },
    ...given({ timing: webhookTiming }),
  });
  parts.defer(() => webhooks.stop());
  if (!isReadOnly) webhooks.start();
  const contractEvents = createContractEvents({
    store,
    auth,
    registry,
    ledgers,
    now,
    log: log.log,
    ...given({ timing: contractEventTiming, faults }),
  });
  parts.defer(() => contractEvents.stop());
  if (!isReadOnly) contractEvents.start();
  return { webhooks, contractEvents };
}

/** Describes the running server in its data folder and in the log. */
async function announce(
  { config, log, store, parts }: Foundation,
  server: { url: string; metricsUrl: string | undefined; installationId: string; secp256k1: string },
): Promise<void> {
  const description = await describeRunningServer(config, server.url);
  parts.defer(() => description.remove());
  log.log('info', 'listening', {
    ...server,
    version,
    database: store.where,
    dataDir: resolve(config.dataDir),
  });
}

/** Returns undefined if the console has not been built. */
async function openConsole({ log }: ServerLog): Promise<ConsoleFiles | undefined> {
  const files = await readConsole();
  if (files === undefined) log('info', 'no console', { detail: 'not built, so /console is not served' });
  return files;
}

/** Logs settings that are risky or misspelled. Returns the warnings that the API shows. */
async function checkSettings(config: ServerConfig, log: ServerLog): Promise<readonly string[]> {
  warnOfSecrets(config, log);
  warnOfNames(config, log);
  return await checkIsolation(config, log.log);
}

function warnOfSecrets({ secretsInEnvironment }: ServerConfig, { log }: ServerLog): void {
  if (secretsInEnvironment.length === 0) return;
  log('warn', 'secrets in the environment, which stays readable in /proc', {
    detail: `use ${secretsInEnvironment.map((name) => `${name}_FILE`).join(', ')} instead`,
  });
}

function warnOfNames({ misspelled }: ServerConfig, { log }: ServerLog): void {
  if (misspelled.length === 0) return;
  log('warn', 'unknown names in the environment', { detail: misspelledText(misspelled) });
}

/**
 * Checks or chooses the port. Proxies send requests to every server that listens, so the server does not
 * listen before it can serve requests or has to report why it waits. If the configured port is 0, it listens
 * immediately, because URLs contain the chosen port.
 */
async function preparePort(config: ServerConfig, { log }: ServerLog, metrics: Metrics | undefined) {
  const { host, port, baseUrl } = config;
  if (port !== 0) await demandUnusedPort('PORT', host, port);
  const listener = createListener(host, port, {
    connections: connectionBounds(config, descriptorLimit()),
    meter: loggedMeter(log, metrics?.connections),
  });
  const url = urlOf(host, port === 0 ? await listener.open() : port);
  return { listener, url, baseUrl: baseUrl ?? url };
}

/** Serves `/metrics`. Returns its URL. */
async function openMetrics(
  { config: { metrics: place }, now, log, parts }: Foundation,
  metrics: Metrics,
  sources: Pick<StateReaderOptions, 'runtime' | 'webhooks' | 'contractEvents' | 'storage'>,
): Promise<string | undefined> {
  if (place === undefined) return undefined;
  const { instruments, ledger, contentType } = metrics;
  const readState = createStateReader({ ...sources, instruments, ledger, now });
  const endpoint = await serveMetrics({
    ...place,
    contentType,
    async text() {
      await readState();
      return await metrics.text();
    },
    failed: (error) => log.log('warn', 'metrics not read', { error: messageOf(error) }),
  });
  parts.defer(() => endpoint.close());
  return `${urlOf(place.host, endpoint.port)}/metrics`;
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

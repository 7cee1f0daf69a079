import type { Admin, Auth } from '@ledger-ops/auth';
import type { ContractSubscriptions, EventLog, Runtime, Tracer, Webhooks } from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { Hono } from 'hono';
import { type ConsoleFiles, consoleFont, mountConsole } from './console/mount-console.ts';
import type { AccessLog } from './http/access-log.ts';
import type { Idempotency } from './http/idempotency.ts';
import { mountRoutes } from './http/mount.ts';
import { Pipeline } from './http/pipeline.ts';
import type { AppEnv } from './http/request/request-head.ts';
import type { RequestSources } from './http/request/source.ts';
import type { Route } from './http/route.ts';
import type { Streams } from './http/streams.ts';
import { buildDocument } from './openapi/openapi.ts';
import type { GatewayPort } from './ports/gateway-service.ts';
import type { PluginPort } from './ports/plugin-port.ts';
import type { RegistryServices } from './ports/registry-services.ts';
import type { TimelineFeed } from './ports/timeline-feed.ts';
import { SignInPages } from './present/sign-in-pages.ts';
import { adminRoutes } from './routes/admin/admin-routes.ts';
import { cloudWalletRoutes } from './routes/cloud-wallet.ts';
import type { ContractArguments } from './routes/contracts/contract-arguments.ts';
import { contractMethodRoutes } from './routes/contracts/contract-methods.ts';
import { contractRegistryRoutes } from './routes/contracts/contract-registry.ts';
import { deploymentRoutes } from './routes/contracts/deployments.ts';
import { templateRoutes } from './routes/contracts/templates.ts';
import { docsRoutes } from './routes/docs.ts';
import { contractSubscriptionRoutes } from './routes/events/contract-subscriptions.ts';
import { eventRoutes } from './routes/events/events.ts';
import { lateEventRoutes } from './routes/events/late-events.ts';
import { webhookRoutes } from './routes/events/webhooks.ts';
import { healthRoutes } from './routes/health.ts';
import { explorerRoutes } from './routes/legacy/explorers.ts';
import { gatewayRoutes } from './routes/legacy/gateway.ts';
import { ledgerRoutes } from './routes/legacy/ledgers.ts';
import { legacyAdminRoutes } from './routes/legacy/legacy-routes.ts';
import { nodeRoutes } from './routes/legacy/nodes.ts';
import { legacyPluginRoutes } from './routes/legacy/plugins.ts';
import { smartContractRoutes } from './routes/legacy/smart-contracts.ts';
import { withSuccessors } from './routes/legacy/successors.ts';
import { contractTemplateRoutes } from './routes/legacy/templates.ts';
import { timelineRoutes } from './routes/legacy/timeline.ts';
import { ledgerOpsRoutes } from './routes/operations/ledger-ops.ts';
import { recordSearchRoute } from './routes/operations/record-search.ts';
import { walletSearchRoutes } from './routes/operations/wallet-search.ts';
import { pluginRoutes } from './routes/plugins.ts';
import { authRoutes } from './routes/sessions/auth.ts';
import { authorizeRoutes } from './routes/sessions/authorize.ts';
import { sessionRoutes } from './routes/sessions/sessions.ts';
import { technologyRoutes } from './routes/technologies.ts';
import type { WriteHealth } from './write-health.ts';

export interface AppDeps {
  readonly auth: Auth;
  readonly admin: Admin;
  readonly runtime: Pick<
    Runtime,
    'actions' | 'records' | 'suspensions' | 'wallets' | 'health' | 'followed'
  > & {
    readonly plugins: Pick<Runtime['plugins'], 'running'>;
  };
  readonly services: RegistryServices;
  readonly plugins: PluginPort;
  readonly contractArguments: ContractArguments;
  readonly gateway: GatewayPort;
  readonly store: Pick<Store, 'now'>;
  readonly idempotency: Idempotency;
  readonly timelineFeed: TimelineFeed;
  readonly events: EventLog;
  readonly webhooks: Webhooks;
  readonly contractSubscriptions: ContractSubscriptions;
  readonly streams: Streams;
  readonly sources: RequestSources;
  readonly accessLog: AccessLog;
  /** If undefined, `/console` is not served. */
  readonly console?: ConsoleFiles | undefined;
  /** If undefined, traces are not recorded. */
  readonly tracer?: Tracer | undefined;
  readonly writes: Pick<WriteHealth, 'cause'>;
  readonly isClosing: () => boolean;
  readonly settings: AppSettings;
}

export interface AppSettings {
  /** Warnings that `/readyz` returns until this server stops. */
  readonly warnings?: readonly string[];
  /** Absolute URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Origins whose pages may call the API. */
  readonly corsOrigins: readonly string[];
  /** Version of the project, shown in the OpenAPI document. */
  readonly version: string;
  /** Minimum characters of a wallet password. */
  readonly passwordMinimum: number;
  /** How long the cloud wallet's sendTransaction waits for the transaction id, in milliseconds. */
  readonly transactionWait: number;
  /**
   * True while the database may have been copied, moved or restored to an earlier state, and no administrator
   * has run `adopt`.
   */
  readonly isReadOnly?: boolean;
}

/** The application and its route table. */
export interface ServerApp {
  readonly app: Hono<AppEnv>;
  readonly routes: readonly Route[];
}

/** Assembles the application. Opens nothing, and can be called without a socket (`app.request`). */
export function createApp(deps: AppDeps): ServerApp {
  const { auth, runtime, services, settings } = deps;
  const font = consoleFont(deps.console);
  const routes: Route[] = [
    ...ledgerOpsRoutes(deps),
    ...walletSearchRoutes(runtime),
    recordSearchRoute(runtime.records, deps.admin.identities),
    ...eventRoutes({
      events: deps.events,
      feed: deps.timelineFeed,
      streams: deps.streams,
      baseUrl: settings.baseUrl,
    }),
    ...cloudWalletRoutes({ runtime, ...settings }),
    ...authRoutes(auth),
    ...sessionRoutes({ auth, invitations: deps.admin.invitations, corsOrigins: settings.corsOrigins }),
    ...authorizeRoutes(auth, new SignInPages(font)),
    ...adminRoutes(deps.admin, services),
    ...withSuccessors(legacyAdminRoutes(deps.admin)),
    ...contractRegistryRoutes(services.contracts),
    ...contractMethodRoutes({
      contracts: services.contracts,
      methods: deps.contractArguments,
      actions: runtime.actions,
      baseUrl: settings.baseUrl,
    }),
    ...templateRoutes(services.templates),
    ...withSuccessors([...ledgerRoutes(services.ledgerNodes), ...nodeRoutes(services.ledgerNodes)]),
    ...webhookRoutes(deps.webhooks),
    ...contractSubscriptionRoutes(deps.contractSubscriptions),
    ...lateEventRoutes(deps.webhooks, deps.contractSubscriptions),
    ...withSuccessors(explorerRoutes(services.ledgerNodes)),
    ...pluginRoutes(deps.plugins),
    ...legacyPluginRoutes(deps.plugins.legacy),
    ...technologyRoutes(deps.plugins),
    ...gatewayRoutes(deps),
    ...withSuccessors([
      ...smartContractRoutes(services.smartContracts),
      ...contractTemplateRoutes(services.templates),
    ]),
    ...withSuccessors(
      timelineRoutes({ timeline: services.timeline, feed: deps.timelineFeed, streams: deps.streams }),
    ),
    ...deploymentRoutes(deps),
    ...healthRoutes({
      ...deps,
      warnings: settings.warnings ?? [],
      isReadOnly: settings.isReadOnly ?? false,
    }),
  ];
  routes.push(...docsRoutes(() => buildDocument(routes, settings), font));
  const corsOrigins = new Set(settings.corsOrigins);
  const { idempotency, accessLog, tracer, sources } = deps;
  const { baseUrl, isReadOnly = false } = settings;
  const pipeline = new Pipeline({
    auth,
    idempotency,
    baseUrl,
    corsOrigins,
    accessLog,
    tracer,
    sources,
    isReadOnly,
  });
  const app = new Hono<AppEnv>();
  if (deps.console !== undefined) mountConsole(app, deps.console, pipeline);
  mountRoutes(app, routes, pipeline, corsOrigins);
  return { app, routes };
}

import type { Admin, Auth } from '@ledger-ops/auth';
import type { EventLog, Runtime, Tracer, Webhooks } from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { Hono } from 'hono';
import type { GatewayPort } from './gateway-service.ts';
import type { AccessLog } from './http/access-log.ts';
import type { Idempotency } from './http/idempotency.ts';
import { mountRoutes } from './http/mount.ts';
import { createPipeline } from './http/pipeline.ts';
import type { AppEnv } from './http/request-head.ts';
import type { Route } from './http/route.ts';
import type { Streams } from './http/streams.ts';
import { buildDocument } from './openapi.ts';
import type { PluginPort } from './plugin-port.ts';
import type { RegistryServices } from './registry-services.ts';
import { adminRoutes } from './routes/admin/admin-routes.ts';
import { administrationRoutes, withSuccessors } from './routes/administration/successors.ts';
import { authRoutes } from './routes/auth.ts';
import { authorizeRoutes } from './routes/authorize.ts';
import { cloudWalletRoutes } from './routes/cloud-wallet.ts';
import type { ContractArguments } from './routes/contract-arguments.ts';
import { contractMethodRoutes } from './routes/contract-methods.ts';
import { contractRegistryRoutes } from './routes/contract-registry.ts';
import { contractTemplateRoutes } from './routes/contract-templates.ts';
import { deploymentRoutes } from './routes/deployments.ts';
import { docsRoutes } from './routes/docs.ts';
import { eventRoutes } from './routes/events.ts';
import { explorerRoutes } from './routes/explorers.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { healthRoutes } from './routes/health.ts';
import { ledgerOpsRoutes } from './routes/ledger-ops.ts';
import { ledgerRoutes } from './routes/ledgers.ts';
import { legacyPluginRoutes } from './routes/legacy-plugins.ts';
import { nodeRoutes } from './routes/nodes.ts';
import { pluginRoutes } from './routes/plugins.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { smartContractRoutes } from './routes/smart-contracts.ts';
import { technologyRoutes } from './routes/technologies.ts';
import { timelineRoutes } from './routes/timeline.ts';
import { walletSearchRoutes } from './routes/wallet-search.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import type { TimelineFeed } from './timeline-feed.ts';

/** Dependencies of the application. */
export interface AppDeps {
  readonly auth: Auth;
  readonly admin: Admin;
  readonly runtime: Pick<Runtime, 'actions' | 'suspensions' | 'wallets' | 'health' | 'warnings'>;
  readonly services: RegistryServices;
  readonly plugins: PluginPort;
  readonly contractArguments: ContractArguments;
  readonly gateway: GatewayPort;
  readonly store: Pick<Store, 'now'>;
  readonly idempotency: Idempotency;
  readonly timelineFeed: TimelineFeed;
  readonly events: EventLog;
  readonly webhooks: Webhooks;
  readonly streams: Streams;
  readonly accessLog: AccessLog;
  /** Absent: nobody records traces. */
  readonly tracer?: Tracer | undefined;
  readonly isClosing: () => boolean;
  readonly settings: AppSettings;
}

/** The part of the configuration that the application heeds. */
export interface AppSettings {
  /** Warnings that hold as long as this server runs, for readiness. */
  readonly warnings?: readonly string[];
  /** Absolute URL of the service, without a slash at its end. */
  readonly baseUrl: string;
  /** Origins whose pages may call. */
  readonly corsOrigins: readonly string[];
  /** Version of the project, as the document shows it. */
  readonly version: string;
  /** Fewest characters of a wallet password. */
  readonly passwordMinimum: number;
  /** How long the cloud wallet's sendTransaction waits for the transaction id, in milliseconds. */
  readonly transactionWait: number;
  /** How many proxies in front add to X-Forwarded-For; default 0. */
  readonly trustedProxies?: number;
}

/** The application, and the table of its routes. */
export interface ServerApp {
  readonly app: Hono<AppEnv>;
  readonly routes: readonly Route[];
}

/** Puts the application together. It opens nothing and can be called without a socket (`app.request`). */
export function createApp(deps: AppDeps): ServerApp {
  const { auth, runtime, services, settings } = deps;
  const routes: Route[] = [
    ...ledgerOpsRoutes(deps),
    ...walletSearchRoutes(runtime),
    ...eventRoutes({
      events: deps.events,
      feed: deps.timelineFeed,
      streams: deps.streams,
      baseUrl: settings.baseUrl,
    }),
    ...cloudWalletRoutes({ runtime, ...settings }),
    ...authRoutes(auth),
    ...sessionRoutes({ auth, invitations: deps.admin.invitations, corsOrigins: settings.corsOrigins }),
    ...authorizeRoutes(auth),
    ...administrationRoutes(deps.admin),
    ...withSuccessors(adminRoutes(deps.admin)),
    ...contractRegistryRoutes(services.contracts),
    ...contractMethodRoutes({
      contracts: services.contracts,
      methods: deps.contractArguments,
      actions: runtime.actions,
      baseUrl: settings.baseUrl,
    }),
    ...ledgerRoutes(services.ledgerNodes),
    ...nodeRoutes(services.ledgerNodes),
    ...webhookRoutes(deps.webhooks),
    ...explorerRoutes(services.ledgerNodes),
    ...pluginRoutes(deps.plugins),
    ...legacyPluginRoutes(deps.plugins.legacy),
    ...technologyRoutes(deps.plugins),
    ...gatewayRoutes(deps),
    ...smartContractRoutes(services.smartContracts),
    ...timelineRoutes({ timeline: services.timeline, feed: deps.timelineFeed, streams: deps.streams }),
    ...contractTemplateRoutes(services.smartContracts),
    ...deploymentRoutes(deps),
    ...healthRoutes({ ...deps, warnings: settings.warnings ?? [] }),
  ];
  routes.push(...docsRoutes(() => buildDocument(routes, settings)));
  const corsOrigins = new Set(settings.corsOrigins);
  const { idempotency, accessLog, tracer } = deps;
  const { baseUrl, trustedProxies = 0 } = settings;
  const pipeline = createPipeline({
    auth,
    idempotency,
    baseUrl,
    corsOrigins,
    accessLog,
    tracer,
    trustedProxies,
  });
  const app = new Hono<AppEnv>();
  mountRoutes(app, routes, pipeline, corsOrigins);
  return { app, routes };
}

import { resolve } from 'node:path';
import { Secret } from '@ledger-ops/base';
import type { TrustedProxies } from '../http/request/source.ts';
import { ConfigError } from './config-error.ts';
import { type SmtpSettings, smtpOf } from './mail.ts';
import { masterKeyOf } from './master-key.ts';
import { type MisspelledSetting, misspelledSettings, misspelledText } from './misspelled.ts';
import { type PluginSettings, pluginsOf } from './plugins.ts';
import {
  fileSetting,
  type ReadSettings,
  readSettings,
  secretsInEnvironment,
  type Values,
} from './read-settings.ts';
import { settings } from './settings.ts';
import { type TraceSettings, tracesOf } from './traces.ts';

/** Default of `SHUTDOWN_DELAY_MS` behind proxies. Longer than the proxies in `deploy` keep unused connections. */
const proxiedShutdownDelayMs = 5_000;

/** A complete and valid configuration. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Address of `/metrics`. If undefined, it is not served. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** If undefined, it is derived from the host and the listening port. */
  readonly baseUrl: string | undefined;
  /** Destination of spans. If undefined, traces are not recorded. */
  readonly traces: TraceSettings | undefined;
  readonly databaseUrl: Secret | undefined;
  /**
   * File with the URL. It is read again after PostgreSQL refuses the password. Undefined if the setting
   * itself was given.
   */
  readonly databaseUrlFile: string | undefined;
  /** If undefined, the first schema of the role's search path is used. */
  readonly databaseSchema: string | undefined;
  /** Excludes the connection that listens for notifications. */
  readonly databaseConnections: number;
  readonly dataDir: string;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  /** Names of secrets that were set as environment variables, which other processes of the user can read in /proc. */
  readonly secretsInEnvironment: readonly string[];
  /** Path of the file with the master key, if there is one. */
  readonly masterKeyFile: string | undefined;
  /** Environment variables that are probably meant to be settings. */
  readonly misspelled: readonly MisspelledSetting[];
  /** Tokens of the first administrator, if the settings contain both. */
  readonly administrator: { readonly applicationToken: Secret; readonly apiToken: Secret } | undefined;
  readonly logLevel: Values<typeof settings>['LOG_LEVEL'];
  readonly corsOrigins: readonly string[];
  readonly walletPasswordMinimum: number;
  readonly transactionWait: number;
  /** How long the server keeps serving after SIGTERM, in milliseconds. */
  readonly shutdownDelay: number;
  readonly shutdownTimeout: number;
  /** If undefined, the default applies, or as many as the file descriptors allow. */
  readonly maxConnections: number | undefined;
  /** If undefined, the default applies; if proxies are trusted, there is no limit. */
  readonly maxConnectionsPerAddress: number | undefined;
  readonly maxEventStreams: number;
  /** If undefined, mails are written to files in the data folder. */
  readonly smtp: SmtpSettings | undefined;
  /** Retention in days. If absent, all records are kept. */
  readonly retention: { readonly actionDays?: number; readonly timelineDays?: number };
  /** If undefined, the base URL is used. */
  readonly consoleUrl: string | undefined;
  /** Maximum per organization. */
  readonly invitationsPerHour: number;
  readonly plugins: PluginSettings;
  /**
   * If namespaces are unavailable, `best` runs modules without them, and with `required` the server does not
   * start.
   */
  readonly pluginIsolation: 'best' | 'required';
  readonly pluginProcesses: number;
  /** Private networks to which connections are allowed. */
  readonly outboundOpen: readonly string[];
  readonly trustedProxies: TrustedProxies;
}

/** Reads the configuration from the environment and the files that it names. @throws ConfigError that names the first invalid value */
export function readConfig(environment: Record<string, string | undefined>): ServerConfig {
  const read = readSettings(settings, environment);
  const misspelled = misspelledSettings(settings, environment, new Set(read.given.keys()));
  return configOf(read, misspelled);
}

/** Builds the configuration from settings. @throws ConfigError that names a missing setting */
export function configOf(
  { values, given, files }: ReadSettings<typeof settings>,
  misspelled: readonly MisspelledSetting[] = [],
): ServerConfig {
  if (values.DATABASE_SCHEMA !== undefined && values.DATABASE_URL === undefined) {
    throw new ConfigError(
      `DATABASE_SCHEMA is a schema of PostgreSQL, but DATABASE_URL is missing. ${misspelledText(misspelled) || 'Set both, or neither.'}`,
    );
  }
  demandConsoleAtRoot(values.BASE_URL, values.CONSOLE_URL);
  return {
    host: values.HOST,
    port: values.PORT,
    metrics:
      values.METRICS_PORT === undefined
        ? undefined
        : { host: values.METRICS_HOST, port: values.METRICS_PORT },
    baseUrl: values.BASE_URL,
    traces: tracesOf(values),
    databaseUrl: values.DATABASE_URL === undefined ? undefined : new Secret(values.DATABASE_URL),
    databaseUrlFile: files.find(({ name }) => name === fileSetting('DATABASE_URL'))?.path,
    databaseSchema: values.DATABASE_SCHEMA,
    databaseConnections: values.DATABASE_CONNECTIONS,
    dataDir: values.DATA_DIR,
    masterKey: masterKeyOf(values.MASTER_KEY),
    secretsInEnvironment: secretsInEnvironment(settings, given),
    masterKeyFile: files.find(({ name }) => name === fileSetting('MASTER_KEY'))?.path,
    misspelled,
    administrator: administratorOf(values.ADMINISTRATOR_APPLICATION_TOKEN, values.ADMINISTRATOR_API_TOKEN),
    logLevel: values.LOG_LEVEL,
    corsOrigins: values.CORS_ORIGINS,
    walletPasswordMinimum: values.WALLET_PASSWORD_MIN,
    transactionWait: values.TRANSACTION_WAIT_MS,
    shutdownDelay: values.SHUTDOWN_DELAY_MS ?? (values.TRUSTED_PROXIES > 0 ? proxiedShutdownDelayMs : 0),
    shutdownTimeout: values.SHUTDOWN_TIMEOUT_MS,
    maxConnections: values.MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.MAX_CONNECTIONS_PER_ADDRESS,
    maxEventStreams: values.MAX_EVENT_STREAMS,
    smtp: smtpOf(values.SMTP_URL, values.MAIL_FROM),
    retention: {
      ...(values.KEEP_ACTIONS_DAYS === undefined ? {} : { actionDays: values.KEEP_ACTIONS_DAYS }),
      ...(values.KEEP_TIMELINE_DAYS === undefined ? {} : { timelineDays: values.KEEP_TIMELINE_DAYS }),
    },
    consoleUrl: values.CONSOLE_URL,
    invitationsPerHour: values.INVITATIONS_PER_HOUR,
    plugins: pluginsOf(values.PLUGINS_ALLOWED, values.PLUGINS_TRUSTED, values.PLUGINS_FOLDER, [
      { name: 'DATA_DIR', path: resolve(values.DATA_DIR) },
      ...files,
    ]),
    pluginIsolation: values.PLUGIN_ISOLATION,
    pluginProcesses: values.PLUGIN_PROCESSES,
    outboundOpen: values.OUTBOUND_OPEN,
    trustedProxies: { count: values.TRUSTED_PROXIES, header: values.TRUSTED_PROXY_HEADER },
  };
}

/** The console's pages, sign-in and `/docs` link to each other by paths from the root of their host (docs/decisions/159). */
function demandConsoleAtRoot(baseUrl: string | undefined, consoleUrl: string | undefined): void {
  if (baseUrl === undefined || consoleUrl !== undefined) return;
  const { pathname } = new URL(baseUrl);
  if (pathname === '/') return;
  throw new ConfigError(
    `BASE_URL has the path ${pathname}, but the console, sign-in and /docs work only at the root of a host. Give the service its own host name or port. If you use only the API, set CONSOLE_URL to the URL that links in mails should open.`,
  );
}

function administratorOf(applicationToken: string | undefined, apiToken: string | undefined) {
  if (applicationToken === undefined && apiToken === undefined) return undefined;
  if (applicationToken === undefined || apiToken === undefined) {
    const missing = apiToken === undefined ? 'ADMINISTRATOR_API_TOKEN' : 'ADMINISTRATOR_APPLICATION_TOKEN';
    throw new ConfigError(`${missing} is missing. Set both credentials of the administrator, or neither.`);
  }
  return { applicationToken: new Secret(applicationToken), apiToken: new Secret(apiToken) };
}

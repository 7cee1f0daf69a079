import { resolve } from 'node:path';
import { Secret } from '@ledger-ops/base';
import { ConfigError } from './config-error.ts';
import { type SmtpSettings, smtpOf } from './mail.ts';
import { masterKeyOf } from './master-key.ts';
import { type PluginSettings, pluginsOf } from './plugins.ts';
import { type ReadSettings, readSettings, secretsInEnvironment, type Values } from './read-settings.ts';
import { settings } from './settings.ts';
import { type TraceSettings, tracesOf } from './traces.ts';

/** A configuration that is complete and valid. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Where `/metrics` is answered; undefined: nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  /** Undefined: made from host and the port that was taken. */
  readonly baseUrl: string | undefined;
  /** Where spans go; undefined: nobody records traces. */
  readonly traces: TraceSettings | undefined;
  readonly databaseUrl: Secret | undefined;
  readonly dataDir: string;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  /** Settings that hold a secret and came by the environment, where the kernel goes on showing them. */
  readonly secretsInEnvironment: readonly string[];
  /** Of the first administrator, when the environment gives them: both or none. */
  readonly administrator: { readonly applicationToken: Secret; readonly apiToken: Secret } | undefined;
  readonly logLevel: Values<typeof settings>['LOG_LEVEL'];
  readonly corsOrigins: readonly string[];
  readonly walletPasswordMinimum: number;
  readonly transactionWait: number;
  readonly shutdownTimeout: number;
  readonly maxEventStreams: number;
  /** Undefined: mail becomes files below the data folder. */
  readonly smtp: SmtpSettings | undefined;
  /** Undefined: the base URL. */
  /** Days; absent: for ever. */
  readonly retention: { readonly actionDays?: number; readonly timelineDays?: number };
  readonly consoleUrl: string | undefined;
  /** Of one organization. */
  readonly invitationsPerHour: number;
  readonly plugins: PluginSettings;
  /** Whether modules may run without namespaces where there are none. */
  readonly pluginIsolation: 'best' | 'required';
  readonly pluginProcesses: number;
  /** Networks that are not public and open all the same. */
  readonly outboundOpen: readonly string[];
  readonly trustedProxies: number;
}

/** Reads the configuration from the environment and the files that it names. @throws ConfigError naming the first wrong value */
export function readConfig(environment: Record<string, string | undefined>): ServerConfig {
  return configOf(readSettings(settings, environment));
}

/** The configuration that settings give together. @throws ConfigError naming what is missing */
export function configOf({ values, given, files }: ReadSettings<typeof settings>): ServerConfig {
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
    dataDir: values.DATA_DIR,
    masterKey: masterKeyOf(values.MASTER_KEY),
    secretsInEnvironment: secretsInEnvironment(settings, given),
    administrator: administratorOf(values.ADMINISTRATOR_APPLICATION_TOKEN, values.ADMINISTRATOR_API_TOKEN),
    logLevel: values.LOG_LEVEL,
    corsOrigins: values.CORS_ORIGINS,
    walletPasswordMinimum: values.WALLET_PASSWORD_MIN,
    transactionWait: values.TRANSACTION_WAIT_MS,
    shutdownTimeout: values.SHUTDOWN_TIMEOUT_MS,
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
    trustedProxies: values.TRUSTED_PROXIES,
  };
}

function administratorOf(applicationToken: string | undefined, apiToken: string | undefined) {
  if (applicationToken === undefined && apiToken === undefined) return undefined;
  if (applicationToken === undefined || apiToken === undefined) {
    const missing = apiToken === undefined ? 'ADMINISTRATOR_API_TOKEN' : 'ADMINISTRATOR_APPLICATION_TOKEN';
    throw new ConfigError(`${missing} is missing; give both credentials of the administrator or none.`);
  }
  return { applicationToken: new Secret(applicationToken), apiToken: new Secret(apiToken) };
}

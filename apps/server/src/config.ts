import { resolve } from 'node:path';
import { z } from '@hono/zod-openapi';
import { createAddressCheck } from '@ledger-ops/adapter/outbound';
import type { ClosedPath } from '@ledger-ops/adapter/process';
import { Secret } from '@ledger-ops/base';
import { ConfigError } from './config-error.ts';
import { readText } from './config-text.ts';
import { mailFrom, type SmtpSettings, smtpOf, smtpUrl } from './mail-config.ts';
import { type PluginSettings, pluginsOf } from './plugin-config.ts';
import {
  masterKeyForm,
  masterKeyOf,
  readSecretFiles,
  type SecretFileName,
  type Setting,
  secretFileNames,
  secretFileSettings,
  takeFromEnvironment,
} from './secret-settings.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function whole(minimum: number, maximum: number, fallback: number) {
  const detail = `must be a whole number from ${minimum} to ${maximum}`;
  return z
    .union(
      [
        z.int(),
        z
          .string()
          .regex(/^[0-9]{1,15}$/)
          .transform(Number),
      ],
      detail,
    )
    .refine((value) => value >= minimum && value <= maximum, detail)
    .default(fallback);
}

function list(item: z.ZodType<string, string>) {
  return z
    .union([
      z.array(z.string()),
      z.string().transform((value) =>
        value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== ''),
      ),
    ])
    .pipe(z.array(item))
    .default([]);
}

const httpUrl = z
  .string()
  .refine((value) => {
    const url = URL.parse(value);
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.search === '' &&
      url.hash === '' &&
      url.username === ''
    );
  }, 'must be an absolute http or https URL without credentials, query and fragment')
  .transform((value) => value.replace(/\/+$/, ''));

const origin = z
  .string()
  .refine(
    (value) => URL.parse(value)?.origin === value && value !== 'null',
    'must be origins such as https://app.example',
  );

const network = z.string().refine((value) => {
  try {
    createAddressCheck({ open: [value] });
    return true;
  } catch {
    return false;
  }
}, 'must be addresses and networks such as 127.0.0.1 or 10.0.0.0/8');

/** Every setting by its name in the environment and in the file. The table of the README is made from this. */
export const settings = {
  HOST: {
    schema: z.string().min(1, 'must not be empty').default('127.0.0.1'),
    default: '`127.0.0.1`',
    about: 'Address to listen on.',
  },
  PORT: {
    schema: whole(0, 65_535, 3000),
    default: '`3000`',
    about: 'Port to listen on; 0 takes a free one.',
  },
  BASE_URL: {
    schema: httpUrl.optional(),
    default: '`http://HOST:PORT`',
    about: 'Public address of the service: issuer and audience of tokens, and the start of absolute URLs.',
  },
  DATABASE_URL: {
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
      .optional(),
    default: 'none',
    about: 'PostgreSQL; any number of servers may share it. Absent: SQLite in `DATA_DIR`, for one server.',
  },
  DATA_DIR: {
    schema: z.string().min(1, 'must not be empty').default('data'),
    default: '`data`',
    about: 'Folder of the SQLite database and of the first administrator’s credentials.',
  },
  MASTER_KEY: {
    schema: masterKeyForm.optional(),
    default: 'none',
    about:
      'The server’s key, 32 bytes in hexadecimal or base64; needed, best as `MASTER_KEY_FILE`. Must be the same on every server and at every start.',
  },
  ADMINISTRATOR_APPLICATION_TOKEN: {
    schema: z
      .string()
      .regex(/^app_[A-Za-z0-9_-]{43}$/, 'must be app_ and 32 bytes in base64url')
      .optional(),
    default: 'generated',
    about:
      'Application token of the first administrator, for the first start on an empty database. Given together with `ADMINISTRATOR_API_TOKEN`, or both are generated and written to `administrator.json` in `DATA_DIR` (mode 0600).',
  },
  ADMINISTRATOR_API_TOKEN: {
    schema: z
      .string()
      .regex(/^sak_[A-Za-z0-9_-]{43}$/, 'must be sak_ and 32 bytes in base64url')
      .optional(),
    default: 'generated',
    about: 'API token of the first administrator’s service account.',
  },
  LOG_LEVEL: {
    schema: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
    default: '`info`',
    about: `One of ${logLevels.map((level) => `\`${level}\``).join(', ')}.`,
  },
  CORS_ORIGINS: {
    schema: list(origin),
    default: 'none',
    about: 'Origins whose pages may call, separated by commas.',
  },
  WALLET_PASSWORD_MIN: {
    schema: whole(1, 128, 12),
    default: '`12`',
    about: 'Fewest characters of a wallet password.',
  },
  TRANSACTION_WAIT_MS: {
    schema: whole(0, 10_000, 1_000),
    default: '`1000`',
    about: 'How long the cloud wallet’s sendTransaction waits for the ledger’s transaction id.',
  },
  SHUTDOWN_TIMEOUT_MS: {
    schema: whole(0, 300_000, 10_000),
    default: '`10000`',
    about: 'How long requests may take to finish when the server is told to stop.',
  },
  MAX_EVENT_STREAMS: {
    schema: whole(0, 100_000, 1_000),
    default: '`1000`',
    about:
      'Most event streams that are open at once on a server; a project may have a quarter of them, a caller a tenth.',
  },
  SMTP_URL: {
    schema: smtpUrl.optional(),
    default: 'none',
    about:
      'Mail server: `smtp://user:password@host:587` (STARTTLS) or `smtps://…:465`. Absent: mails become `.eml` files in `DATA_DIR/mail`.',
  },
  MAIL_FROM: {
    schema: mailFrom.optional(),
    default: 'none',
    about: 'Sender of mails, `name@example.com` or `Name <name@example.com>`; needed with `SMTP_URL`.',
  },
  CONSOLE_URL: {
    schema: httpUrl.optional(),
    default: '`BASE_URL`',
    about:
      'Page to which the links in mails lead; their tokens stand in the fragment (`#/init-user?initToken=…`, `#/invitation?invitationToken=…`), which browsers send to nobody.',
  },
  INVITATIONS_PER_HOUR: {
    schema: whole(1, 100_000, 30),
    default: '`30`',
    about:
      'Most invitations that one organization mails within an hour, counted in the database for all servers; then 429. One address gets 5 a day from an organization, and 20 from all together.',
  },
  PLUGINS_ALLOWED: {
    schema: list(z.string()),
    default: 'none',
    about:
      'What plugins may be, separated by commas: `npm:<package>`, `file:<absolute folder>` (modules at any depth), `https://<host>`. Modules run in processes of their own, which read the module’s own folder and the packages that its package.json names. Its own folder is the nearest one with a package.json within the folder given here, else the one that it lies in; it may hold nothing of the server’s: `DATA_DIR`, its key and configuration files, `PLUGINS_FOLDER` itself, the working directory.',
  },
  PLUGINS_TRUSTED: {
    schema: list(z.string()),
    default: 'none',
    about:
      'Modules that run in the server’s own process, where they can do what the server can: `npm:<package>`, `file:<absolute folder>`. They are allowed with that.',
  },
  PLUGINS_FOLDER: {
    schema: z.string().min(1, 'must not be empty').default('.'),
    default: 'the working directory',
    about: 'Folder whose `node_modules` holds the packages of `npm:` plugins. Nothing is ever installed.',
  },
  PLUGIN_ISOLATION: {
    schema: z.enum(['best', 'required'], 'must be best or required').default('best'),
    default: '`best`',
    about:
      'What shuts off modules in processes of their own. `best`: Linux namespaces (users, processes, network, files) where the kernel lets this user make them, else Node’s permission model alone, which the log says at start. `required`: without namespaces the server does not start.',
  },
  PLUGIN_PROCESSES: {
    schema: whole(1, 10_000, 64),
    default: '`64`',
    about:
      'Most plugins that run in processes of their own at once on this server; the next is refused with 503 until one is deactivated or deleted. A process may take 512 MB before it is ended. A project has at most 20 plugins, whatever they are.',
  },
  OUTBOUND_OPEN: {
    schema: list(network),
    default: 'none',
    about:
      'Addresses and networks that are not public and where ledger nodes, certificate authorities and remote plugins may be all the same, separated by commas: `10.0.0.0/8,127.0.0.1`. Users write such addresses, so everything else that is not public stays closed.',
  },
  ...secretFileSettings,
  TRUSTED_PROXIES: {
    schema: whole(0, 10, 0),
    default: '`0`',
    about:
      'How many proxies in front add their client to `X-Forwarded-For`: failed logins are counted for the address that the outermost of them saw.',
  },
} as const satisfies Record<string, Setting>;

/** Name of a setting. */
export type SettingName = keyof typeof settings;

const schemas = {
  HOST: settings.HOST.schema,
  PORT: settings.PORT.schema,
  BASE_URL: settings.BASE_URL.schema,
  DATABASE_URL: settings.DATABASE_URL.schema,
  DATA_DIR: settings.DATA_DIR.schema,
  MASTER_KEY: settings.MASTER_KEY.schema,
  ADMINISTRATOR_APPLICATION_TOKEN: settings.ADMINISTRATOR_APPLICATION_TOKEN.schema,
  ADMINISTRATOR_API_TOKEN: settings.ADMINISTRATOR_API_TOKEN.schema,
  LOG_LEVEL: settings.LOG_LEVEL.schema,
  CORS_ORIGINS: settings.CORS_ORIGINS.schema,
  WALLET_PASSWORD_MIN: settings.WALLET_PASSWORD_MIN.schema,
  TRANSACTION_WAIT_MS: settings.TRANSACTION_WAIT_MS.schema,
  SHUTDOWN_TIMEOUT_MS: settings.SHUTDOWN_TIMEOUT_MS.schema,
  MAX_EVENT_STREAMS: settings.MAX_EVENT_STREAMS.schema,
  SMTP_URL: settings.SMTP_URL.schema,
  MAIL_FROM: settings.MAIL_FROM.schema,
  CONSOLE_URL: settings.CONSOLE_URL.schema,
  INVITATIONS_PER_HOUR: settings.INVITATIONS_PER_HOUR.schema,
  PLUGINS_ALLOWED: settings.PLUGINS_ALLOWED.schema,
  PLUGINS_TRUSTED: settings.PLUGINS_TRUSTED.schema,
  PLUGINS_FOLDER: settings.PLUGINS_FOLDER.schema,
  PLUGIN_ISOLATION: settings.PLUGIN_ISOLATION.schema,
  PLUGIN_PROCESSES: settings.PLUGIN_PROCESSES.schema,
  OUTBOUND_OPEN: settings.OUTBOUND_OPEN.schema,
  TRUSTED_PROXIES: settings.TRUSTED_PROXIES.schema,
} satisfies Record<Exclude<SettingName, SecretFileName>, z.ZodType>;
const schema = z.object(schemas);

/** A configuration that is complete and valid. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Undefined: made from host and the port that was taken. */
  readonly baseUrl: string | undefined;
  readonly databaseUrl: Secret | undefined;
  readonly dataDir: string;
  /** 32 bytes. */
  readonly masterKey: Uint8Array;
  /** Settings that hold a secret and came by the environment, where the kernel goes on showing them. */
  readonly secretsInEnvironment: readonly string[];
  /** Of the first administrator, when the environment gives them: both or none. */
  readonly administrator: { readonly applicationToken: Secret; readonly apiToken: Secret } | undefined;
  readonly logLevel: (typeof logLevels)[number];
  readonly corsOrigins: readonly string[];
  readonly walletPasswordMinimum: number;
  readonly transactionWait: number;
  readonly shutdownTimeout: number;
  readonly maxEventStreams: number;
  /** Undefined: mail becomes files below the data folder. */
  readonly smtp: SmtpSettings | undefined;
  /** Undefined: the base URL. */
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

/**
 * Reads the configuration: the environment, then the JSON file that `CONFIG_FILE` names; a secret also from the file
 * that its `…_FILE` names. Secrets are removed from the environment given. An empty variable counts as absent.
 *
 * @throws ConfigError naming the first wrong value
 */
export function readConfig(environment: Record<string, string | undefined>): ServerConfig {
  const file = readFile(environment.CONFIG_FILE);
  const known = Object.keys(settings);
  const unknown = Object.keys(file).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(`CONFIG_FILE: ${unknown} is not a setting; there are ${known.join(', ')}.`);
  }
  const given = Object.fromEntries(
    known.map((name) => {
      const value = environment[name];
      return [name, value === undefined || value === '' ? file[name] : value];
    }),
  );
  const secretsInEnvironment = takeFromEnvironment(environment);
  const { values: complete, fromFiles } = readSecretFiles(given);
  const result = schema.safeParse(complete);
  if (!result.success) {
    const [issue] = result.error.issues;
    const name = String(issue?.path[0] ?? 'configuration');
    const inFile = environment[name] === undefined && file[name] !== undefined ? ' (from CONFIG_FILE)' : '';
    const source = fromFiles.has(name) ? ` (from ${name}_FILE)` : inFile;
    throw new ConfigError(`${name}${source} ${lower(issue?.message ?? 'is wrong')}.`);
  }
  const values = result.data;
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL,
    databaseUrl: values.DATABASE_URL === undefined ? undefined : new Secret(values.DATABASE_URL),
    dataDir: values.DATA_DIR,
    masterKey: masterKeyOf(values.MASTER_KEY),
    secretsInEnvironment,
    administrator: administratorOf(values.ADMINISTRATOR_APPLICATION_TOKEN, values.ADMINISTRATOR_API_TOKEN),
    logLevel: values.LOG_LEVEL,
    corsOrigins: values.CORS_ORIGINS,
    walletPasswordMinimum: values.WALLET_PASSWORD_MIN,
    transactionWait: values.TRANSACTION_WAIT_MS,
    shutdownTimeout: values.SHUTDOWN_TIMEOUT_MS,
    maxEventStreams: values.MAX_EVENT_STREAMS,
    smtp: smtpOf(values.SMTP_URL, values.MAIL_FROM),
    consoleUrl: values.CONSOLE_URL,
    invitationsPerHour: values.INVITATIONS_PER_HOUR,
    plugins: pluginsOf(
      values.PLUGINS_ALLOWED,
      values.PLUGINS_TRUSTED,
      values.PLUGINS_FOLDER,
      closedOf({
        DATA_DIR: values.DATA_DIR,
        CONFIG_FILE: environment.CONFIG_FILE,
        ...Object.fromEntries(secretFileNames.map((name) => [name, complete[name]])),
      }),
    ),
    pluginIsolation: values.PLUGIN_ISOLATION,
    pluginProcesses: values.PLUGIN_PROCESSES,
    outboundOpen: values.OUTBOUND_OPEN,
    trustedProxies: values.TRUSTED_PROXIES,
  };
}

/** Files and folders of the server's own, by the settings that name them. */
function closedOf(paths: Record<string, unknown>): ClosedPath[] {
  return Object.entries(paths).flatMap(([name, path]) =>
    typeof path === 'string' && path !== '' ? [{ name, path: resolve(path) }] : [],
  );
}

function administratorOf(applicationToken: string | undefined, apiToken: string | undefined) {
  if (applicationToken === undefined && apiToken === undefined) return undefined;
  if (applicationToken === undefined || apiToken === undefined) {
    const missing = apiToken === undefined ? 'ADMINISTRATOR_API_TOKEN' : 'ADMINISTRATOR_APPLICATION_TOKEN';
    throw new ConfigError(`${missing} is missing; give both credentials of the administrator or none.`);
  }
  return { applicationToken: new Secret(applicationToken), apiToken: new Secret(apiToken) };
}

function readFile(path: string | undefined): Record<string, unknown> {
  if (path === undefined || path === '') return {};
  const text = readText('CONFIG_FILE', path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError(`CONFIG_FILE: ${path} is not valid JSON.`);
  }
  const result = z.record(z.string(), z.unknown()).safeParse(value);
  if (!result.success) throw new ConfigError(`CONFIG_FILE: ${path} must hold a JSON object of settings.`);
  return result.data;
}

function lower(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}

import { z } from '@hono/zod-openapi';
import { proxyHeaders } from '../http/request/source.ts';
import { mailFrom, smtpUrl } from './mail.ts';
import { masterKeyText } from './master-key.ts';
import { pluginPlaces, trustedPlaces } from './plugins.ts';
import {
  httpUrl,
  list,
  network,
  oneOf,
  origin,
  type SettingsTable,
  text,
  whole,
  wholeOf,
} from './setting.ts';
import { pairs, ratio, samplers } from './traces.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * Number of days for which event streams can resume. Actions and timeline records must be kept at least as
 * long.
 */
const eventDays = 7;

/** All settings of the server. Parsing, the table in the README and `npm start` use this declaration. */
export const settings = {
  CONFIG_FILE: {
    schema: text.optional(),
    environmentOnly: true,
    refusesEmpty: 'to use only the environment',
    about: 'JSON file of settings with the same names; the environment overrides it.',
  },
  HOST: {
    schema: text.default('127.0.0.1'),
    about: 'Address to listen on.',
  },
  PORT: {
    schema: whole(0, 65_535, 3000),
    about: 'Port to listen on; 0 chooses a free one.',
  },
  METRICS_PORT: {
    schema: wholeOf(0, 65_535).optional(),
    about:
      'Port of `/metrics`, in Prometheus’ text format; 0 chooses a free one, which the log shows. Default: no metrics. It requires no credentials, and shows ids of ledgers and their activity to everyone who can reach it.',
  },
  METRICS_HOST: {
    schema: text.default('127.0.0.1'),
    about: 'Address that `METRICS_PORT` listens on.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    about:
      'OpenTelemetry collector for traces (OTLP over HTTP, JSON), such as `http://collector:4318`; the server appends `/v1/traces`. Default: no traces, and the SDK is not loaded.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: httpUrl.optional(),
    about: 'Collector URL for traces only, with the full path; overrides `OTEL_EXPORTER_OTLP_ENDPOINT`.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: pairs.optional(),
    secret: true,
    about: 'Headers for the collector: `name=value,name=value`, percent-encoded.',
  },
  OTEL_SERVICE_NAME: {
    schema: text.default('ledger-ops'),
    about: 'Name of the service in traces.',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    schema: pairs.optional(),
    about: 'Attributes of all spans: `name=value,name=value`, percent-encoded.',
  },
  OTEL_TRACES_SAMPLER: {
    schema: oneOf(samplers).default('parentbased_always_on'),
    about: `Which traces are recorded: ${samplers.map((sampler) => `\`${sampler}\``).join(', ')}.`,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: ratio.default(1),
    about: 'Share of the traces that ratio samplers record, from 0 to 1.',
  },
  OTEL_SDK_DISABLED: {
    schema: oneOf(['true', 'false']).default('false'),
    about: '`true`: no traces, regardless of other settings.',
  },
  BASE_URL: {
    schema: httpUrl.optional(),
    otherwise: '`http://HOST:PORT`',
    about:
      'Public URL of the service. It is the issuer and audience of tokens and the base of absolute URLs. It must not contain a path, because the console, sign-in and `/docs` work only at the root of a host. Exception: if you use only the API and set `CONSOLE_URL`, a path is allowed.',
  },
  DATABASE_URL: {
    schema: z
      .string('must be text')
      .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
      .optional(),
    secret: true,
    refusesEmpty: 'to use SQLite in DATA_DIR',
    about:
      'PostgreSQL database, as a libpq connection URL. Any number of servers may share it. Hosts of a primary and its standbys are separated by commas. A changed role or password in `DATABASE_URL_FILE` is used without a restart. Default: SQLite in `DATA_DIR`, for one server.',
  },
  DATABASE_SCHEMA: {
    schema: z
      .string('must be text')
      .regex(
        /^(?!pg_)[A-Za-z_][A-Za-z0-9_-]{0,62}$/,
        'must be the name of a PostgreSQL schema: up to 63 letters, digits, _ and -, and not pg_…',
      )
      .optional(),
    refusesEmpty: 'to use the first schema of the role’s search path',
    otherwise: 'the first schema of the role’s search path',
    about:
      'PostgreSQL schema that contains the installation. The name is case-sensitive. No other schema is in the search path of the server’s connections. A server creates it if it is missing and the role is allowed to.',
  },
  DATABASE_CONNECTIONS: {
    schema: whole(2, 1_000, 16),
    about:
      'Maximum number of PostgreSQL connections that a server uses for requests and its engine. One more connection listens for notifications. If PostgreSQL allows fewer connections, requests wait up to ten seconds until one is free.',
  },
  DATA_DIR: {
    schema: text.default('data'),
    refusesEmpty: 'to use the folder data in the working directory',
    about: 'Folder of the SQLite database and of the first administrator’s credentials.',
  },
  MASTER_KEY: {
    schema: masterKeyText.optional(),
    secret: true,
    about:
      'The server’s key, 32 bytes in hexadecimal or base64; required, preferably as `MASTER_KEY_FILE`, outside of `DATA_DIR`. Must be the same on every server and at every start.',
  },
  ADMINISTRATOR_APPLICATION_TOKEN: {
    schema: z
      .string('must be text')
      .regex(/^app_[A-Za-z0-9_-]{43}$/, 'must be app_ followed by 32 bytes in base64url')
      .optional(),
    otherwise: 'generated',
    secret: true,
    about:
      'Application token of the first administrator, for the first start on an empty database. Set together with `ADMINISTRATOR_API_TOKEN`; otherwise both are generated and written to `administrator.json` in `DATA_DIR` (mode 0600).',
  },
  ADMINISTRATOR_API_TOKEN: {
    schema: z
      .string('must be text')
      .regex(/^sak_[A-Za-z0-9_-]{43}$/, 'must be sak_ followed by 32 bytes in base64url')
      .optional(),
    otherwise: 'generated',
    secret: true,
    about: 'API token of the first administrator’s service account.',
  },
  LOG_LEVEL: {
    schema: oneOf(logLevels).default('info'),
    about: `One of ${logLevels.map((level) => `\`${level}\``).join(', ')}.`,
  },
  CORS_ORIGINS: {
    schema: list(origin),
    about: 'Origins whose pages may call the service, separated by commas.',
  },
  WALLET_PASSWORD_MIN: {
    schema: whole(1, 128, 12),
    about: 'Minimum characters of a wallet password.',
  },
  TRANSACTION_WAIT_MS: {
    schema: whole(0, 10_000, 1_000),
    about: 'How long the cloud wallet’s sendTransaction waits for the ledger’s transaction id.',
  },
  SHUTDOWN_DELAY_MS: {
    schema: wholeOf(0, 300_000).optional(),
    otherwise: '`5000` with `TRUSTED_PROXIES`, otherwise `0`',
    about:
      'How long the server goes on serving after SIGTERM. During this time, `/readyz` and `/readyz/server` return 503 and each response ends its connection, so that proxies send their requests to other servers. Must be longer than proxies take to notice. SIGINT (Ctrl+C) skips it.',
  },
  SHUTDOWN_TIMEOUT_MS: {
    schema: whole(0, 300_000, 10_000),
    about:
      'How long running requests may take to finish when the server stops. At most five seconds later, the process ends, even if its database does not answer.',
  },
  MAX_CONNECTIONS: {
    schema: wholeOf(1, 1_000_000).optional(),
    otherwise: '4096, or less if few file descriptors are allowed',
    about:
      'Maximum number of client connections to a server. 1,024 of the process’s file descriptors, or half of them if it may open fewer than 2,048, are reserved for ledger nodes and databases: the server does not start if this limit leaves fewer.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    schema: wholeOf(1, 1_000_000).optional(),
    otherwise: '512; with `TRUSTED_PROXIES` only `MAX_CONNECTIONS`',
    about:
      'Maximum number of connections to a server from one IPv4 address or one IPv6 /64 network. A further connection replaces an idle one, or gets 429. Without `TRUSTED_PROXIES`, a load balancer counts as one client: set a higher limit.',
  },
  MAX_EVENT_STREAMS: {
    schema: whole(0, 100_000, 1_000),
    about: 'Maximum number of open event streams on a server; a project may use a quarter, a caller a tenth.',
  },
  KEEP_ACTIONS_DAYS: {
    schema: wholeOf(eventDays, 36_500).optional(),
    about:
      'Number of days, at least 7, after which completed actions are removed. They are removed every hour in small batches, and a timeline record contains their number. Pending actions, their dependencies, and the last transaction of each account are kept. Default: all are kept.',
  },
  KEEP_TIMELINE_DAYS: {
    schema: wholeOf(eventDays, 36_500).optional(),
    about: 'Number of days, at least 7, after which timeline records are removed. Default: all are kept.',
  },
  SMTP_URL: {
    schema: smtpUrl.optional(),
    secret: true,
    about:
      'Mail server: `smtp://user:password@host:587` (STARTTLS) or `smtps://…:465`. Default: mails become `.eml` files in `DATA_DIR/mail`.',
  },
  MAIL_FROM: {
    schema: mailFrom.optional(),
    about: 'Sender of mails, `name@example.com` or `Name <name@example.com>`; required with `SMTP_URL`.',
  },
  CONSOLE_URL: {
    schema: httpUrl.optional(),
    otherwise: '`BASE_URL`/console',
    about:
      'URL that links in mails open. The links’ tokens are in the fragment (`#/init-user?initToken=…`, `#/invitation?invitationToken=…`), which browsers do not send.',
  },
  INVITATIONS_PER_HOUR: {
    schema: whole(1, 100_000, 30),
    about:
      'Maximum number of invitations that one organization can mail within an hour, across all servers; further requests get 429. One address receives at most 5 per day from one organization, and 20 per day from all.',
  },
  PLUGINS_ALLOWED: {
    schema: pluginPlaces,
    about:
      'Allowed plugins, separated by commas: `npm:<package>`, `file:<absolute folder>` (modules at any depth), `https://<host>`. Modules run in their own processes, which can read the module’s folder and the packages in its package.json. The module’s folder is the nearest one with a package.json within the folder in this setting, otherwise the folder that contains the module. That folder must not contain files of the server: `DATA_DIR`, its key and configuration files, `PLUGINS_FOLDER` itself, the working directory.',
  },
  PLUGINS_TRUSTED: {
    schema: trustedPlaces,
    about:
      'Modules that run in the server’s own process, with all of its rights: `npm:<package>`, `file:<absolute folder>`. They need no entry in `PLUGINS_ALLOWED`.',
  },
  PLUGINS_FOLDER: {
    schema: text.default('.'),
    otherwise: 'the working directory',
    about: 'Folder whose `node_modules` contains the packages of `npm:` plugins. Nothing is ever installed.',
  },
  PLUGIN_ISOLATION: {
    schema: oneOf(['best', 'required']).default('best'),
    about:
      'Isolation of modules in their own processes. `best`: Linux namespaces (users, processes, network, files) if the kernel lets this user create them, otherwise only Node’s permission model; the log reports at startup which of them is used. `required`: without namespaces the server does not start.',
  },
  PLUGIN_PROCESSES: {
    schema: whole(1, 10_000, 64),
    about:
      'Maximum number of plugins in their own processes on this server; further plugins get 503 until one is deactivated or deleted. A process that uses more than 512 MB is stopped. An organization may use at most as many processes as then remain free, so a single organization gets half of them. A project may have at most 20 plugins of any kind.',
  },
  OUTBOUND_OPEN: {
    schema: list(network),
    about:
      'Allowed addresses and networks that are not public, for ledger nodes, certificate authorities, remote plugins and webhook receivers, separated by commas: `10.0.0.0/8,127.0.0.1`. All other private addresses are blocked, because users choose these addresses.',
  },
  TRUSTED_PROXIES: {
    schema: whole(0, 10, 0),
    about:
      'Number of proxies in front of the server that add the address of their client to the header `TRUSTED_PROXY_HEADER`. Failed logins are counted per address that the outermost of them reports.',
  },
  TRUSTED_PROXY_HEADER: {
    schema: oneOf(proxyHeaders).default('X-Forwarded-For'),
    about:
      'Header to which each proxy appends the address of its client: `X-Forwarded-For` (`192.0.2.1`, `192.0.2.1:4711`, `[2001:db8::1]:4711`) or `Forwarded` (RFC 7239). The other header is ignored, because clients can set it.',
  },
} as const satisfies SettingsTable;

export type SettingName = keyof typeof settings;

import { z } from '@hono/zod-openapi';
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

/** Events are made of actions and activities, and are told again for so long. */
const eventDays = 7;

/** Every setting of the server. What reads them, the table of the README and `npm start` are made from this. */
export const settings = {
  CONFIG_FILE: {
    schema: text.optional(),
    environmentOnly: true,
    about: 'JSON file with settings by the same names; the environment wins.',
  },
  HOST: {
    schema: text.default('127.0.0.1'),
    about: 'Address to listen on.',
  },
  PORT: {
    schema: whole(0, 65_535, 3000),
    about: 'Port to listen on; 0 takes a free one.',
  },
  METRICS_PORT: {
    schema: wholeOf(0, 65_535).optional(),
    about:
      'Port of `/metrics`, in Prometheus’ text format; 0 takes a free one, which the log tells. Absent: nothing is counted. Whoever reaches it reads ids of ledgers and how much is done on them: it asks for no credentials.',
  },
  METRICS_HOST: {
    schema: text.default('127.0.0.1'),
    about: 'Address that `METRICS_PORT` listens on.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: httpUrl.optional(),
    about:
      'OpenTelemetry collector that traces go to, by OTLP over HTTP in JSON: `http://collector:4318`; `/v1/traces` is added. Absent: nothing is traced, and the SDK is not loaded.',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    schema: httpUrl.optional(),
    about: 'The same for traces alone, with the path.',
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
    about: 'Part of the traces that the samplers by ratio record, from 0 to 1.',
  },
  OTEL_SDK_DISABLED: {
    schema: oneOf(['true', 'false']).default('false'),
    about: '`true`: nothing is traced, whatever else is set.',
  },
  BASE_URL: {
    schema: httpUrl.optional(),
    otherwise: '`http://HOST:PORT`',
    about: 'Public address of the service: issuer and audience of tokens, and the start of absolute URLs.',
  },
  DATABASE_URL: {
    schema: z
      .string('must be text')
      .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
      .optional(),
    secret: true,
    about: 'PostgreSQL; any number of servers may share it. Absent: SQLite in `DATA_DIR`, for one server.',
  },
  DATA_DIR: {
    schema: text.default('data'),
    about: 'Folder of the SQLite database and of the first administrator’s credentials.',
  },
  MASTER_KEY: {
    schema: masterKeyText.optional(),
    secret: true,
    about:
      'The server’s key, 32 bytes in hexadecimal or base64; needed, best as `MASTER_KEY_FILE`, outside of `DATA_DIR`. Must be the same on every server and at every start.',
  },
  ADMINISTRATOR_APPLICATION_TOKEN: {
    schema: z
      .string('must be text')
      .regex(/^app_[A-Za-z0-9_-]{43}$/, 'must be app_ and 32 bytes in base64url')
      .optional(),
    otherwise: 'generated',
    secret: true,
    about:
      'Application token of the first administrator, for the first start on an empty database. Given together with `ADMINISTRATOR_API_TOKEN`, or both are generated and written to `administrator.json` in `DATA_DIR` (mode 0600).',
  },
  ADMINISTRATOR_API_TOKEN: {
    schema: z
      .string('must be text')
      .regex(/^sak_[A-Za-z0-9_-]{43}$/, 'must be sak_ and 32 bytes in base64url')
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
    about: 'Origins whose pages may call, separated by commas.',
  },
  WALLET_PASSWORD_MIN: {
    schema: whole(1, 128, 12),
    about: 'Fewest characters of a wallet password.',
  },
  TRANSACTION_WAIT_MS: {
    schema: whole(0, 10_000, 1_000),
    about: 'How long the cloud wallet’s sendTransaction waits for the ledger’s transaction id.',
  },
  SHUTDOWN_TIMEOUT_MS: {
    schema: whole(0, 300_000, 10_000),
    about: 'How long requests may take to finish when the server is told to stop.',
  },
  MAX_EVENT_STREAMS: {
    schema: whole(0, 100_000, 1_000),
    about:
      'Most event streams that are open at once on a server; a project may have a quarter of them, a caller a tenth.',
  },
  KEEP_ACTIONS_DAYS: {
    schema: wholeOf(eventDays, 36_500).optional(),
    about:
      'Days, 7 or more, after which actions that have ended are removed, hourly, a few at a time; the timeline says how many. What is pending, or something pending depends on, stays, and of each account its last transaction. Absent: all are kept.',
  },
  KEEP_TIMELINE_DAYS: {
    schema: wholeOf(eventDays, 36_500).optional(),
    about:
      'Days, 7 or more, after which activities of the timeline are removed, in the same way. Absent: all are kept.',
  },
  SMTP_URL: {
    schema: smtpUrl.optional(),
    secret: true,
    about:
      'Mail server: `smtp://user:password@host:587` (STARTTLS) or `smtps://…:465`. Absent: mails become `.eml` files in `DATA_DIR/mail`.',
  },
  MAIL_FROM: {
    schema: mailFrom.optional(),
    about: 'Sender of mails, `name@example.com` or `Name <name@example.com>`; needed with `SMTP_URL`.',
  },
  CONSOLE_URL: {
    schema: httpUrl.optional(),
    otherwise: '`BASE_URL`/console',
    about:
      'Page to which the links in mails lead; their tokens stand in the fragment (`#/init-user?initToken=…`, `#/invitation?invitationToken=…`), which browsers send to nobody.',
  },
  INVITATIONS_PER_HOUR: {
    schema: whole(1, 100_000, 30),
    about:
      'Most invitations that one organization mails within an hour, counted in the database for all servers; then 429. One address gets 5 a day from an organization, and 20 from all together.',
  },
  PLUGINS_ALLOWED: {
    schema: pluginPlaces,
    about:
      'What plugins may be, separated by commas: `npm:<package>`, `file:<absolute folder>` (modules at any depth), `https://<host>`. Modules run in processes of their own, which read the module’s own folder and the packages that its package.json names. Its own folder is the nearest one with a package.json within the folder given here, else the one that it lies in; it may hold nothing of the server’s: `DATA_DIR`, its key and configuration files, `PLUGINS_FOLDER` itself, the working directory.',
  },
  PLUGINS_TRUSTED: {
    schema: trustedPlaces,
    about:
      'Modules that run in the server’s own process, where they can do what the server can: `npm:<package>`, `file:<absolute folder>`. They are allowed with that.',
  },
  PLUGINS_FOLDER: {
    schema: text.default('.'),
    otherwise: 'the working directory',
    about: 'Folder whose `node_modules` holds the packages of `npm:` plugins. Nothing is ever installed.',
  },
  PLUGIN_ISOLATION: {
    schema: oneOf(['best', 'required']).default('best'),
    about:
      'What shuts off modules in processes of their own. `best`: Linux namespaces (users, processes, network, files) where the kernel lets this user make them, else Node’s permission model alone, which the log says at start. `required`: without namespaces the server does not start.',
  },
  PLUGIN_PROCESSES: {
    schema: whole(1, 10_000, 64),
    about:
      'Most plugins that run in processes of their own at once on this server; the next is refused with 503 until one is deactivated or deleted. A process may take 512 MB before it is ended. An organization has no more of them than are left for others: alone half of all. A project has at most 20 plugins, whatever they are.',
  },
  OUTBOUND_OPEN: {
    schema: list(network),
    about:
      'Addresses and networks that are not public and where ledger nodes, certificate authorities, remote plugins and receivers of webhooks may be all the same, separated by commas: `10.0.0.0/8,127.0.0.1`. Users write such addresses, so everything else that is not public stays closed.',
  },
  TRUSTED_PROXIES: {
    schema: whole(0, 10, 0),
    about:
      'How many proxies in front add their client to `X-Forwarded-For`: failed logins are counted for the address that the outermost of them saw.',
  },
} as const satisfies SettingsTable;

/** Name of a setting. */
export type SettingName = keyof typeof settings;

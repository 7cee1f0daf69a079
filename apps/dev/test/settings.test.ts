// Generated from the tables of settings: what the server takes, `npm start` takes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ConfigError,
  readConfig,
  type ServerConfig,
  type SettingName,
  withSettings,
} from '@ledger-ops/server';
import { openPostgres } from '@ledger-ops/store/testing';
import { afterAll, afterEach, expect, test } from 'vitest';
import { endAll, freePort, run } from '../../../testing/children.ts';
import { ownSettings, readDevSettings } from '../src/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-dev-'));
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A value for each setting that is not its default. A setting without one does not pass the type check. */
const others: Record<Exclude<SettingName, 'CONFIG_FILE'>, string> = {
  HOST: '0.0.0.0',
  PORT: '4000',
  METRICS_PORT: '4001',
  METRICS_HOST: '::1',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/traces',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20development',
  OTEL_SERVICE_NAME: 'development',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=development',
  OTEL_TRACES_SAMPLER: 'traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.5',
  OTEL_SDK_DISABLED: 'true',
  BASE_URL: 'http://development.example',
  DATABASE_URL: 'postgres://127.0.0.1/development',
  DATA_DIR: join(folder, 'data'),
  MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  ADMINISTRATOR_APPLICATION_TOKEN: `app_${'A'.repeat(43)}`,
  ADMINISTRATOR_API_TOKEN: `sak_${'B'.repeat(43)}`,
  LOG_LEVEL: 'error',
  CORS_ORIGINS: 'https://app.example',
  WALLET_PASSWORD_MIN: '40',
  TRANSACTION_WAIT_MS: '2000',
  SHUTDOWN_TIMEOUT_MS: '5000',
  MAX_EVENT_STREAMS: '77',
  KEEP_ACTIONS_DAYS: '30',
  KEEP_TIMELINE_DAYS: '90',
  SMTP_URL: 'smtp://user:password@127.0.0.1:9',
  MAIL_FROM: 'development@example.com',
  CONSOLE_URL: 'https://console.example',
  INVITATIONS_PER_HOUR: '3',
  PLUGINS_ALLOWED: 'npm:@ledger-ops/plugin-ethereum',
  PLUGINS_TRUSTED: 'npm:@ledger-ops/plugin-fabric',
  PLUGINS_FOLDER: folder,
  PLUGIN_ISOLATION: 'required',
  PLUGIN_PROCESSES: '3',
  OUTBOUND_OPEN: '10.0.0.0/8',
  TRUSTED_PROXIES: '1',
};
/** Settings that are given in pairs. */
const partners: Record<string, readonly (keyof typeof others)[]> = {
  METRICS_HOST: ['METRICS_PORT'],
  OTEL_EXPORTER_OTLP_HEADERS: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
  OTEL_SERVICE_NAME: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
  OTEL_RESOURCE_ATTRIBUTES: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
  OTEL_TRACES_SAMPLER: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
  OTEL_TRACES_SAMPLER_ARG: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
  OTEL_SDK_DISABLED: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
  ADMINISTRATOR_APPLICATION_TOKEN: ['ADMINISTRATOR_API_TOKEN'],
  ADMINISTRATOR_API_TOKEN: ['ADMINISTRATOR_APPLICATION_TOKEN'],
  SMTP_URL: ['MAIL_FROM'],
  MAIL_FROM: ['SMTP_URL'],
};
const least = { DATA_DIR: others.DATA_DIR, MASTER_KEY: Buffer.alloc(32, 5).toString('base64') };

/** A configuration with what its secrets hold, to be compared. */
function shown({ databaseUrl, administrator, smtp, traces, ...config }: ServerConfig) {
  return {
    ...config,
    databaseUrl: databaseUrl?.reveal(),
    administrator: [administrator?.applicationToken.reveal(), administrator?.apiToken.reveal()],
    traces: { ...traces, headers: traces?.headers?.reveal() },
    smtp: { ...smtp, password: smtp?.password?.reveal() },
  };
}

/** The development server's own defaults. */
const decided = (config: ReturnType<typeof shown>, given: Record<string, string>) => ({
  ...config,
  host: '127.0.0.1',
  logLevel: given.LOG_LEVEL === undefined ? 'warn' : config.logLevel,
  outboundOpen: ['127.0.0.0/8', ...config.outboundOpen],
});

test.each(Object.keys(others))('%s holds as in the server, or is said to be ignored', (name) => {
  const given = Object.fromEntries(
    Object.entries(others).filter(([one]) => one === name || partners[name]?.some((other) => other === one)),
  );
  const server = shown(readConfig({ ...least, ...given }));
  const { config, ignored } = readDevSettings({ ...least, ...given });
  expect(shown(config)).toEqual(decided(server, given));
  expect(ignored.map((line) => line.split(' ')[0])).toEqual(name === 'HOST' ? ['HOST'] : []);

  const CONFIG_FILE = join(folder, 'config.json');
  writeFileSync(CONFIG_FILE, JSON.stringify({ ...least, ...given, ANVIL_PORT: 9000 }));
  const fromFile = readDevSettings({ CONFIG_FILE });
  expect(shown(fromFile.config)).toEqual(
    decided(shown(readConfig({ CONFIG_FILE: withoutOwn(CONFIG_FILE) })), given),
  );
  expect([fromFile.anvilPort, fromFile.ignored]).toEqual([9000, ignored]);
});

/** The same file for the server, under the same name. */
function withoutOwn(path: string): string {
  const { ANVIL_PORT: _, ...rest } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify(rest));
  return path;
}

test('a setting of its own that is wrong is named', () => {
  const read = (given: Record<string, string>) => () => readDevSettings({ ...least, ...given });
  expect(read({ ANVIL_PORT: '70000' })).toThrow('ANVIL_PORT must be a whole number from 0 to 65535, not ');
  expect(read({ ANVIL_BLOCK_TIME: 'x' })).toThrow(
    'ANVIL_BLOCK_TIME must be a number of seconds from 0.01 to 60.',
  );
  expect(read({ ANVIL_BLOCK_TIME: '0' })).toThrow(ConfigError);
});

test('the README lists its own settings as they are', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme, 'run `pnpm --filter @ledger-ops/dev generate`').toBe(withSettings(readme, ownSettings));
});

test('it starts with every setting given, on PostgreSQL, and its first lines say what is ignored', async () => {
  const cluster = await openPostgres();
  try {
    const settings = {
      ...others,
      DATABASE_URL: await cluster.createDatabase({ bare: true }),
      PORT: String(await freePort()),
      ANVIL_PORT: String(await freePort()),
      SOLANA_PORT: String(await freePort()),
      ANVIL_BLOCK_TIME: '0.1',
      // The default depends on the namespaces that the machine offers.
      PLUGIN_ISOLATION: 'best',
      // Spans go nowhere here, and hinder nothing.
      OTEL_SDK_DISABLED: 'false',
    };
    const { code, out, err } = run(new URL('../src/main.ts', import.meta.url), settings, ['--once']);
    expect([await code, err()]).toEqual([0, '']);
    const [first = '', second = ''] = out().split('\n');
    expect(first).toMatch(/^HOST 0\.0\.0\.0 is ignored: /);
    expect(second).toMatch(/^Ethereum: transfer /);
  } finally {
    await cluster.stop();
  }
}, 300_000);

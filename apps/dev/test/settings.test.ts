// The tests are generated from the settings tables: `npm start` accepts every setting of the server.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig, type ServerConfig, withSettings } from '@ledger-ops/server';
import { afterAll, expect, test } from 'vitest';
import { ownSettings, readDevSettings } from '../src/settings.ts';
import { everySetting } from './every-setting.ts';

const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-dev-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const others = everySetting(folder);
/** Settings that require another setting. */
const partners: Record<string, readonly (keyof typeof others)[]> = {
  DATABASE_SCHEMA: ['DATABASE_URL'],
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

/** Returns a configuration with its secrets revealed, for comparison. */
function shown({ databaseUrl, administrator, smtp, traces, ...config }: ServerConfig) {
  return {
    ...config,
    databaseUrl: databaseUrl?.reveal(),
    administrator: [administrator?.applicationToken.reveal(), administrator?.apiToken.reveal()],
    traces: { ...traces, headers: traces?.headers?.reveal() },
    smtp: { ...smtp, password: smtp?.password?.reveal() },
  };
}

/** Returns the development server's own defaults. */
const decided = (config: ReturnType<typeof shown>, given: Record<string, string>) => ({
  ...config,
  host: '127.0.0.1',
  logLevel: given.LOG_LEVEL === undefined ? 'warn' : config.logLevel,
  outboundOpen: ['127.0.0.0/8', ...config.outboundOpen],
});

test.each(Object.keys(others))(
  'the setting %s has the same effect as in the server, or is reported as ignored',
  (name) => {
    const given = Object.fromEntries(
      Object.entries(others).filter(
        ([one]) => one === name || partners[name]?.some((other) => other === one),
      ),
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
    expect([fromFile.ports.ANVIL_PORT.port, fromFile.ignored]).toEqual([9000, ignored]);
  },
);

/** Removes the development server's own settings from a settings file. Returns its path. */
function withoutOwn(path: string): string {
  const { ANVIL_PORT: _, ...rest } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify(rest));
  return path;
}

test('the error for an invalid setting of the development server contains its name', () => {
  const read = (given: Record<string, string>) => () => readDevSettings({ ...least, ...given });
  expect(read({ ANVIL_PORT: '70000' })).toThrow('ANVIL_PORT must be a whole number from 0 to 65535, not ');
  expect(read({ ANVIL_BLOCK_TIME: 'x' })).toThrow(
    'ANVIL_BLOCK_TIME must be a number of seconds from 0.01 to 60.',
  );
  expect(read({ ANVIL_BLOCK_TIME: '0' })).toThrow(ConfigError);
});

test('the README lists the development server’s settings', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme, 'run `pnpm --filter @ledger-ops/dev run readme`').toBe(withSettings(readme, ownSettings));
});

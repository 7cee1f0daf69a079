import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/settings/config.ts';
import { ConfigError } from '../../src/settings/config-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const key = Buffer.alloc(32, 5);
const MASTER_KEY = key.toString('base64');

test('the master key is the only required setting', () => {
  expect(readConfig({ MASTER_KEY })).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    baseUrl: undefined,
    databaseUrl: undefined,
    dataDir: 'data',
    masterKey: Uint8Array.from(key),
    logLevel: 'info',
    corsOrigins: [],
    walletPasswordMinimum: 12,
    invitationsPerHour: 30,
    administrator: undefined,
  });
});

test('secrets are removed from the environment once they are read', () => {
  const environment: Record<string, string | undefined> = {
    MASTER_KEY,
    ADMINISTRATOR_APPLICATION_TOKEN: `app_${'a'.repeat(43)}`,
    ADMINISTRATOR_API_TOKEN: `sak_${'a'.repeat(43)}`,
    DATABASE_URL: 'postgres://ops:secret@db.example/ops',
    SMTP_URL: 'smtp://user:password@mail.example',
    MAIL_FROM: 'ops@example.com',
    PATH: '/bin',
  };
  const config = readConfig(environment);
  expect(config.administrator?.apiToken.reveal()).toBe(`sak_${'a'.repeat(43)}`);
  expect(config.databaseUrl?.reveal()).toBe('postgres://ops:secret@db.example/ops');
  expect(config.secretsInEnvironment).toHaveLength(5);
  expect(environment).toEqual({ MAIL_FROM: 'ops@example.com', PATH: '/bin' });
});

test('environment variables that are not empty override the settings file', () => {
  const CONFIG_FILE = file(
    'good.json',
    JSON.stringify({ PORT: 4000, HOST: '0.0.0.0', CORS_ORIGINS: ['https://a.example'] }),
  );
  expect(readConfig({ MASTER_KEY, CONFIG_FILE, PORT: '5000', HOST: '' })).toMatchObject({
    port: 5000,
    host: '0.0.0.0',
    corsOrigins: ['https://a.example'],
  });
});

test('each secret can be in its own file', () => {
  const config = readConfig({
    MASTER_KEY_FILE: file('key', MASTER_KEY),
    DATABASE_URL_FILE: file('database', 'postgres://ops:secret@db.example/ops\n'),
    ADMINISTRATOR_APPLICATION_TOKEN_FILE: file('application', `app_${'a'.repeat(43)}\n`),
    ADMINISTRATOR_API_TOKEN_FILE: file('api', `sak_${'b'.repeat(43)}\n`),
    SMTP_URL_FILE: file('smtp', 'smtps://user:password@mail.example\n'),
    MAIL_FROM: 'ops@example.com',
  });
  expect(config.masterKey).toEqual(Uint8Array.from(key));
  expect(config.databaseUrl?.reveal()).toBe('postgres://ops:secret@db.example/ops');
  expect(config.administrator?.applicationToken.reveal()).toBe(`app_${'a'.repeat(43)}`);
  expect(config.administrator?.apiToken.reveal()).toBe(`sak_${'b'.repeat(43)}`);
  expect(config.smtp?.password?.reveal()).toBe('password');
  expect(config.secretsInEnvironment).toEqual([]);
});

test('the master key can be in a file in hexadecimal', () => {
  const MASTER_KEY_FILE = file('key', `${key.toString('hex')}\n`);
  expect(readConfig({ MASTER_KEY_FILE }).masterKey).toEqual(Uint8Array.from(key));
});

test('a trailing slash of the base URL is removed', () => {
  expect(readConfig({ MASTER_KEY, BASE_URL: 'https://ops.example/' }).baseUrl).toBe('https://ops.example');
  const [BASE_URL, CONSOLE_URL] = ['https://ops.example/ledger/', 'https://ops.example/people'];
  expect(readConfig({ MASTER_KEY, BASE_URL, CONSOLE_URL }).baseUrl).toBe('https://ops.example/ledger');
});

describe('invalid settings', () => {
  test.each([
    [{}, 'MASTER_KEY is required'],
    [{ MASTER_KEY: 'short' }, 'MASTER_KEY must be 32 bytes'],
    [{ MASTER_KEY, MASTER_KEY_FILE: '/x' }, 'MASTER_KEY and MASTER_KEY_FILE are both set'],
    [{ MASTER_KEY_FILE: file('short', 'short') }, 'MASTER_KEY (from MASTER_KEY_FILE) must be 32 bytes'],
    [{ MASTER_KEY, DATABASE_URL: 'postgres://x', DATABASE_URL_FILE: '/x' }, 'DATABASE_URL_FILE are both set'],
    [{ MASTER_KEY, SMTP_URL_FILE: '/does/not/exist' }, 'SMTP_URL_FILE: /does/not/exist cannot be read'],
    [{ MASTER_KEY_FILE: '/does/not/exist' }, 'MASTER_KEY_FILE: /does/not/exist cannot be read (ENOENT)'],
    [{ MASTER_KEY, PORT: 'http' }, 'PORT must be a whole number from 0 to 65535'],
    [{ MASTER_KEY, PORT: '65536' }, 'PORT must be a whole number from 0 to 65535'],
    [{ MASTER_KEY, KEEP_ACTIONS_DAYS: '6' }, 'KEEP_ACTIONS_DAYS must be a whole number from 7 to 36500'],
    [{ MASTER_KEY, KEEP_TIMELINE_DAYS: '6' }, 'KEEP_TIMELINE_DAYS must be a whole number from 7 to 36500'],
    [{ MASTER_KEY, BASE_URL: 'ops.example' }, 'BASE_URL must be an absolute http or https URL'],
    [{ MASTER_KEY, BASE_URL: 'https://u:p@ops.example' }, 'BASE_URL must be an absolute'],
    [{ MASTER_KEY, DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a postgres:// URL'],
    [
      { MASTER_KEY, BASE_URL: 'https://ops.example/ledger' },
      'BASE_URL has the path /ledger, but the console',
    ],
    [{ MASTER_KEY, DATABASE_URL: '' }, 'DATABASE_URL is set, but empty.'],
    [{ MASTER_KEY, DATABASE_URL_FILE: '' }, 'DATABASE_URL_FILE is set, but empty.'],
    [
      { MASTER_KEY, DATABASE_URL_FILE: file('empty', '') },
      'DATABASE_URL (from DATABASE_URL_FILE) must be a postgres:// URL',
    ],
    [{ MASTER_KEY, DATA_DIR: '' }, 'DATA_DIR is set, but empty.'],
    [{ MASTER_KEY, CONFIG_FILE: '' }, 'CONFIG_FILE is set, but empty.'],
    [
      { MASTER_KEY, DATABASE_URL: 'postgres://x', DATABASE_SCHEMA: 'a"b' },
      'DATABASE_SCHEMA must be the name of a PostgreSQL schema',
    ],
    [
      { MASTER_KEY, DATABASE_SCHEMA: 'app', DATABSE_URL: 'x' },
      'DATABASE_URL is missing. DATABSE_URL is not a setting; did you mean DATABASE_URL?',
    ],
    [{ MASTER_KEY, LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of fatal'],
    [{ MASTER_KEY, CORS_ORIGINS: 'https://a.example,*' }, 'CORS_ORIGINS must be origins'],
    [{ MASTER_KEY, CORS_ORIGINS: 'https://a.example/' }, 'CORS_ORIGINS must be origins'],
    [{ MASTER_KEY, WALLET_PASSWORD_MIN: '0' }, 'WALLET_PASSWORD_MIN must be a whole number from 1 to 128'],
    [
      { MASTER_KEY, ADMINISTRATOR_API_TOKEN: `sak_${'a'.repeat(43)}` },
      'ADMINISTRATOR_APPLICATION_TOKEN is missing',
    ],
    [{ MASTER_KEY, ADMINISTRATOR_API_TOKEN: 'x' }, 'ADMINISTRATOR_API_TOKEN must be sak_'],
    [{ MASTER_KEY, CONFIG_FILE: '/does/not/exist' }, 'CONFIG_FILE: /does/not/exist cannot be read (ENOENT)'],
    [{ MASTER_KEY, CONFIG_FILE: file('bad.json', '{') }, 'is not valid JSON'],
    [{ MASTER_KEY, CONFIG_FILE: file('list.json', '[]') }, 'must contain a JSON object'],
    [{ MASTER_KEY, CONFIG_FILE: file('unknown.json', '{"PROT": 1}') }, 'PROT is not allowed in the file'],
    [
      { MASTER_KEY, CONFIG_FILE: file('port.json', '{"PORT": "x"}') },
      'PORT (from CONFIG_FILE) must be a whole number from 0 to 65535, not "x".',
    ],
    [
      { MASTER_KEY, CORS_ORIGINS: 'https://a.example,b.example' },
      'CORS_ORIGINS must be origins such as https://app.example, not "b.example".',
    ],
    [{ MASTER_KEY, BASE_URL: 'https://u:p@ops.example' }, 'without credentials, query and fragment.'],
  ])('an invalid value is reported in one line with its setting (case %#)', (environment, line) => {
    const read = () => readConfig({ ...environment });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(line);
    try {
      read();
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      expect(message).not.toContain('\n');
      expect(message).not.toContain(MASTER_KEY);
    }
  });
});

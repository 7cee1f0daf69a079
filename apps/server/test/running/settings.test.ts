// Runs the same checks for each setting of the settings table.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/settings/config-error.ts';
import {
  namesOf,
  readSettings,
  secretNames,
  secretsInEnvironment,
} from '../../src/settings/read-settings.ts';
import type { SettingsTable } from '../../src/settings/setting.ts';
import { settings } from '../../src/settings/settings.ts';
import { settingsTable } from '../../src/settings/table-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const names = Object.keys(settings);
const messageOf = (environment: Record<string, string>): string => {
  try {
    readSettings(settings, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'The value was accepted.';
};

test.each(names.filter((name) => name !== 'CONFIG_FILE'))(
  'the error for an invalid %s contains the setting, its source and its rule',
  (name) => {
    const CONFIG_FILE = file(`${name}.json`, JSON.stringify({ [name]: { wrong: true } }));
    const line = new RegExp(`^${name} \\(from CONFIG_FILE\\) must [^\n]+\\.$`);
    expect(messageOf({ CONFIG_FILE })).toMatch(line);
    const { refusesEmpty } = (settings as SettingsTable)[name] ?? {};
    const empty = messageOf({ CONFIG_FILE, [name]: '' });
    // An empty variable is ignored, so the file's value is used, or it is refused.
    if (refusesEmpty === undefined) expect(empty).toMatch(line);
    else expect(empty).toBe(`${name} is set, but empty. Give it a value, or remove it ${refusesEmpty}.`);
  },
);

test.each(secretNames(settings))(
  'the secret %s is removed from the environment, can be in a file, and is never shown',
  (name) => {
    const environment: Record<string, string | undefined> = { [name]: 'hunter2' };
    expect(messageOf({ [name]: 'hunter2' })).toMatch(new RegExp(`^${name} must `));
    expect(messageOf({ [name]: 'hunter2' })).not.toContain('hunter2');
    expect(() => readSettings(settings, environment)).toThrow(ConfigError);
    expect(environment).toEqual({});
    const held = messageOf({ [`${name}_FILE`]: file(name, 'hunter2') });
    expect(held).toMatch(new RegExp(`^${name} \\(from ${name}_FILE\\) must `));
    expect(held).not.toContain('hunter2');
    const named = file(`${name}-named.json`, JSON.stringify({ [`${name}_FILE`]: '' }));
    expect(messageOf({ CONFIG_FILE: named })).toBe(`${name}_FILE must be the path of a file.`);
  },
);

test('each setting is returned with the source of its value', () => {
  const CONFIG_FILE = file('some.json', JSON.stringify({ PORT: 4_000, HOST: '0.0.0.0' }));
  const SMTP_URL_FILE = file('smtp', 'smtp://mail.example\n');
  const DATABASE_URL = 'postgres://db.example/ops';
  const read = readSettings(settings, { CONFIG_FILE, HOST: '::1', SMTP_URL_FILE, DATABASE_URL });
  expect(Object.fromEntries(read.given)).toEqual({
    CONFIG_FILE: 'environment',
    HOST: 'environment',
    PORT: 'CONFIG_FILE',
    DATABASE_URL: 'environment',
    SMTP_URL_FILE: 'environment',
    SMTP_URL: 'SMTP_URL_FILE',
  });
  expect(read.values).toMatchObject({ HOST: '::1', PORT: 4_000, SMTP_URL: 'smtp://mail.example' });
  expect(secretsInEnvironment(settings, read.given)).toEqual(['DATABASE_URL']);
  expect(read.files.map(({ name }) => name)).toEqual(['CONFIG_FILE', 'SMTP_URL_FILE']);
});

test('a settings file cannot name another settings file', () => {
  const CONFIG_FILE = file('other.json', JSON.stringify({ CONFIG_FILE: 'other.json' }));
  expect(messageOf({ CONFIG_FILE })).toMatch(
    /^CONFIG_FILE: CONFIG_FILE is not allowed in the file. Allowed settings: HOST, /,
  );
});

describe('the settings table', () => {
  test('the settings table shows each setting with its default and meaning, and the _FILE names of secrets', () => {
    const rows = settingsTable(settings).split('\n').slice(2);
    expect(rows.map((row) => /^\| `(\w+)`/.exec(row)?.[1])).toEqual(names);
    expect(rows.find((row) => row.startsWith('| `PORT`'))).toBe(
      '| `PORT` | `3000` | Port to listen on; 0 chooses a free one. |',
    );
    for (const name of namesOf(settings)) expect(settingsTable(settings)).toContain(`\`${name}\``);
  });
});

import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/settings/config.ts';
import { ConfigError } from '../../src/settings/config-error.ts';

const MASTER_KEY = Buffer.alloc(32, 5).toString('base64');
const read = (PLUGINS_ALLOWED: string, PLUGINS_TRUSTED: string) =>
  readConfig({ MASTER_KEY, PLUGINS_ALLOWED, PLUGINS_TRUSTED, PLUGINS_FOLDER: '.' }).plugins;

test('PLUGINS_ALLOWED contains modules, folders and hosts, and trusted modules are also allowed', () => {
  const allowed = 'npm:@a/plugin,file:/opt/plugins/, https://plugins.example ,http://127.0.0.1:9000';
  expect(read(allowed, 'npm:own,file:/opt/own')).toEqual({
    allowed: {
      modules: ['@a/plugin', 'own'],
      folders: ['/opt/plugins', '/opt/own'],
      hosts: ['https://plugins.example', 'http://127.0.0.1:9000'],
    },
    trusted: { packages: ['own'], folders: ['/opt/own'] },
    folder: resolve('.'),
    closed: [
      { name: 'DATA_DIR', path: resolve('data') },
      { name: 'working directory', path: resolve('.env') },
      { name: 'PLUGINS_FOLDER', path: resolve('.env') },
    ],
  });
});

test.each([
  ['plain-name', '', /^PLUGINS_ALLOWED must be npm:.*, not "plain-name"\.$/],
  ['file:relative', '', /^PLUGINS_ALLOWED must be .*, not "file:relative"\.$/],
  ['npm:Not A Package', '', /^PLUGINS_ALLOWED is wrong: .*"Not A Package" is not a package name\.$/],
  ['https://plugins.example/path', '', /^PLUGINS_ALLOWED is wrong: .*is not a host/],
  ['', 'https://plugins.example', /^PLUGINS_TRUSTED must be npm:.*, not "https:\/\/plugins\.example"\.$/],
])('the allowed plugins %j with trusted plugins %j are refused', (allowed, trusted, detail) => {
  expect(() => read(allowed, trusted)).toThrow(ConfigError);
  expect(() => read(allowed, trusted)).toThrow(detail);
});

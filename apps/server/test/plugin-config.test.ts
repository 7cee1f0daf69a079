import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError } from '../src/config-error.ts';
import { pluginsOf } from '../src/plugin-config.ts';

test('entries are told apart by their form, and what is trusted is allowed', () => {
  const allowed = ['npm:@a/plugin', 'file:/opt/plugins/', 'https://plugins.example', 'http://127.0.0.1:9000'];
  expect(pluginsOf(allowed, ['npm:own', 'file:/opt/own'], '.', [])).toEqual({
    allowed: {
      modules: ['@a/plugin', 'own'],
      folders: ['/opt/plugins', '/opt/own'],
      hosts: ['https://plugins.example', 'http://127.0.0.1:9000'],
    },
    trusted: { packages: ['own'], folders: ['/opt/own'] },
    folder: resolve('.'),
    closed: [
      { name: 'working directory', path: resolve('.env') },
      { name: 'PLUGINS_FOLDER', path: resolve('.env') },
    ],
  });
});

test.each([
  [['plain-name'], [], 'PLUGINS_ALLOWED: plain-name must be'],
  [['file:relative'], [], 'PLUGINS_ALLOWED: file:relative must be'],
  [['npm:Not A Package'], [], 'no name of a package'],
  [['https://plugins.example/path'], [], 'is no host'],
  [[], ['https://plugins.example'], 'PLUGINS_TRUSTED: https://plugins.example is no module'],
])('%j and %j are refused with their setting', (allowed, trusted, detail) => {
  const read = () => pluginsOf(allowed, trusted, '.', []);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(detail);
});

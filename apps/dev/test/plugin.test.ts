import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@ledger-ops/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArguments } from '../src/arguments.ts';
import { exampleOf } from '../src/plugin/examples.ts';
import { nextChange } from '../src/plugin/next-change.ts';
import { firstOperation } from '../src/plugin/operation.ts';
import type { PluginTechnology } from '../src/plugin/records.ts';
import { ledgerOfRemote } from '../src/plugin/remote-ledger.ts';
import { readTarget } from '../src/plugin/target.ts';
import { readDevSettings } from '../src/settings.ts';

let folder: string;
function write(path: string, text = ''): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'dev-plugin-')));
  write(
    'good/package.json',
    '{"name": "good", "exports": {".": {"types": "./x.d.ts", "default": "./src/plugin.js"}}}',
  );
  write('good/src/plugin.js');
  write('unbuilt/package.json', '{"name": "unbuilt", "exports": "./dist/plugin.js"}');
  write('nothing/package.json', '{"name": "nothing"}');
  write('broken/package.json', '{');
  write('empty/file');
  write('node_modules/@us/installed/package.json', '{"name": "@us/installed", "main": "index.js"}');
  write('node_modules/@us/installed/index.js');
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder, a package and a URL are allowed as what they are', () => {
  const own = join(folder, 'good');
  expect(readTarget('good', folder)).toEqual({
    name: 'good',
    url: `file:${own}/src/plugin.js`,
    module: { folder: own, file: join(own, 'src/plugin.js') },
    allowed: { modules: [], folders: [own], hosts: [] },
  });
  const installed = readTarget('@us/installed', own);
  expect(installed).toMatchObject({ url: 'npm:@us/installed', pluginsFolder: folder });
  const remote = readTarget('http://127.0.0.1:8080/', folder);
  expect(remote).toEqual({
    ...{ name: 'remote 127.0.0.1:8080', url: 'http://127.0.0.1:8080' },
    allowed: { modules: [], folders: [], hosts: ['http://127.0.0.1:8080'] },
  });

  const environment = { DATA_DIR: join(folder, 'data'), PLUGINS_ALLOWED: 'npm:other' };
  const { plugins } = readDevSettings(environment, installed).config;
  expect(plugins.allowed.modules).toEqual(['other', '@us/installed']);
  expect(plugins.folder).toBe(folder);
});

test.each([
  ['./none', 'there is no such folder'],
  ['none', 'no package that is installed in'],
  ['good/package.json', 'is no folder'],
  ['empty', 'there is no package.json in it'],
  ['broken', 'package.json cannot be read'],
  ['nothing', 'names no module: give it "exports"'],
  ['unbuilt', 'names ./dist/plugin.js, which is not there. Build the plugin first'],
  ['http://', 'is no URL'],
])('--plugin %s is refused: %s', (given, words) => {
  expect(() => readTarget(given, folder)).toThrow(ConfigError);
  expect(() => readTarget(given, folder)).toThrow(words);
});

test('what is no option is refused, and --node is for a plugin', () => {
  expect(readArguments(['--plugin', 'x', '--node=http://127.0.0.1', '--once'])).toEqual({
    ...{ help: false, once: true, plugin: 'x', node: 'http://127.0.0.1' },
  });
  expect(() => readArguments(['--twice'])).toThrow("Unknown option '--twice'");
  expect(() => readArguments(['--node', 'x'])).toThrow('--node needs --plugin.');
});

test('what a description requires is made of its examples, then of its defaults', () => {
  const schema = {
    type: 'object',
    properties: { a: { examples: [1, 2], default: 3 }, b: { default: false }, c: { default: 5 } },
    required: ['a', 'b'],
  };
  expect(exampleOf(schema, 'ledgerProperties')).toEqual({ a: 1, b: false });
  expect(exampleOf(null, 'ledgerProperties')).toEqual({});
  expect(() => exampleOf({ properties: { d: {} }, required: ['d'] }, 'ledgerProperties')).toThrow(
    'requires d in its ledgerProperties: give it an example there',
  );
});

test('the first operation is a transfer, else a call with the example of its content, else nothing', () => {
  const wallet = { walletId: 'w', walletPassword: 'p', walletAddress: 'a', ledgerId: 'l' };
  const technology: PluginTechnology = {
    ...{ name: 'gold', title: 'Gold', id: 'i', version: '1.0.0' },
    ...{ ledgerProperties: null, nodeProperties: null, walletParameters: null },
    addresses: { contract: { example: 'notes' } },
    content: { schema: { contract_call: { examples: [{ write: 'x' }] } } },
    capabilities: { operations: ['contract_call', 'transfer'] },
  };
  const only = (...operations: string[]) =>
    firstOperation({ ...technology, capabilities: { operations } }, wallet);
  expect(only('contract_call', 'transfer')).toMatchObject({ glo: { type: 'transfer' } });
  expect(only('contract_call')).toMatchObject({
    glo: {
      type: 'contract_call',
      options: {
        contract_instance: { lookup_service: { type: 'ledger', value: 'gold' }, resource: 'notes' },
      },
      meta: { ledger: { gold: { native_transaction_content: { write: 'x' } } } },
    },
  });
  expect(only('contract_deploy')).toBeNull();
});

test('a remote plugin that is not there is said to be so', async () => {
  await expect(ledgerOfRemote('http://127.0.0.1:9')).rejects.toThrow('Start it first');
});

test('files below the folder are watched, and what is installed is not', async () => {
  const { promise: stop, resolve } = Promise.withResolvers<string>();
  const changed = nextChange(join(folder, 'good'), stop);
  write('good/src/plugin.js', 'export default 1;');
  expect(await changed).toBe(true);
  const stopped = nextChange(join(folder, 'good'), stop);
  write('good/.hidden', '');
  write('good/node_modules/other/index.js', '');
  resolve('SIGINT');
  expect(await stopped).toBe(false);
});

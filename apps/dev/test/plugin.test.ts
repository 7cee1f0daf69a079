import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@ledger-ops/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { exampleOf, textsOf } from '../src/plugin/examples.ts';
import { nextChange } from '../src/plugin/next-change.ts';
import { firstOperation } from '../src/plugin/operation.ts';
import type { PluginTechnology } from '../src/plugin/records.ts';
import { ledgerOfRemote, nextDescription } from '../src/plugin/remote.ts';
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

test('accepts a folder, a package or a URL as the plugin', () => {
  const own = join(folder, 'good');
  expect(readTarget('good', folder)).toEqual({
    name: 'good',
    url: `file:${own}/src/plugin.js`,
    module: { folder: own, file: join(own, 'src/plugin.js') },
    allowed: { modules: [], folders: [own], hosts: [] },
  });
  for (const url of ['file:good', `file:${own}`, `file://${own}/`])
    expect(readTarget(url, folder)).toEqual(readTarget('good', folder));
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
  ['none', 'no such package is installed in'],
  ['good/package.json', 'is a file. Name the folder that contains its package.json'],
  ['file:./none', 'there is no such folder'],
  ['file://host/good', 'is not a URL of this machine'],
  ['C:\\plugins\\good', 'there is no such folder'],
  ['empty', 'there is no package.json in it'],
  ['broken', 'package.json cannot be read'],
  ['nothing', 'names no module. Add "exports"'],
  ['unbuilt', 'names ./dist/plugin.js, which does not exist. Build the plugin first'],
  ['http://', 'is not a URL'],
])('--plugin %s is refused: %s', (given, words) => {
  expect(() => readTarget(given, folder)).toThrow(ConfigError);
  expect(() => readTarget(given, folder)).toThrow(words);
});

test('sets required properties from examples, otherwise from const, default or enum', () => {
  const schema = {
    type: 'object',
    properties: {
      ...{ a: { examples: [1, 2], default: 3 }, b: { default: false }, c: { default: 5 } },
      ...{ d: { const: 'one' }, e: { enum: ['first', 'second'] } },
    },
    required: ['a', 'b', 'd', 'e'],
  };
  expect(exampleOf(schema, 'ledgerProperties')).toEqual({ a: 1, b: false, d: 'one', e: 'first' });
  expect(exampleOf(null, 'ledgerProperties')).toEqual({});
  expect(() => exampleOf({ properties: { d: {} }, required: ['d'] }, 'ledgerProperties')).toThrow(
    'requires d in its ledgerProperties: add an example there ("examples": [ … ]).',
  );
  expect(textsOf({ a: 'one' })).toEqual({ a: 'one' });
  expect(() => textsOf({ a: 'one', b: 2 })).toThrow(
    'an example of b in its walletParameters that is not a string: 2',
  );
});

test('the first operation is a transfer, or a call with an example if there are no transfers', () => {
  const wallet = { walletId: 'w', walletPassword: 'p', walletAddress: 'a', ledgerId: 'l' };
  const technology: PluginTechnology = {
    ...{ name: 'gold', title: 'Gold', id: 'i', version: '1.0.0' },
    ...{ ledgerProperties: null, nodeProperties: null, walletParameters: null },
    commonLedgerProperties: null,
    addresses: { contract: { example: 'notes' } },
    content: { schema: { contract_call: { examples: [{ write: 'x' }] } }, currentVersion: '7' },
    capabilities: { operations: ['contract_call', 'transfer'] },
  };
  const only = (...operations: string[]) =>
    firstOperation({ ...technology, capabilities: { operations } }, wallet);
  const transfer = only('contract_call', 'transfer');
  expect(transfer).toMatchObject({ glo: { type: 'transfer' } });
  expect(transfer?.glo).not.toHaveProperty('meta');
  expect(only('contract_call')).toMatchObject({
    glo: {
      type: 'contract_call',
      options: {
        contract_instance: { lookup_service: { type: 'ledger', value: 'gold' }, resource: 'notes' },
      },
      meta: { ledger: { gold: { version: '7', native_transaction_content: { write: 'x' } } } },
    },
  });
  expect(only('contract_deploy')).toBeNull();

  const schema = { type: 'object', properties: { fee: { enum: ['low', 'high'] } }, required: ['fee'] };
  const content = { schema, currentVersion: '7' };
  expect(firstOperation({ ...technology, content }, wallet)).toMatchObject({
    glo: { type: 'transfer', meta: { ledger: { gold: { native_transaction_content: { fee: 'low' } } } } },
  });
});

test('reports a remote plugin that does not respond', async () => {
  await expect(ledgerOfRemote('http://127.0.0.1:9')).rejects.toThrow('Start it.');
});

test('detects a changed description and a restart of a remote plugin', async () => {
  let version = '1';
  const server = createServer((_, response) => response.end(JSON.stringify({ version })));
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' ? (address?.port ?? 0) : 0;
  };
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const asked = async () => await once(server, 'request');
  const port = await listen(0);
  const { promise: stop, resolve } = Promise.withResolvers<string>();
  const next = () => nextDescription(`http://127.0.0.1:${port}`, stop);
  const [changed] = [next(), await asked()];
  version = '2';
  expect(await changed).toBe(true);

  const [again] = [next(), await asked()];
  await close();
  let missed = 0;
  const count = () => {
    missed += 1;
  };
  const other = createTcpServer((socket) => socket.on('error', () => undefined).destroy()).on(
    'connection',
    count,
  );
  other.listen(port, '127.0.0.1');
  await vi.waitFor(() => expect(missed).toBeGreaterThan(0), 30_000);
  other.close();
  await once(other, 'close');
  await listen(port);
  expect(await again).toBe(true);

  const stopped = next();
  resolve('SIGINT');
  expect(await stopped).toBe(false);
  await close();
});

test('rejects a data folder inside the plugin’s folder', () => {
  const target = readTarget('good', folder);
  const read = (name: string) => readDevSettings({ DATA_DIR: join(folder, name) }, target);
  expect(() => read('good/data')).toThrow('Start the server in the folder above it, or set DATA_DIR');
  expect(existsSync(join(folder, 'good/data'))).toBe(false);
  expect(read('good-data').dataDir).toBe(join(folder, 'good-data'));
});

test('watches files below the folder, except in node_modules', async () => {
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

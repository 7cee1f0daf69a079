import { fileURLToPath } from 'node:url';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { builtInUid } from '@ledger-ops/registry';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PluginLoader } from '../../src/index.ts';
import { integrityOf } from '../../src/plugins/resolve-module.ts';
import { pluginFolder, source } from './plugin-folder.ts';

function world(folder = pluginFolder()) {
  const log: [event: string, fields: unknown][] = [];
  const loader = new PluginLoader({
    builtIn: [],
    records: folder.records,
    log: (_level, event, fields) => void log.push([event, fields]),
    now: () => 1_000,
  });
  onTestFinished(() => loader.close());
  return { ...folder, loader, log };
}

/** Source of a module with this version. */
const versioned = (version: string) => source('a').replace("version: '1.0.0'", `version: '${version}'`);

test('the description of a module is known after a restart, before the module is loaded again', async () => {
  const folder = pluginFolder();
  const first = world(folder);
  const url = folder.write('a', versioned('1.2.3'));
  folder.put({ uid: 'a', url });
  folder.put({ uid: 'never', url: folder.write('never') });
  const said = {
    ...{ technology: 'ethereum', version: '1.2.3', keyType: 'secp256k1' },
    capabilities: { operations: ['transfer'], sequence: 'account' },
    description: { title: 'Test', addresses: { account: { pattern: '^.+$', example: 'a' } } },
  };
  expect(await first.loader.offered('p')).toEqual([]);
  await first.loader.plugin('a');
  const loaded = [{ pluginId: 'a', isLoaded: true, definition: said }];
  expect(await first.loader.offered('p')).toMatchObject(loaded);
  await first.loader.close();

  const { loader, log, put } = world(folder);
  const kept = [{ pluginId: 'a', isLoaded: false, definition: said }];
  expect(await loader.offered('p')).toMatchObject(kept);
  expect((await loader.known(['a', 'never', 'unknown'])).get('a')?.definition).toMatchObject(said);
  expect((await loader.known(['a', 'never', 'unknown'])).size).toBe(1);
  // The queries above did not load the plugin.
  expect([loader.status('a'), log]).toEqual([null, []]);
  put({ uid: 'a', projectUid: 'other' });
  expect(await loader.offered('p')).toEqual([]);
  expect(await loader.offered('other')).toMatchObject(kept);
  put({ uid: 'a', active: false });
  expect(await loader.offered('other')).toEqual([]);
  put({ uid: 'a', active: true, url: folder.write('another') });
  expect(await loader.offered('other')).toEqual([]);
});

test("replaces a module's stored description with the new one", async () => {
  const folder = pluginFolder();
  const url = folder.write('a', versioned('1.0.0'));
  folder.put({ uid: 'a', url });
  const first = world(folder);
  await first.loader.plugin('a');
  await first.loader.close();
  // From here on, another version is installed at the same path.
  folder.write('a', versioned('1.1.0'));
  const second = world(folder);
  await second.loader.plugin('a');
  await second.loader.close();
  expect(await world(folder).loader.offered('p')).toMatchObject([{ definition: { version: '1.1.0' } }]);
});

test('registering a plugin stores the description of the inspected module only if the record is written', async () => {
  const folder = pluginFolder();
  const { loader } = world(folder);
  const url = folder.write('a');
  const candidate = {
    ...{ uid: 'a', pluginId: 'a', projectUid: null, organizationUid: null, name: 'a' },
    ...{ url, active: true, integrity: null, credentials: null },
  };
  await (await loader.inspect(candidate)).release();
  const inspection = await loader.inspect(candidate);
  expect(await folder.records.source.descriptions(['a'])).toEqual(new Map());
  folder.put({ uid: 'a', url });
  await inspection.release();
  expect(await world(folder).loader.offered('p')).toMatchObject([{ pluginId: 'a', isLoaded: false }]);
});

test('a plugin can be used even if storing its description fails', async () => {
  const folder = pluginFolder();
  folder.put({ uid: 'a', url: folder.write('a') });
  const { loader, log, records } = world(folder);
  records.source.keepDescription = () => Promise.reject(new Error('The disk is full.'));
  expect(await loader.plugin('a')).toMatchObject({ name: 'a' });
  await vi.waitFor(
    () => expect(log.map(([event]) => event)).toContain('plugin description not stored'),
    30_000,
  );
});

test('reloads a plugin that is deactivated and activated again, even within a short time', async () => {
  const { loader, write, put } = world();
  const url = write('a', versioned('1.0.0'));
  put({ uid: 'a', url });
  const before = await loader.plugin('a');
  write('a', versioned('2.0.0'));
  put({ uid: 'a', name: 'Otherwise' });
  expect(await loader.plugin('a')).toBe(before);
  // The loader does not read the records between these two changes.
  put({ uid: 'a', active: false });
  put({ uid: 'a', active: true });
  if (before === null) throw new Error('Expected a loaded plugin.');
  expect(await loader.isCurrent(before)).toBe(false);
  const after = await loader.plugin('a');
  expect(after?.definition.version).toBe('2.0.0');
  if (after === null) throw new Error('Expected a loaded plugin.');
  expect(await loader.isCurrent(after)).toBe(true);
});

test('activating a plugin inspects its current module, and the record uses that module', async () => {
  const { loader, write, put, log } = world();
  const url = write('a', versioned('1.0.0'));
  put({ uid: 'a', url });
  const before = await loader.plugin('a');
  put({ uid: 'a', active: false });
  // The inactive plugin is still used for actions that it signed.
  expect(await loader.plugin('a', true)).toBe(before);
  write('a', 'null.x;');
  const candidate = {
    ...{ uid: 'a', pluginId: 'a', projectUid: null, organizationUid: null, name: 'a' },
    ...{ url, active: true, integrity: null, credentials: null },
  };
  await expect(loader.inspect(candidate)).rejects.toMatchObject({ problem: 'plugin-refused' });
  write('a', versioned('2.0.0'));
  const inspection = await loader.inspect(candidate);
  put({ uid: 'a', active: true });
  await inspection.release();
  const loads = log.filter(([event]) => event === 'plugin.loaded').length;
  expect((await loader.plugin('a'))?.definition.version).toBe('2.0.0');
  expect(log.filter(([event]) => event === 'plugin.loaded')).toHaveLength(loads);
  await loader.sweep(
    () => false,
    () => false,
  );
  expect(log.filter(([event]) => event === 'plugin.closed')).toHaveLength(1);
});

test('a module whose file was changed is not run after its process has ended, if its integrity is pinned', async () => {
  const { loader, write, put, log } = world();
  const ending = source('a').replace(
    'readInterface: async () =>',
    'readInterface: async () => process.exit(3) ??',
  );
  const url = write('a', ending);
  put({ uid: 'a', url, integrity: integrityOf(fileURLToPath(url)) });
  const plugin = await loader.plugin('a');
  const read = () => plugin?.definition.readInterface('');
  // The changed module has the same description.
  write('a', source('a'));
  await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
  const details = () =>
    log.filter(([event]) => event === 'plugin.ended').map(([, fields]) => JSON.stringify(fields));
  await vi.waitFor(
    () => expect(details()).toContainEqual(expect.stringContaining('does not match the pinned integrity')),
    30_000,
  );
  await expect(read()).rejects.toThrow('its file does not match the pinned integrity');

  write('a', ending);
  await vi.waitFor(() => expect(read()).rejects.toThrow('exited with code 3'), 30_000);
});

test('logs an unexpected error of a built-in plugin by name and location, without its message', async () => {
  const log: [event: string, fields: unknown][] = [];
  const adapter = memoryAdapter(createMemoryLedger());
  const open = () => Promise.reject(new TypeError('a secret'));
  const loader = new PluginLoader({
    builtIn: [{ ...adapter, open }],
    log: (_level, event, fields) => void log.push([event, fields]),
    now: () => 1_000,
  });
  onTestFinished(() => loader.close());
  const plugin = await loader.plugin(builtInUid(adapter.name));
  const ledger = { ledgerId: 'main', technology: adapter.technology, properties: {}, nodes: [] };
  const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
  await expect(plugin?.definition.open(ledger, host)).rejects.toThrow('a secret');
  expect(log).toEqual([
    [
      'plugin.failed',
      { pluginId: adapter.name, error: expect.stringMatching(/^TypeError at .*reload\.test\.ts/) },
    ],
  ]);
});

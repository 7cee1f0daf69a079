import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPluginUrls } from '@ledger-ops/registry';
import { expect, onTestFinished, test } from 'vitest';
import { integrityOf, resolvePlugin } from '../../src/plugins/resolve-module.ts';
import type { PluginPolicy } from '../../src/plugins/types.ts';

/**
 * Returns a folder with a module file and the packages `tool` 1.2.3, `modern` (for `import` only) and
 * `climbing` (exports a file of `tool`).
 */
function place() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'modules-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'files', 'plugin.mjs');
  for (const [name, manifest] of Object.entries({
    tool: { version: '1.2.3', main: 'index.js' },
    modern: { version: '2.0.0', exports: { '.': { import: './index.js' } } },
    climbing: { version: '1.0.0', main: '../tool/index.js' },
  })) {
    const home = join(folder, 'node_modules', name);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), JSON.stringify({ name, ...manifest }));
    writeFileSync(join(home, 'index.js'), 'export default {};');
  }
  mkdirSync(join(folder, 'files'));
  writeFileSync(file, 'export default {};');
  symlinkSync(file, join(folder, 'link.mjs'));
  symlinkSync('/etc/hostname', join(folder, 'files', 'outside.mjs'));
  const urls = createPluginUrls({
    modules: ['tool', 'modern', 'climbing', 'absent'],
    folders: [join(folder, 'files')],
    hosts: ['https://plugins.example'],
  });
  const policy: PluginPolicy = {
    locate: urls.locate,
    trusted: { packages: ['modern'], folders: [] },
    folder,
  };
  const resolve = (url: string, integrity: string | null = null, more: Partial<PluginPolicy> = {}) =>
    resolvePlugin(
      {
        uid: 'p',
        pluginId: 'p',
        projectUid: null,
        organizationUid: null,
        name: 'Named',
        url,
        active: true,
        integrity,
        credentials: null,
      },
      { ...policy, ...more },
    );
  return { folder, file, resolve };
}

test('finds packages in the plugin folder, including ESM-only packages, and files by their paths', async () => {
  const { folder, file, resolve } = place();
  const home = (name: string) => join(folder, 'node_modules', name);
  const module = (name: string) => ({ file: join(home(name), 'index.js'), folder: home(name) });
  const own = join(folder, 'files');
  expect(await resolve('npm:tool')).toEqual({ ...module('tool'), trusted: false });
  expect(await resolve('npm:tool@^1.2.0')).toEqual({ ...module('tool'), trusted: false });
  expect(await resolve('npm:modern')).toEqual({ ...module('modern'), trusted: true });
  expect(await resolve(`file:${file}`)).toEqual({ file, folder: own, trusted: false });
  const trusted = { packages: [], folders: [join(folder, 'files')] };
  expect(await resolve(`file:${file}`, null, { trusted })).toEqual({ file, folder: own, trusted: true });
  expect(await resolve('https://plugins.example/one')).toEqual({ url: 'https://plugins.example/one' });
});

test('rejects a module that is not allowed, missing, or of the wrong version, and names the plugin', async () => {
  const { folder, resolve } = place();
  for (const [url, why] of [
    ['npm:other', 'the package other is not allowed on this server'],
    ['npm:absent', 'is not installed on this server'],
    ['npm:climbing', 'outside its own folder'],
    ['npm:tool@^2.0.0', 'is installed, but ^2.0.0 is required'],
    [`file:${join(folder, 'link.mjs')}`, 'its URL must name the built file that exports the adapter'],
    [
      `file:${join(folder, 'files', 'outside.mjs')}`,
      'its URL must name the built file that exports the adapter',
    ],
    ['https://other.example', 'is not allowed on this server'],
  ] as const) {
    const message: unknown = await resolve(url).catch((error: Error) => error.message);
    expect(message).toContain('The plugin Named cannot be used: ');
    expect(message).toContain(why);
    await expect(resolve(url)).rejects.toMatchObject({ problem: 'no-plugin' });
  }
});

test('a pinned integrity must match the bytes of the module', async () => {
  const { file, resolve } = place();
  const pinned = integrityOf(file);
  expect(await resolve(`file:${file}`, pinned)).toMatchObject({ file });
  writeFileSync(file, 'export default { changed: true };');
  await expect(resolve(`file:${file}`, pinned)).rejects.toMatchObject({ problem: 'no-plugin' });
});

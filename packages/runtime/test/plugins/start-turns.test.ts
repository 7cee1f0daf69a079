// Plugins that never finish their import do not delay plugins of other organizations.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PluginLoader } from '../../src/plugins/loader.ts';
import { pluginFolder, source } from './plugin-folder.ts';

/** Source of a module that logs the start of its import and never finishes it. */
const endless = (name: string) => `
  console.log('begins ${name}');
  setInterval(() => undefined, 1_000);
  await new Promise(() => undefined);`;

function openLoader(start: number) {
  const { records, write, put } = pluginFolder();
  const lines: string[] = [];
  const loader = new PluginLoader({
    builtIn: [],
    records,
    limits: { timing: { start, call: 600_000 } },
    log: (_level, event, fields) => lines.push(`${event} ${JSON.stringify(fields ?? {})}`),
    now: Date.now,
  });
  onTestFinished(() => loader.close());
  const load = (organizationUid: string, uid: string, text?: string) => {
    put({ uid, name: uid, organizationUid, url: write(uid, text) });
    return loader.plugin(uid);
  };
  const begun = () => lines.flatMap((line) => /"begins (\w+)"/.exec(line)?.[1] ?? []);
  return { loader, load, put, write, begun, lines };
}

test('a plugin starts before the plugins of another organization whose imports never finish', async () => {
  const { load, begun } = openLoader(2_000);
  const processors = availableParallelism();
  const endlessOnes = Array.from({ length: 3 * processors }, (_, at) => `endless${at}`);
  const loading = endlessOnes.map((uid) => load('greedy', uid, endless(uid)));
  const settled = Promise.allSettled(loading);
  await vi.waitFor(() => expect(begun()).not.toEqual([]), 30_000);
  await load('other', 'good', `console.log('begins good');\n${source('good')}`);
  // At most one import per processor was started before it.
  expect(begun().indexOf('good')).toBeGreaterThanOrEqual(0);
  expect(begun().indexOf('good')).toBeLessThanOrEqual(processors);
  // All plugins were started, one after another. On a busy machine, the time limit may expire before a module's import
  // begins.
  const reasons = (await settled).map((one) => (one.status === 'rejected' ? String(one.reason) : 'loaded'));
  expect(reasons).toEqual(endlessOnes.map(() => expect.stringMatching(/was not ready within 2000 ms/)));
}, 120_000);

test('a plugin that is being loaded does not delay the closing of other plugins', async () => {
  const { loader, load, put, write, begun, lines } = openLoader(60_000);
  await load('other', 'good');
  // The import of this plugin finishes when the file `go.mjs` appears next to the module.
  const slow = `import { existsSync } from 'node:fs';
    console.log('begins slow');
    const go = new URL('go.mjs', import.meta.url);
    while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 20));
    ${source('slow')}`;
  let isOver = false;
  const loading = load('greedy', 'slow', slow).finally(() => {
    isOver = true;
  });
  await vi.waitFor(() => expect(begun()).toEqual(['slow']), 30_000);
  put({ uid: 'slow', active: false });
  put({ uid: 'good', active: false });
  const sweep = () =>
    loader.sweep(
      () => false,
      () => false,
    );
  await sweep();
  expect(lines.filter((line) => line.startsWith('plugin.closed'))).toHaveLength(1);
  expect(isOver).toBe(false);
  write('go', '');
  await loading;
  await sweep();
  expect(lines.filter((line) => line.startsWith('plugin.closed'))).toHaveLength(2);
}, 120_000);

test('closing the loader aborts the loading of plugins, including plugins that wait to start', async () => {
  const { loader, load, begun } = openLoader(60_000);
  const names = Array.from({ length: 3 * availableParallelism() }, (_, at) => `endless${at}`);
  const loading = Promise.allSettled(names.map((uid) => load('greedy', uid, endless(uid))));
  await vi.waitFor(() => expect(begun()).not.toEqual([]), 30_000);
  await loader.close();
  expect((await loading).map(({ status }) => status)).toEqual(names.map(() => 'rejected'));
  expect(new Set(begun()).size).toBeLessThan(names.length);
}, 60_000);

test('reads the descriptions of remote plugins concurrently, and closing the loader aborts the reads', async () => {
  let requests = 0;
  const server = createServer(() => {
    requests += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { loader, put } = openLoader(60_000);
  const names = Array.from({ length: 30 }, (_, at) => `silent${at}`);
  const loading = Promise.allSettled(
    names.map((uid) => {
      put({ uid, name: uid, organizationUid: 'greedy', url: `http://127.0.0.1:${port}/` });
      return loader.plugin(uid);
    }),
  );
  await vi.waitFor(() => expect(requests).toBe(names.length), 30_000);
  await loader.close();
  expect((await loading).map(({ status }) => status)).toEqual(names.map(() => 'rejected'));
}, 60_000);

// Faults of plugins do not depend on the database, so these tests use only SQLite.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { createSqlite, openSqlite } from '@ledger-ops/store/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { stopEngines, transfer } from '../engine-harness.ts';
import type { Misdeed } from './plugin-folder.ts';
import { executed, world } from './plugin-world.ts';

afterEach(stopEngines);

async function open(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'misbehaving-'));
  const file = join(folder, 'store.sqlite');
  await createSqlite(file);
  const store = await openSqlite(file);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

describe('actions of a misbehaving plugin', () => {
  const misdeeds: [Misdeed, 'submit' | 'confirm'][] = [
    ['exit', 'submit'],
    ['exit after', 'submit'],
    ['exit', 'confirm'],
    ['loop', 'submit'],
    ['leak', 'confirm'],
    ['nonsense', 'submit'],
    ['too much', 'confirm'],
    ['throw', 'confirm'],
  ];
  const usual: readonly Misdeed[] = ['exit after', 'loop'];
  test.each(selectCases(misdeeds, ([misdeed]) => usual.includes(misdeed)))(
    'an action is executed once although its plugin misbehaves (fault: %s, method: %s)',
    async (misdeed, method) => {
      const ledger = createMemoryLedger({ autoMine: false });
      const { server, folder, start } = await world(await open(), ledger);
      folder.put({ uid: 'a', name: 'Plugin A', url: folder.write('a') });
      const { wallet, send, ended, plugins } = await start({
        // Only a loop is detected by its timeout. The other timeouts are long, so that they do not expire on a busy
        // machine.
        limits: {
          timing: misdeed === 'loop' ? { call: 4_000, ping: 2_000 } : { call: 60_000, ping: 60_000 },
          memoryLimitMb: 300,
        },
      });
      const [from, to] = [await wallet(), await wallet(0n)];
      // A loop happens only once, because it occupies a processor until its timeout.
      const times = misdeed === 'loop' ? 1 : 2;
      if (method === 'submit') server.script('a', method, misdeed, times);
      const id = await send(from, transfer(to.address, 1n));
      if (method === 'confirm') server.script('a', method, misdeed, times);
      ledger.autoMine = true;
      expect(await ended([id])).toMatchObject([{ status: 'SUCCEEDED' }]);
      expect(executed(ledger, to.address)).toBe(1);
      expect(ledger.nonceOf(from.address)).toBe(1n);
      expect(plugins.status('a')?.lastError?.detail).toContain('Plugin A');
    },
  );
});

test('a plugin in a crash loop does not affect the actions of another plugin on the same ledger', async () => {
  const { ledger, server, folder, start } = await world(await open());
  folder.put({ uid: 'bad', url: folder.write('bad') });
  folder.put({ uid: 'good', url: folder.write('good') });
  const { wallet, send, ended, status, plugins } = await start();
  const [one, two, to] = [await wallet(), await wallet(), await wallet(0n)];
  server.script('bad', 'submit', 'exit', 1_000);
  const doomed = await send(one, transfer(to.address), { pluginId: 'bad' });
  server.script('bad', 'confirm', 'exit', 1_000);
  await vi.waitFor(() => expect(plugins.status('bad')?.restarts).toBeGreaterThan(1), 30_000);
  const ids = await Promise.all(
    [1, 2, 3, 4].map(() => send(two, transfer(to.address), { pluginId: 'good' })),
  );
  expect(new Set((await ended(ids)).map((end) => end.status))).toEqual(new Set(['SUCCEEDED']));
  expect(await status(doomed)).toMatchObject({ status: 'PENDING', stage: 'signed' });
  expect(executed(ledger, to.address)).toBe(4);
  expect(plugins.status('good')).toMatchObject({ restarts: 0, lastError: null });
});

const endless = 'await new Promise((resolve) => setInterval(() => undefined, 1_000));';
const brokenModules: [string, string][] = [
  ['throws at import', `throw new TypeError('not today');`],
  ['exits at import', 'process.exit(1);'],
  ['does not export an adapter', 'export default { name: 1 };'],
  ['never finishes its import', endless],
  [
    'has another interface version',
    `export default { name: 'x', technology: 'ethereum', version: '1.0.0', interfaceVersion: '9.0.0', keyType: 'secp256k1',
    capabilities: { operations: [], sequence: 'none', replacement: false, emulation: false, lookup: false, balance: false },
    readInterface: async () => ({}), open: async () => ({}) };`,
  ],
];
const usualModules: readonly string[] = ['exits at import', 'never finishes its import'];
test.each(selectCases(brokenModules, ([name]) => usualModules.includes(name)))(
  'an error names a plugin that %s only to callers that request this plugin',
  async (_, text) => {
    const { folder, start } = await world(await open());
    folder.put({ uid: 'broken', name: 'Broken one', url: folder.write('broken', text) });
    folder.put({ uid: 'good', url: folder.write('good') });
    const { wallet, send, ended, plugins } = await start(
      text === endless ? { limits: { timing: { start: 8_000 } } } : {},
    );
    const from = await wallet();
    const refused = { problem: 'plugin-fault', status: 502, message: expect.stringContaining('Broken one') };
    await expect(send(from, undefined, { pluginId: 'broken' })).rejects.toMatchObject(refused);
    expect(plugins.status('broken')).toMatchObject({ loaded: false, version: null });
    expect(plugins.status('broken')?.lastError?.detail).toContain('Broken one');
    expect(await ended([await send(from)])).toMatchObject([{ status: 'SUCCEEDED' }]);
  },
);

test.each(selectCases(['prepare', 'estimate'] as const, (method) => method === 'prepare'))(
  'a plugin that never responds to %s delays another plugin on the same chain by seconds, not until the call timeout',
  async (method) => {
    const { ledger, server, folder, start } = await world(await open());
    folder.put({ uid: 'silent', url: folder.write('silent') });
    folder.put({ uid: 'good', url: folder.write('good') });
    const { wallet, send, ended, status } = await start({
      limits: { timing: { call: 600_000 } },
      // These timeouts are long enough for the plugin `good`, even on a busy machine.
      timing: { prepare: 5_000, estimate: 5_000 },
    });
    const [one, two, to] = [await wallet(), await wallet(), await wallet(0n)];
    server.script('silent', method, 'silence', 1_000);
    const doomed = await send(one, transfer(to.address), { pluginId: 'silent', unsigned: true });
    await vi.waitFor(() => expect(server.calls.get(`silent ${method}`)).toBeGreaterThan(0), 30_000);
    const ids = await Promise.all(
      [true, false].map((unsigned) => send(two, transfer(to.address), { pluginId: 'good', unsigned })),
    );
    expect(new Set((await ended(ids)).map((end) => end.status))).toEqual(new Set(['SUCCEEDED']));
    expect(await status(doomed)).toMatchObject({ status: 'PENDING', stage: 'ready' });
    expect(executed(ledger, to.address)).toBe(2);
  },
);

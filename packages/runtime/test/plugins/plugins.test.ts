import { createMemoryLedger, type MemoryLedger } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type HarnessOptions, startEngine, stopEngines, transfer } from '../engine-harness.ts';
import {
  type LedgerServer,
  type Misdeed,
  type PluginFolder,
  pluginFolder,
  serveLedger,
  source,
} from './plugin-folder.ts';

interface World {
  store: Store;
  ledger: MemoryLedger;
  server: LedgerServer;
  folder: PluginFolder;
  /** Starts a server on the store. */
  start(options?: Partial<HarnessOptions>): ReturnType<typeof startEngine>;
}

async function world(store: Store, ledger = createMemoryLedger()): Promise<World> {
  const server = await serveLedger(ledger);
  const folder = pluginFolder();
  const start: World['start'] = (options = {}) =>
    startEngine({ store, ledger, records: folder.records, nodeUri: server.url, grace: 2_000, ...options });
  return { store, ledger, server, folder, start };
}

/** How often every transfer to an address was executed. */
function executed(ledger: MemoryLedger, to: string): number {
  return ledger.executions({ to });
}

describeStores('plugins', (open) => {
  afterEach(stopEngines);

  test('an action goes through a module in a process of its own', async () => {
    const { ledger, folder, start } = await world(await open());
    folder.put({ uid: 'a', url: folder.write('a') });
    const { wallet, send, ended, plugins } = await start();
    const [from, to] = [await wallet(), await wallet(0n)];
    expect(await ended([await send(from, transfer(to.address, 5n))])).toMatchObject([
      { status: 'SUCCEEDED' },
    ]);
    expect(executed(ledger, to.address)).toBe(1);
    expect(plugins.status('a')).toMatchObject({
      loaded: true,
      version: '1.0.0',
      lastError: null,
      restarts: 0,
    });
    expect(plugins.status('a')?.latency).toBeGreaterThan(0);
  });

  describe('a plugin that misbehaves has its actions retried, and each is executed once', () => {
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
    test.each(misdeeds)('%s at %s', async (misdeed, method) => {
      const ledger = createMemoryLedger({ autoMine: false });
      const { server, folder, start } = await world(await open(), ledger);
      folder.put({ uid: 'a', name: 'Plugin A', url: folder.write('a') });
      const { wallet, send, ended, plugins } = await start({
        limits: { timing: { call: 800, ping: 500 }, memoryLimitMb: 300 },
      });
      const [from, to] = [await wallet(), await wallet(0n)];
      if (method === 'submit') server.script('a', method, misdeed, 2);
      const id = await send(from, transfer(to.address, 1n));
      if (method === 'confirm') server.script('a', method, misdeed, 2);
      ledger.autoMine = true;
      expect(await ended([id])).toMatchObject([{ status: 'SUCCEEDED' }]);
      expect(executed(ledger, to.address)).toBe(1);
      expect(ledger.nonceOf(from.address)).toBe(1n);
      expect(plugins.status('a')?.lastError?.detail).toContain('Plugin A');
    });
  });

  test('a plugin in a crash loop leaves the actions of another on the same ledger alone', async () => {
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

  test.each<[string, string]>([
    ['throws at import', `throw new TypeError('not today');`],
    ['exits at import', 'process.exit(1);'],
    ['is no adapter', 'export default { name: 1 };'],
    ['never ends its import', 'await new Promise((resolve) => setInterval(() => undefined, 1_000));'],
    [
      'has another interface version',
      `export default { name: 'x', technology: 'ethereum', version: '1.0.0', interfaceVersion: '9.0.0', keyType: 'secp256k1',
      capabilities: { operations: [], sequence: 'none', replacement: false, emulation: false, lookup: false, balance: false },
      readInterface: async () => ({}), open: async () => ({}) };`,
    ],
  ])('a plugin that %s is a fault with its name, to those who ask for it only', async (_, text) => {
    const { folder, start } = await world(await open());
    folder.put({ uid: 'broken', name: 'Broken one', url: folder.write('broken', text) });
    folder.put({ uid: 'good', url: folder.write('good') });
    const { wallet, send, ended, plugins } = await start({ limits: { timing: { start: 1_500 } } });
    const from = await wallet();
    const refused = { problem: 'plugin-fault', status: 502, message: expect.stringContaining('Broken one') };
    await expect(send(from, undefined, { pluginId: 'broken' })).rejects.toMatchObject(refused);
    expect(plugins.status('broken')).toMatchObject({ loaded: false, version: null });
    expect(plugins.status('broken')?.lastError?.detail).toContain('Broken one');
    expect(await ended([await send(from)])).toMatchObject([{ status: 'SUCCEEDED' }]);
  });

  test.each(['prepare', 'estimate'] as const)(
    'a plugin that never answers %s holds up another on the same chain for seconds, not until its deadline',
    async (method) => {
      const { ledger, server, folder, start } = await world(await open());
      folder.put({ uid: 'silent', url: folder.write('silent') });
      folder.put({ uid: 'good', url: folder.write('good') });
      const { wallet, send, ended, status } = await start({ limits: { timing: { call: 600_000 } } });
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

  test('what a plugin has signed is followed to its end after it was deactivated, and it signs no more', async () => {
    const ledger = createMemoryLedger({ autoMine: false });
    const { server, folder, start } = await world(await open(), ledger);
    folder.put({ uid: 'a', url: folder.write('a') });
    const { wallet, send, ended, plugins, log } = await start();
    const [from, other] = [await wallet(), await wallet()];
    const id = await send(from);
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), 30_000);
    folder.put({ uid: 'b', url: folder.write('b') });
    folder.put({ uid: 'a', active: false });
    await expect(send(from, undefined, { pluginId: 'a' })).rejects.toMatchObject({ problem: 'no-plugin' });
    const next = await send(other);
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(2), 30_000);
    expect(server.calls.get('b submit')).toBeGreaterThan(0);
    ledger.autoMine = true;
    expect((await ended([id, next])).map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    await vi.waitFor(() => expect(log.join('\n')).toContain('info plugin.closed {"pluginId":"a"}'), 30_000);
    expect(plugins.status('a')).toBeNull();
    expect(plugins.status('b')).toMatchObject({ loaded: true });
  });

  test('after a restart, what a plugin has signed is followed, whether it is inactive or was deleted', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const { folder, start } = await world(store, ledger);
    folder.put({ uid: 'a', url: folder.write('a') });
    folder.put({ uid: 'b', url: folder.write('b') });
    folder.put({ uid: 'c', url: folder.write('c') });
    const first = await start();
    const [one, two] = [await first.wallet(), await first.wallet()];
    const ids = [
      await first.send(one, undefined, { pluginId: 'a' }),
      await first.send(two, undefined, { pluginId: 'b' }),
    ];
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(2), 30_000);
    await stopEngines();
    folder.put({ uid: 'a', active: false });
    folder.remove('b');
    const second = await start();
    ledger.autoMine = true;
    expect((await second.ended(ids)).map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(ledger.nonceOf(one.address) + ledger.nonceOf(two.address)).toBe(2n);
  });

  test('after a restart, an inactive plugin is not closed before its ledger is open, however slow it starts', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const { folder, start } = await world(store, ledger);
    // Longer than between two looks for plugins that nobody needs any more.
    const slow = `await new Promise((done) => setTimeout(done, 1_500));\n${source('a')}`;
    folder.put({ uid: 'a', url: folder.write('a', slow) });
    const first = await start();
    const id = await first.send(await first.wallet());
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), 30_000);
    await stopEngines();
    folder.put({ uid: 'a', active: false });
    const second = await start();
    ledger.autoMine = true;
    expect((await second.ended([id])).map(({ status }) => status)).toEqual(['SUCCEEDED']);
    expect(second.log.join('\n')).not.toContain('it was closed');
  });

  test('an unsigned action waits for the plugin that planned it, and goes on when that is active again', async () => {
    const { server, folder, start } = await world(await open());
    folder.put({ uid: 'a', url: folder.write('a') });
    folder.put({ uid: 'b', url: folder.write('b') });
    const { wallet, send, ended, status } = await start({ properties: { max_in_flight: 1 } });
    const from = await wallet();
    server.script('a', 'submit', 'throw', 1_000);
    const first = await send(from, undefined, { pluginId: 'a' });
    const second = await send(from, undefined, { pluginId: 'a' });
    expect(await status(second)).toMatchObject({ stage: 'ready' });
    folder.put({ uid: 'a', active: false });
    expect(await ended([await send(await wallet())])).toMatchObject([{ status: 'SUCCEEDED' }]);
    expect(await status(second)).toMatchObject({ status: 'PENDING', stage: 'ready' });
    folder.put({ uid: 'a', active: true, url: folder.write('a2') });
    expect((await ended([first, second])).map((end) => end.status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  });

  test('another URL takes effect at once: the next action goes through the other module', async () => {
    const { server, folder, start } = await world(await open());
    folder.put({ uid: 'a', url: folder.write('first') });
    const { wallet, send, ended, log } = await start();
    const from = await wallet();
    await ended([await send(from)]);
    expect(server.calls.get('second check')).toBeUndefined();
    folder.put({ uid: 'a', url: folder.write('second') });
    await ended([await send(from)]);
    expect(server.calls.get('second check')).toBe(1);
    expect(server.calls.get('first check')).toBe(1);
    await vi.waitFor(() => expect(log.join('\n')).toContain('info plugin.closed'), 30_000);
  });

  test('a plugin that lies about the chain takes no action of another along', async () => {
    const ledger = createMemoryLedger({ autoMine: false });
    const { folder, start } = await world(await open(), ledger);
    folder.put({ uid: 'a', url: folder.write('a') });
    const { wallet, send, ended, status } = await start();
    const from = await wallet();
    const id = await send(from);
    const liar = folder.write('liar');
    folder.put({ uid: 'liar', url: folder.write('liar', await lying(liar)) });
    await send(await wallet()).catch(() => undefined);
    expect(await status(id)).toMatchObject({ status: 'PENDING' });
    folder.remove('liar');
    ledger.autoMine = true;
    expect(await ended([id])).toMatchObject([{ status: 'SUCCEEDED' }]);
  });
});

async function lying(url: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(url.slice('file:'.length), 'utf8');
  const lie = "chain: async () => ({ id: 'eip155:5', genesis: 'elsewhere' }),";
  return text.replace('onHead:', `${lie} onHead:`);
}

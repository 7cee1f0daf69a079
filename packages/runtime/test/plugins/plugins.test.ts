import { readFile } from 'node:fs/promises';
import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { stopEngines, transfer } from '../engine-harness.ts';
import { source } from './plugin-folder.ts';
import { executed, world } from './plugin-world.ts';

describeStores('plugins', (open) => {
  afterEach(stopEngines);

  test('an action is executed by a module in a separate process', async () => {
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

  test('a deactivated plugin signs nothing more, but tracks its signed actions until they are final', async () => {
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

  test('after a restart, an inactive or deleted plugin still tracks its signed actions', async () => {
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

  test('after a restart, a slowly starting inactive plugin is kept open until its pending actions complete', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const { folder, start } = await world(store, ledger);
    // The start takes longer than the interval at which unused plugins are closed.
    const slow = `await new Promise((done) => setTimeout(done, 500));\n${source('a')}`;
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

  test('an unsigned action waits for the plugin that planned it and continues when the plugin is active again', async () => {
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
    // The loaded module still fails, so activating the plugin must load the new module, which has the same URL.
    folder.write('a', source('a2'));
    folder.put({ uid: 'a', active: true });
    expect((await ended([first, second])).map((end) => end.status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  }, 300_000);

  test('the next action after a URL change uses the new module', async () => {
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

  test('a plugin that reports a wrong chain does not fail actions of other plugins', async () => {
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
  const text = await readFile(url.slice('file:'.length), 'utf8');
  const lie = "chain: async () => ({ id: 'eip155:5', genesis: 'elsewhere' }),";
  return text.replace('onHead:', `${lie} onHead:`);
}

import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnBlockedPort } from '../../../../testing/blocked-port.ts';
import { PluginLoader } from '../../src/index.ts';
import type { PluginCandidate } from '../../src/plugins/types.ts';
import { pluginFolder } from './plugin-folder.ts';

function world(trusted = false) {
  const folder = pluginFolder(trusted);
  const log: [event: string, fields: unknown][] = [];
  const loader = new PluginLoader({
    builtIn: [],
    records: folder.records,
    log: (_level, event, fields) => void log.push([event, fields]),
    now: () => 1_000,
    timing: { loadAgain: { first: 1_000, longest: 1_000 }, remoteCall: 5_000, probe: 15_000 },
  });
  onTestFinished(() => loader.close());
  const candidate = (url: string, more: Partial<PluginCandidate> = {}) => ({
    ...{ uid: 'new', pluginId: 'new', projectUid: null, organizationUid: null, name: 'New' },
    ...{ url, active: true, integrity: null, credentials: null, ...more },
  });
  return { ...folder, loader, log, candidate };
}

test.each([true, false])(
  'rejects an unusable module before a record is written (trusted: %s)',
  async (trusted) => {
    const { loader, write, candidate } = world(trusted);
    const refused: [text: string, words: RegExp][] = [
      [`\n\n  null.x;`, /TypeError at .*throws\.mjs:3:8/],
      [`import 'package-that-is-not-there';`, /the package package-that-is-not-there is not installed/],
      [`export const x = 1;`, /default export/],
    ];
    for (const [text, words] of refused) {
      const url = write('throws', text);
      // Modules stay imported in this process, so each of them needs a different URL.
      const its = trusted ? write(`throws-${words.source.length}`, text) : url;
      await expect(loader.inspect(candidate(its))).rejects.toMatchObject({
        problem: 'plugin-refused',
        message: expect.stringMatching(
          trusted ? new RegExp(words.source.replace('throws', 'throws-\\d+')) : words,
        ),
        errors: [{ pointer: '/url' }],
      });
    }
    await expect(
      loader.inspect(candidate(write('good'), { integrity: `sha512-${'A'.repeat(86)}==` })),
    ).rejects.toMatchObject({ problem: 'plugin-refused', errors: [{ pointer: '/integrity' }] });
    expect(loader.status('new')).toBeNull();
  },
);

test('a new record uses the inspected module, and the module is closed if no record is written', async () => {
  const { loader, write, put, candidate, log } = world();
  const url = write('good');
  const unwritten = await loader.inspect(candidate(url));
  expect(unwritten.found).toEqual({
    technology: expect.any(String),
    interfaceVersion: expect.any(String),
    version: expect.any(String),
  });
  await unwritten.release();
  expect(loader.status('new')).toBeNull();

  const inspection = await loader.inspect(candidate(url));
  put({ uid: 'new', name: 'New', url });
  await inspection.release();
  expect(loader.status('new')).toMatchObject({ loaded: true });
  const loads = log.filter(([event]) => event === 'plugin.loaded').length;
  await loader.plugin('new');
  expect(log.filter(([event]) => event === 'plugin.loaded')).toHaveLength(loads);

  // The refusal of another module does not affect the current one.
  await expect(loader.inspect(candidate(write('other', 'null.x')))).rejects.toThrow();
  expect(loader.status('new')).toMatchObject({ loaded: true });
});

test('accepts an unreachable remote plugin and loads it later, and rejects a server that is not a plugin', async () => {
  const { loader, candidate } = world();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"x"}');
  });
  // `fetch` refuses to connect to this port.
  const port = await listenOnBlockedPort(server);
  const url = `http://127.0.0.1:${port}`;
  await expect(loader.inspect(candidate(url))).rejects.toMatchObject({
    problem: 'plugin-refused',
    message: expect.stringContaining('data that the protocol does not allow'),
  });
  await new Promise((resolve) => server.close(resolve));
  const down = await loader.inspect(candidate(url));
  const reason = `cannot be reached on port ${port}`;
  expect(down.found).toMatch(new RegExp(`not known yet whether the plugin can be used: .*${reason}`));
  await down.release();
});

test('a remote plugin receives only credentials that are sealed for its URL', async () => {
  const { loader, candidate, records } = world();
  const shown: unknown[] = [];
  const server = createServer((request, response) => {
    shown.push(request.headers.authorization);
    response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const seal = (at: string) =>
    records.masterKey.seal(
      Buffer.from(JSON.stringify({ bearerToken: 'of-the-host' })),
      `plugin credentials\nnew\n${at}`,
    );
  await (await loader.inspect(candidate(url, { credentials: seal(url) }))).release();
  expect(shown).toEqual(['Bearer of-the-host']);
  await expect(
    loader.inspect(candidate(url, { credentials: seal('https://elsewhere.example') })),
  ).rejects.toMatchObject({
    problem: 'plugin-refused',
    message: expect.stringContaining('cannot be decrypted'),
  });
  expect(shown).toHaveLength(1);
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endAll, freePort, missingPython, openFolder, run } from '../../../testing/children.ts';
import { installPacked, type PackedFolder } from '../../../testing/packed.ts';

// As built: the plugin's own process imports what is installed, and there are no sources of ours among that.
const main = new URL('../dist/main.js', import.meta.url);
const start = async (...args: string[]) =>
  run(main, { DATA_DIR: data.path, PORT: String(await freePort()) }, args, []);
let packed: PackedFolder;
let data: Awaited<ReturnType<typeof openFolder>>;
// The place of an author: tarballs, installed outside of the repository, once for all.
beforeAll(() => {
  packed = installPacked(['create-plugin', 'adapter', 'adapter-kit']);
}, 240_000);
afterAll(() => packed?.remove());
beforeEach(async () => {
  data = await openFolder();
});
afterEach(async () => {
  await endAll();
  await data.remove();
});

/** A command in a folder of the author's, as a shell would find it. */
async function command(folder: string, name: string, ...args: string[]): Promise<string> {
  const bin = join(packed.folder, 'node_modules/.bin');
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: data.path, PORT: String(await freePort()) };
  const { stdout } = await promisify(execFile)(name, args, { cwd: folder, env });
  return stdout;
}

async function create(name: string, language: string): Promise<string> {
  await command(packed.folder, 'create-ledger-ops-plugin', name, '--language', language);
  return join(packed.folder, name);
}

test('JavaScript: created, kit green, an operation SUCCEEDED, and loaded anew after changes', async () => {
  const folder = await create('gold-coin', 'javascript');
  expect(await command(folder, 'npm', 'test')).toMatch(/Tests .*\d{2} passed/);

  const server = await start('--plugin', folder);
  const said = (words: string | RegExp) =>
    vi.waitFor(() => expect(server.out()).toMatch(words), { timeout: 60_000, interval: 50 });
  await said(/^ {2}SUCCEEDED {2}[0-9a-f]{64}\nThe server is at .*\nWaiting for changes/m);
  expect(server.out()).toContain(
    'Gold Coin: ledger-ops-plugin-gold-coin 0.1.0 is for ledgers of gold-coin: transfer',
  );

  const plugin = join(folder, 'src/plugin.js');
  const session = join(folder, 'src/session.js');
  const [definition, opening] = [readFileSync(plugin, 'utf8'), readFileSync(session, 'utf8')];
  writeFileSync(session, `${opening}\nnoSuchName();\n`);
  await said(/plugin \| ReferenceError: noSuchName is not defined\n.*session\.js:\d+/);
  writeFileSync(
    session,
    opening.replace('return {\n    chain', "console.log('opened', ledger.name);\n  return {\n    chain"),
  );
  await said(/plugin \| opened main[\s\S]*SUCCEEDED/);
  writeFileSync(plugin, definition.replace("version: '0.1.0'", "version: '0.2.0'"));
  await said(/gold-coin 0\.2\.0 is for[\s\S]*SUCCEEDED/);

  server.child.kill('SIGINT');
  expect([await server.code, server.err()]).toEqual([0, '']);
}, 240_000);

test('Python: created, kit green, an operation SUCCEEDED, and again at the next start', async ({ skip }) => {
  const missing = missingPython();
  skip(missing !== undefined, missing);
  const folder = await create('silver', 'python');
  expect(await command(folder, 'npm', 'test')).toMatch(/\d{2} passed, 0 failed, \d skipped\n$/);

  const port = String(await freePort());
  const plugin = spawn('npm', ['start'], {
    cwd: folder,
    detached: true,
    env: { PATH: process.env.PATH, HOME: data.path, PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await vi.waitFor(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/cloud-wallet`);
      expect(answer.status).toBe(200);
    }, 20_000);
    for (const _ of ['first', 'second']) {
      const server = await start(
        '--plugin',
        `http://127.0.0.1:${port}`,
        '--node',
        'http://127.0.0.1:9',
        '--once',
      );
      expect([await server.code, server.err()]).toEqual([0, '']);
      expect(server.out()).toMatch(/silver[\s\S]*\n {2}SUCCEEDED {2}[0-9a-f]{64}\n$/);
    }
    expect(existsSync(join(folder, 'data/master.key'))).toBe(true);
  } finally {
    const ended = once(plugin, 'exit');
    // npm's shell, and Python below it.
    if (plugin.pid !== undefined) process.kill(-plugin.pid, 'SIGKILL');
    await ended;
  }
}, 240_000);

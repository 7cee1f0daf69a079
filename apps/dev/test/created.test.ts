import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endAll, freePort, missingPython, openFolder, run } from '../../../testing/children.ts';
import { startedTime } from '../../../testing/machine-time.ts';
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
}, 600_000);
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

/** Tells what it costs to come from nothing to SUCCEEDED; nothing waits for that. */
function measure(kind: string): () => void {
  const [time, started] = [startedTime(), performance.now()];
  return () => {
    const processor = (startedTime() - time).toFixed(1);
    const clock = ((performance.now() - started) / 1_000).toFixed(1);
    console.log(
      `${kind}: from create to SUCCEEDED ${processor} s of processor time, ${clock} s by the clock`,
    );
  };
}

const transferred = /^ {2}SUCCEEDED {2}[0-9a-f]{64}\nThe server is at .*\nWaiting for changes/m;

/** The commands of docs/plugins.md, which are what is run here. */
const page = readFileSync(new URL('../../../docs/plugins.md', import.meta.url), 'utf8');
const begins = [...page.matchAll(/^\|[^|]+\| `(npm create [^`]+)` \|/gm)].map(([, line = '']) => line);
const [inFolder = [], inClone = []] = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) =>
  block
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*/, '')),
);

async function create(name: string, language: string): Promise<string> {
  const line = begins.find((one) =>
    language === 'javascript' ? !one.includes('--language') : one.includes(`--language ${language}`),
  );
  const [program = '', ...args] = (line ?? '').replace('my-ledger', name).split(' ');
  await command(packed.folder, program, ...args);
  return join(packed.folder, name);
}

/** Answers what the last of the commands for the folder says: the kit. */
async function prepare(folder: string): Promise<string> {
  let said = '';
  for (const line of inFolder) {
    const [program = '', ...args] = line.split(' ');
    // The registry does not have ours: what npm would install lies in the folder above, as it is published.
    if (line === 'npm install') demandInstalled(folder);
    else said = await command(folder, program, ...args);
  }
  return said;
}

function demandInstalled(folder: string): void {
  const manifestOf = (...place: string[]) => JSON.parse(readFileSync(join(...place, 'package.json'), 'utf8'));
  const { dependencies, devDependencies } = manifestOf(folder);
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    const { version } = manifestOf(packed.folder, 'node_modules', name);
    // Each asks for what it was made with, or newer.
    expect([name, `^${version}`.split('.')[0]]).toEqual([name, String(range).split('.')[0]]);
  }
}

/** `npm start` of a clone, with the page's arguments; the folder or URL stands in the place of its example. */
const startAs = (plugin: string, ...more: string[]) => {
  const [line = ''] = inClone;
  const [before = '', after = ''] = line.split(' -- ');
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect([before, scripts.start]).toEqual(['npm start', 'node scripts/run.mjs start:all']);
  expect(scripts['start:all']).toMatch(/ && node \S+ apps\/dev\/dist\/main\.js$/);
  return start(...after.replace('/path/to/my-ledger', plugin).split(' '), ...more);
};

test('the page begins with a command for each kind, and leads to SUCCEEDED', () => {
  expect([begins.length, inFolder, inClone]).toEqual([
    3,
    ['npm install', 'npm test'],
    ['npm start -- --plugin /path/to/my-ledger'],
  ]);
});

test('JavaScript: created, kit green, an operation SUCCEEDED, and loaded anew after changes', async () => {
  const tell = measure('JavaScript');
  const folder = await create('gold-coin', 'javascript');
  expect(await prepare(folder)).toMatch(/Tests .*\d{2} passed/);

  const server = await startAs(folder);
  const said = (words: string | RegExp) =>
    vi.waitFor(() => expect(server.out()).toMatch(words), { timeout: 120_000, interval: 50 });
  await said(transferred);
  tell();
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
}, 600_000);

test('TypeScript: created, kit green, built, an operation SUCCEEDED, and again when it was built anew', async () => {
  const tell = measure('TypeScript');
  const folder = await create('copper', 'typescript');
  expect(await prepare(folder)).toMatch(/Tests .*\d{2} passed/);
  await command(folder, 'npm', 'run', 'build');

  const server = await startAs(folder);
  const said = (words: string | RegExp) =>
    vi.waitFor(() => expect(server.out()).toMatch(words), { timeout: 120_000, interval: 50 });
  await said(transferred);
  tell();
  expect(server.out()).toContain('Copper: ledger-ops-plugin-copper 0.1.0 is for ledgers of copper: transfer');

  const plugin = join(folder, 'src/plugin.ts');
  writeFileSync(plugin, readFileSync(plugin, 'utf8').replace("version: '0.1.0'", "version: '0.2.0'"));
  await command(folder, 'npm', 'run', 'build');
  await said(/copper 0\.2\.0 is for[\s\S]*SUCCEEDED/);

  server.child.kill('SIGINT');
  expect([await server.code, server.err()]).toEqual([0, '']);
}, 600_000);

test('Python: created, kit green, an operation SUCCEEDED, and again at the next start', async ({ skip }) => {
  const missing = missingPython();
  skip(missing !== undefined, missing);
  const tell = measure('Python');
  const folder = await create('silver', 'python');
  expect(await prepare(folder)).toMatch(/\d{2} passed, 0 failed, \d+ skipped\n$/);

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
    }, 60_000);
    for (const round of ['first', 'second']) {
      const server = await startAs(`http://127.0.0.1:${port}`, '--node', 'http://127.0.0.1:9', '--once');
      expect([await server.code, server.err()]).toEqual([0, '']);
      if (round === 'first') tell();
      expect(server.out()).toMatch(/silver[\s\S]*\n {2}SUCCEEDED {2}[0-9a-f]{64}\n$/);
    }
    expect(existsSync(join(folder, 'data/master.key'))).toBe(true);
  } finally {
    const ended = once(plugin, 'exit');
    // npm's shell, and Python below it.
    if (plugin.pid !== undefined) process.kill(-plugin.pid, 'SIGKILL');
    await ended;
  }
}, 600_000);

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest';
import { childEnvironment, freePort, missingPython } from '../../../testing/children.ts';
import { isFaultsRun } from '../../../testing/faults.ts';
import { openFolder } from '../../../testing/folder.ts';
import { startedTime } from '../../../testing/machine-time.ts';
import { installPacked, type PackedFolder } from '../../../testing/packed.ts';
import { shellBlocks } from '../../../testing/pages.ts';

let packed: PackedFolder;
let data: Awaited<ReturnType<typeof openFolder>>;
const running = new Set<ChildProcess>();
// The plugin author's folder, outside of the repository, with the packages installed from tarballs.
beforeAll(() => {
  packed = installPacked(['cli', 'create-plugin', 'adapter', 'adapter-kit'], inject('runFolder'));
}, 600_000);
afterAll(() => packed?.remove());
beforeEach(async () => {
  data = await openFolder();
});
afterEach(async () => {
  await Promise.all([...running].map(end));
  await data.remove();
});

/** Kills a program and its child processes: npm and its shell, the command and the server. */
async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await ended;
}

/** Starts a program in the author's folder. */
function start(folder: string, environment: Record<string, string>, program: string, ...args: string[]) {
  const env = { ...childEnvironment(), HOME: data.path, ...environment };
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    texts.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    texts.err += chunk;
  });
  const code = once(child, 'close').then(([value]: unknown[]) => {
    running.delete(child);
    return value;
  });
  return { child, code, out: () => texts.out, err: () => texts.err };
}

/** Runs an installed command in the author's folder. */
async function command(folder: string, name: string, ...args: string[]): Promise<string> {
  const bin = join(packed.folder, 'node_modules/.bin');
  const env = {
    ...childEnvironment(),
    ...{ PATH: `${bin}:${process.env.PATH}`, HOME: data.path, PORT: String(await freePort()) },
  };
  const { stdout } = await promisify(execFile)(name, args, { cwd: folder, env });
  return stdout;
}

/** Returns a function that checks that less than a minute of processor time has passed. */
function measure(kind: string): () => void {
  const [time, started] = [startedTime(), performance.now()];
  return () => {
    const processor = startedTime() - time;
    const clock = ((performance.now() - started) / 1_000).toFixed(1);
    console.log(
      `${kind}: from create to SUCCEEDED ${processor.toFixed(1)} s of processor time, ${clock} s by the clock`,
    );
    // Not checked if the system does not report processor time.
    if (!Number.isNaN(processor)) expect(processor).toBeLessThan(60);
  };
}

const transferred = /^ {2}SUCCEEDED {2}[0-9a-f]{64}\nThe server is at .*\nWaiting for changes/m;

/** docs/plugins.md, whose commands this test runs. */
const page = readFileSync(new URL('../../../docs/plugins.md', import.meta.url), 'utf8');
const begins = [...page.matchAll(/^\|[^|]+\| `(npm create [^`]+)` \|/gm)].map(([, line = '']) => line);
const [inFolder = [], above = [], ofServed = []] = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +#.*/, '')),
);

/** The tutorial's commands: to create a plugin, test it, run it, change it, and test it again. */
const tutorial = await shellBlocks('docs/tutorials/plugin.md');

async function create(name: string, language: string): Promise<string> {
  const line = begins.find((one) =>
    language === 'javascript' ? !one.includes('--language') : one.includes(`--language ${language}`),
  );
  const words = (line ?? '').replace('my-ledger', name).split(' ');
  const [program = '', , initializer = '', ...given] = words;
  // npm is slow, so only one language runs the initializer through npm, to check that npm passes on the
  // options.
  if (language === 'typescript') await command(packed.folder, program, ...words.slice(1));
  else await command(packed.folder, `create-${initializer}`, ...given.filter((word) => word !== '--'));
  return join(packed.folder, name);
}

/** Runs the page's commands for the plugin's folder. Returns the output of the last one, the conformance kit. */
async function prepare(folder: string): Promise<string> {
  let said = '';
  for (const line of inFolder) {
    const [program = '', ...args] = line.split(' ');
    // The packages are not published. Instead of `npm install`, they are installed in the folder above.
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
    // The required version has the same major version as the installed package.
    expect([name, `^${version}`.split('.')[0]]).toEqual([name, String(range).split('.')[0]]);
  }
}

/** Runs the page's `dev` command in the folder above the plugin, with the plugin's folder or URL. */
const startAs = async (line: string, example: string, plugin: string, ...more: string[]) => {
  const [before = '', after = ''] = line.split(' dev ');
  expect(before).toBe('npx @ledger-ops/cli');
  const { bin } = JSON.parse(readFileSync(join(packed.packages.get('cli') ?? '', 'package.json'), 'utf8'));
  // npx runs a package's program only if the package has no other program.
  const [[, file] = [], ...others] = Object.entries(bin);
  expect(others).toEqual([]);
  const program = join(packed.packages.get('cli') ?? '', String(file));
  const args = ['dev', ...after.replace(example, plugin).split(' '), ...more];
  const settings = { DATA_DIR: data.path, PORT: String(await freePort()) };
  return start(packed.folder, settings, process.execPath, program, ...args);
};
const startModule = (plugin: string) => startAs(above[0] ?? '', 'my-ledger', plugin);

test('docs/plugins.md contains the commands that these tests run', () => {
  expect([begins.length, inFolder, above, ofServed]).toEqual([
    3,
    ['npm install', 'npm test'],
    ['npx @ledger-ops/cli dev --plugin my-ledger'],
    ['npm start', 'npx @ledger-ops/cli dev --plugin http://127.0.0.1:8080'],
  ]);
});

test('the plugin tutorial contains the commands that these tests run', () => {
  const [creation, testing, starting, , again, ...others] = tutorial.map((block) => block.trim());
  const named = (line = '') => line.replace('my-ledger', 'gold-coin');
  expect([creation, testing, starting, again, others]).toEqual([
    named(begins[0]),
    ['cd gold-coin', ...inFolder].join('\n'),
    `${named(above[0])}  # keeps running`,
    'npm test\nnpm version minor',
    [],
  ]);
});

test('a new JavaScript plugin passes the conformance kit, executes an operation, and reloads after changes', async () => {
  const tell = measure('JavaScript');
  const folder = await create('gold-coin', 'javascript');
  expect(await prepare(folder)).toMatch(/Tests .*\d{2} passed/);

  const server = await startModule('gold-coin');
  const said = (words: string | RegExp) =>
    vi.waitFor(() => expect(server.out()).toMatch(words), { timeout: 120_000, interval: 50 });
  await said(transferred);
  tell();
  expect(server.out()).toContain(
    'Gold Coin: ledger-ops-plugin-gold-coin 0.1.0 serves gold-coin ledgers and supports transfer',
  );

  const session = join(folder, 'src/session.js');
  const opening = readFileSync(session, 'utf8');
  // The conformance kit runs at the same time, in watch mode, as with `npm run dev`.
  const kit = start(folder, {}, 'npm', 'run', 'dev');
  await vi.waitFor(() => expect(kit.out()).toContain('Waiting for file changes'), 120_000);
  writeFileSync(session, `${opening}\nnoSuchName();\n`);
  await vi.waitFor(() => expect(kit.err()).toContain('noSuchName is not defined'), 120_000);
  await end(kit.child);
  await said(/plugin \| ReferenceError: noSuchName is not defined\n.*session\.js:\d+/);
  writeFileSync(session, opening.replace('native.content.memo', 'native.nothing.memo'));
  await said(
    /plugin \| TypeError: Cannot read properties of undefined \(reading 'memo'\)\n.*session\.js:\d+/,
  );
  writeFileSync(
    session,
    opening.replace('return {\n    chain', "console.log('opened', ledger.name);\n  return {\n    chain"),
  );
  await said(/plugin \| opened main[\s\S]*SUCCEEDED/);
  await command(folder, 'bash', '-c', tutorial[3] ?? 'exit 1');
  expect(readFileSync(session, 'utf8')).toContain('must be at most 5000');
  await said(/(?:plugin \| opened main[\s\S]*SUCCEEDED[\s\S]*){2}/);
  expect(await command(folder, 'bash', '-ec', tutorial[4] ?? 'exit 1')).toMatch(/Tests .*\d{2} passed/);
  await said(/gold-coin 0\.2\.0 serves[\s\S]*SUCCEEDED/);

  server.child.kill('SIGINT');
  expect([await server.code, server.err()]).toEqual([0, '']);
}, 600_000);

test.runIf(isFaultsRun)(
  'a new TypeScript plugin passes the conformance kit, and executes an operation before and after a rebuild',
  async () => {
    const tell = measure('TypeScript');
    const folder = await create('copper', 'typescript');
    expect(await prepare(folder)).toMatch(/Tests .*\d{2} passed/);
    await command(folder, 'npm', 'run', 'build');

    const server = await startModule('copper');
    const said = (words: string | RegExp) =>
      vi.waitFor(() => expect(server.out()).toMatch(words), { timeout: 120_000, interval: 50 });
    await said(transferred);
    tell();
    expect(server.out()).toContain(
      'Copper: ledger-ops-plugin-copper 0.1.0 serves copper ledgers and supports transfer',
    );

    await command(folder, 'npm', 'version', 'minor');
    await said(/copper 0\.2\.0 serves[\s\S]*SUCCEEDED/);

    server.child.kill('SIGINT');
    expect([await server.code, server.err()]).toEqual([0, '']);
  },
  600_000,
);

test.runIf(isFaultsRun)(
  'a new Python plugin passes the conformance kit, and executes operations after restarts of server and plugin',
  async ({ skip }) => {
    const missing = missingPython();
    skip(missing !== undefined, missing);
    const tell = measure('Python');
    const folder = await create('silver', 'python');
    expect(await prepare(folder)).toMatch(/\d{2} passed, 0 failed, \d+ skipped\n$/);

    const port = String(await freePort());
    const [serve = '', line = ''] = ofServed;
    const url = `http://127.0.0.1:${port}`;
    const [program = '', ...args] = serve.split(' ');
    const serving = start(folder, { PORT: port }, program, ...args);
    await vi.waitFor(async () => {
      const answer = await fetch(`${url}/v1/cloud-wallet`);
      expect(answer.status).toBe(200);
    }, 60_000);
    const startServer = (...more: string[]) => startAs(line, 'http://127.0.0.1:8080', url, ...more);
    const first = await startServer('--once');
    expect([await first.code, first.err()]).toEqual([0, '']);
    tell();
    expect(first.out()).toMatch(/silver[\s\S]*\n {2}SUCCEEDED {2}[0-9a-f]{64}\n$/);
    expect(existsSync(join(folder, 'data/master.key'))).toBe(true);

    const second = await startServer();
    const said = (words: RegExp) =>
      vi.waitFor(() => expect(second.out()).toMatch(words), { timeout: 120_000, interval: 50 });
    await said(/^Sign in +developer@localhost, password [\s\S]*SUCCEEDED[\s\S]*Waiting for http/m);
    await command(folder, 'npm', 'version', 'minor');
    await end(serving.child);
    start(folder, { PORT: port }, program, ...args);
    await said(/0\.2\.0 serves silver ledgers[\s\S]*SUCCEEDED/);
    second.child.kill('SIGINT');
    expect([await second.code, second.err()]).toEqual([0, '']);
  },
  600_000,
);

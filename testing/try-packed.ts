// Installs the packages with npm from their tarballs and the registry, in an empty folder outside the
// repository, and uses them as a user would: `npm run test:packed`. Needs the network, or npm's cache of an
// earlier run.
import { deepEqual, equal, match } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './children.ts';
import { placeOf, publishedPackages, readManifest } from './packed.ts';

interface Exporting {
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** Timeout in milliseconds for the server to respond. */
const startTimeoutMs = 60_000;
/** Entry points that run when they are imported, or that are not modules. */
const notImported = /\/(main|command|commands)$|\.html$|\*/;

const repository = fileURLToPath(new URL('..', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ledger-ops-installed-')));
const tarballs = realpathSync(mkdtempSync(join(tmpdir(), 'ledger-ops-tarballs-')));

async function step<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  const begun = performance.now();
  const done = await run();
  console.log(`${name}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  return done;
}

function runHere(program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    ...{ cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config') },
  });
}

const program = join(folder, 'node_modules/.bin/ledger-ops');

async function serve(): Promise<void> {
  runHere(program, 'init', 'till', '--port', String(await freePort()));
  const cwd = join(folder, 'till');
  const server = spawn(program, ['serve'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(server, 'exit');
  try {
    const { PORT } = JSON.parse(readFileSync(join(cwd, 'ledger-ops.json'), 'utf8'));
    const answers = () =>
      fetch(`http://127.0.0.1:${PORT}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    for (const until = Date.now() + startTimeoutMs; !(await answers()); await sleep(100)) {
      if (Date.now() > until || server.exitCode !== null) throw new Error('The server does not respond.');
    }
    runHere(program, 'login', '--file', join(cwd, 'data/administrator.json'));
    deepEqual(JSON.parse(runHere(program, 'ledger', 'list', '--json')), []);
  } finally {
    server.kill('SIGTERM');
  }
  deepEqual(await ended, [0, null]);
}

/** The steps of a plugin author: creates a package, starts a server with it, and executes an operation. */
async function develop(): Promise<void> {
  runHere(join(folder, 'node_modules/.bin/create-ledger-ops-plugin'), 'gold');
  process.env.PORT = String(await freePort());
  match(runHere(program, 'dev', '--plugin', 'gold', '--once'), /^ {2}SUCCEEDED {2}[0-9a-f]{64}$/m);
}

function importAll(names: readonly string[]): void {
  const entries = names.flatMap((name) => {
    const full = readManifest(placeOf(name)).name;
    const manifest = readFileSync(join(folder, 'node_modules', full, 'package.json'), 'utf8');
    const { exports = {} }: Exporting = JSON.parse(manifest);
    return Object.keys(exports)
      .map((path) => full + path.slice(1))
      .filter((entry) => !notImported.test(entry));
  });
  for (const entry of entries) {
    const options = entry.endsWith('.json') ? ", { with: { type: 'json' } }" : '';
    writeFileSync(join(folder, 'entry.mjs'), `await import('${entry}'${options});\nprocess.exit();\n`);
    runHere(process.execPath, 'entry.mjs');
  }
  console.log(`${entries.length} entry points of ${names.length} packages`);
}

try {
  const names = publishedPackages();
  await step('packed', () =>
    execFileSync(process.execPath, [join(repository, 'scripts/pack.mjs'), tarballs, ...names], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const files = names.map((name) => {
    const { name: full, version } = readManifest(placeOf(name));
    return join(tarballs, `${full.replace('@', '').replace('/', '-')}-${version}.tgz`);
  });
  // vitest is a peer dependency of the adapter kit. The kit's README tells authors to install it.
  await step('npm install', () => runHere('npm', 'install', '--prefer-offline', ...files, 'vitest'));
  equal(runHere(program, '--version').trim(), readManifest(placeOf('cli')).version);
  await step('init, serve, login', serve);
  await step('create a plugin, dev', develop);
  await step('imported', () => importAll(names));
} finally {
  for (const path of [folder, tarballs]) rmSync(path, { recursive: true, force: true });
}

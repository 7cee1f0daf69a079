import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** A folder outside the workspace with what authors get: our packages as they are published, and the example. */
export interface PackedFolder {
  folder: string;
  /** The example, unpacked. */
  plugin: string;
  remove(): void;
}

/** Packs a package and unpacks it elsewhere, as an installation would. */
function install(source: string, target: string, work: string): void {
  if (source.includes('packages') && !existsSync(join(source, 'dist'))) {
    throw new Error(`${source} is not built: run \`pnpm build\` first.`);
  }
  const [tarball = ''] = execFileSync(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', work],
    {
      cwd: source,
      encoding: 'utf8',
    },
  )
    .trim()
    .split('\n');
  const unpacked = mkdtempSync(join(work, 'unpacked-'));
  execFileSync('tar', ['-xzf', join(work, tarball), '-C', unpacked]);
  mkdirSync(join(target, '..'), { recursive: true });
  renameSync(join(unpacked, 'package'), target);
}

/** Third-party packages are the workspace's own copies; ours are what was packed. */
function link(name: string, from: string, modules: string): void {
  const place = join(modules, name);
  mkdirSync(join(place, '..'), { recursive: true });
  symlinkSync(realpathSync(join(from, 'node_modules', name)), place);
}

/** Makes the folder. */
export function packExample(): PackedFolder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'packed-')));
  const modules = join(folder, 'node_modules');
  const packages = [
    'glo-core',
    'backoff',
    'adapter',
    'adapter-kit',
    'outbound',
    'plugin-host',
    'cloud-wallet',
  ];
  for (const name of packages) {
    install(join(repository, 'packages', name), join(modules, '@ledger-ops', name), folder);
  }
  const plugin = join(folder, 'plugin');
  install(join(repository, 'examples/json-ledger-plugin'), plugin, folder);
  for (const [name, user] of [
    ['re2js', 'glo-core'],
    ['zod', 'plugin-host'],
    ['@noble/curves', 'adapter'],
    ['ipaddr.js', 'outbound'],
    ['undici', 'outbound'],
    ['vitest', 'adapter-kit'],
  ] as const) {
    link(name, join(repository, 'packages', user), modules);
  }
  link('@types/node', repository, modules);
  return { folder, plugin, remove: () => rmSync(folder, { recursive: true }) };
}

/** Runs Node in the folder, without this process's conditions, and gives what it printed. */
export function runNode(folder: string, args: readonly string[]): string {
  return execFileSync(process.execPath, [...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
  });
}

/** A program of the folder that prints its URL when it is ready. */
export async function startNode(folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '' },
  });
  const exit = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout, 'data'), exit.then(() => [''])]);
  return {
    url: String(line).trim(),
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

/** Files of a folder, for messages. */
export const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' });

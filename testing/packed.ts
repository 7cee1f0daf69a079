import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const scope = '@ledger-ops/';

/** The parts of a package.json that an installation heeds. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: string | Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** A folder outside the workspace with packages of ours in `node_modules`, as they are published. */
export interface PackedFolder {
  folder: string;
  /** Folder of the tarballs themselves. */
  tarballs: string;
  /** Where our packages are, by their folders in the repository. */
  packages: ReadonlyMap<string, string>;
  remove(): void;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

const parents = ['packages', 'apps'].map((parent) => join(repository, parent));

/** Where a package is in the repository, by the name of its folder. */
export const placeOf = (folder: string): string =>
  parents.map((parent) => join(parent, folder)).find((place) => existsSync(place)) ?? folder;

/** Folders of every package that is published. */
export const publishedPackages = (): string[] =>
  parents
    .flatMap((parent) => readdirSync(parent))
    .filter((name) => readManifest(placeOf(name)).private !== true);

const nameOf = (folder: string): string => readManifest(placeOf(folder)).name;

const needsOf = ({ dependencies, optionalDependencies }: Manifest) =>
  Object.entries({ ...dependencies, ...optionalDependencies });

/** These packages of ours and all that they need of ours. */
function closureOf(names: readonly string[]): string[] {
  const all = new Set(names);
  for (const name of all) {
    for (const [need] of needsOf(readManifest(placeOf(name)))) {
      if (need.startsWith(scope)) all.add(need.slice(scope.length));
    }
  }
  return [...all];
}

function unpack(tarball: string, target: string): void {
  const unpacked = mkdtempSync(join(dirname(tarball), 'unpacked-'));
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked]);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(join(unpacked, 'package'), target);
}

/** Packages of others are the workspace's own copies. */
function link(name: string, from: string, modules: string): void {
  const source = join(from, 'node_modules', name);
  const place = join(modules, name);
  // Absent where it is optional and not for this platform; npm leaves it out too.
  if (existsSync(place) || !existsSync(source)) return;
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(realpathSync(source), place);
  linkCommands(place, modules);
}

function linkCommands(place: string, modules: string): void {
  const commands = join(modules, '.bin');
  mkdirSync(commands, { recursive: true });
  for (const [command, file] of Object.entries(commandsOf(readManifest(place)))) {
    if (!existsSync(join(commands, command)))
      symlinkSync(relative(commands, join(place, file)), join(commands, command));
  }
}

const commandsOf = ({ name, bin = {} }: Manifest): Record<string, string> =>
  typeof bin === 'string' ? { [name.split('/').at(-1) ?? name]: bin } : bin;

/**
 * Packs packages and puts them, with what they say that they need, where an installation would: in a folder outside of
 * the workspace, without the network. What a package does not ask for is not there.
 * @throws Error when one asks for a version of ours that is not the one that was packed.
 */
export function installPacked(names: readonly string[]): PackedFolder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'packed-')));
  const modules = join(folder, 'node_modules');
  const tarballs = join(folder, 'tarballs');
  const wanted = closureOf(names);
  execFileSync(process.execPath, [join(repository, 'scripts/pack.mjs'), tarballs, ...wanted], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const packages = new Map(wanted.map((name) => [name, join(modules, nameOf(name))]));
  for (const [name, place] of packages) {
    const { version } = readManifest(placeOf(name));
    unpack(join(tarballs, `${nameOf(name).replace('@', '').replace('/', '-')}-${version}.tgz`), place);
  }
  for (const [name, place] of packages) {
    const manifest = readManifest(place);
    for (const [need, version] of needsOf(manifest)) {
      if (!need.startsWith(scope)) {
        link(need, placeOf(name), modules);
      } else if (readManifest(join(modules, need)).version !== version) {
        throw new Error(`${manifest.name} asks for ${need} ${version}, which is not what was packed.`);
      }
    }
    for (const peer of Object.keys(manifest.peerDependencies ?? {})) {
      link(peer, placeOf(name), modules);
    }
    linkCommands(place, modules);
  }
  for (const name of ['@types/node', 'typescript']) link(name, repository, modules);
  return { folder, tarballs, packages, remove: () => rmSync(folder, { recursive: true }) };
}

/** Packs a folder that is no package of the workspace, and unpacks it at `target`. */
export function unpackFolder(source: string, target: string): void {
  const work = mkdtempSync(join(dirname(target), 'tarball-'));
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], {
    cwd: source,
  });
  const [tarball = ''] = readdirSync(work);
  unpack(join(work, tarball), target);
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

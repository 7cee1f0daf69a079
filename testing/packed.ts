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
import { childEnvironment } from './children.ts';

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
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
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

/** Tarballs of packages, in a folder that is made for them. */
function pack(names: readonly string[], target: string): string {
  execFileSync(process.execPath, [join(repository, 'scripts/pack.mjs'), target, ...names], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return target;
}

/** Tarballs of all that is published, in the folder of a run: made by the first who needs them. */
function packOnce(runFolder: string): string {
  const shared = join(runFolder, 'tarballs');
  if (existsSync(shared)) return shared;
  const own = pack(publishedPackages(), `${shared}.${process.pid}`);
  // Others find all of them or none. Where somebody was sooner, these are as good.
  if (existsSync(shared)) return own;
  renameSync(own, shared);
  return shared;
}

/**
 * Packs packages and puts them, with what they say that they need, where an installation would: in a folder outside of
 * the workspace, without the network. What a package does not ask for is not there.
 * @param runFolder of a run whose tests share the tarballs
 * @throws Error when one asks for a version of ours that is not the one that was packed.
 */
export function installPacked(names: readonly string[], runFolder?: string): PackedFolder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'packed-')));
  const modules = join(folder, 'node_modules');
  const wanted = closureOf(names);
  const tarballs = runFolder === undefined ? pack(wanted, join(folder, 'tarballs')) : packOnce(runFolder);
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
    env: childEnvironment(),
  });
}

/** A program of the folder that prints its URL when it is ready. */
export async function startNode(folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, [...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: childEnvironment(),
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

import { execFileSync, spawn, spawnSync } from 'node:child_process';
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
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from './children.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const scope = '@ledger-ops/';
/** Milliseconds for an installation by npm. */
const installTimeout = 180_000;

/** The parts of a package.json that affect an installation. */
export interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: string | Record<string, string>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** A folder outside the workspace whose `node_modules` contains our packages as published. */
export interface PackedFolder {
  folder: string;
  /** Folder of the tarballs. */
  tarballs: string;
  /** Paths of our packages, by their folder names in the repository. */
  packages: ReadonlyMap<string, string>;
  remove(): void;
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

const parents = ['packages', 'apps'].map((parent) => join(repository, parent));

/** Path of a package in the repository, by its folder name. */
export const placeOf = (folder: string): string =>
  parents.map((parent) => join(parent, folder)).find((place) => existsSync(place)) ?? folder;

/** Folders of all published packages. */
export const publishedPackages = (): string[] =>
  parents
    .flatMap((parent) => readdirSync(parent))
    .filter((name) => readManifest(placeOf(name)).private !== true);

const nameOf = (folder: string): string => readManifest(placeOf(folder)).name;

const needsOf = ({ dependencies, optionalDependencies }: Manifest) =>
  Object.entries({ ...dependencies, ...optionalDependencies });

/** The given packages and their dependencies within the workspace. */
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

/** Links the workspace's own copy of a third-party package. */
function link(name: string, from: string, modules: string): void {
  const source = join(from, 'node_modules', name);
  const place = join(modules, name);
  // An optional package for another platform is missing. npm also omits it.
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

/** Packs packages into a new folder. */
function pack(names: readonly string[], target: string): string {
  execFileSync(process.execPath, [join(repository, 'scripts/pack.mjs'), target, ...names], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return target;
}

/** Tarballs of all published packages in the run's folder. The first caller creates them. */
function packOnce(runFolder: string): string {
  const shared = join(runFolder, 'tarballs');
  if (existsSync(shared)) return shared;
  const own = pack(publishedPackages(), `${shared}.${process.pid}`);
  // The rename is atomic. If another process was faster, its tarballs stay and this process uses its own.
  if (existsSync(shared)) return own;
  renameSync(own, shared);
  return shared;
}

/**
 * Packs packages and installs them with their declared dependencies in a folder outside the workspace,
 * without the network. Imports of undeclared dependencies fail there.
 *
 * @param runFolder folder of a run whose tests share the tarballs
 *
 * @throws Error if a package requires one of our packages in another version than the packed one
 */
export function installPacked(names: readonly string[], runFolder?: string): PackedFolder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'packed-')));
  const modules = join(folder, 'node_modules');
  const wanted = closureOf(names);
  const tarballs = runFolder === undefined ? pack(wanted, join(folder, 'tarballs')) : packOnce(runFolder);
  const packages = new Map(wanted.map((name) => [name, join(modules, nameOf(name))]));
  for (const [name, place] of packages) unpack(tarballOf(tarballs, name), place);
  for (const [name, place] of packages) {
    const manifest = readManifest(place);
    for (const [need, version] of needsOf(manifest)) {
      if (!need.startsWith(scope)) {
        link(need, placeOf(name), modules);
      } else if (readManifest(join(modules, need)).version !== version) {
        throw new Error(`${manifest.name} requires ${need} ${version}, but another version was packed.`);
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

/** Codes in npm's errors if npm cannot reach the registry and its cache lacks a package. */
const unreachable =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;

/**
 * Packs packages and installs them with npm in an empty folder outside the workspace, as a user does: third-party packages
 * come from the registry, or from npm's cache. If npm cannot reach the registry, prints the reason and links them instead.
 *
 * @throws Error if the installation fails for another reason
 */
export function installPublished(names: readonly string[], runFolder?: string): PackedFolder {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'installed-')));
  const wanted = closureOf(names);
  const tarballs = runFolder === undefined ? pack(wanted, join(folder, 'tarballs')) : packOnce(runFolder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1'];
  const npm = spawnSync('npm', ['install', ...options, ...wanted.map((name) => tarballOf(tarballs, name))], {
    ...{ cwd: folder, encoding: 'utf8', timeout: installTimeout, env: { ...process.env, NODE_OPTIONS: '' } },
  });
  const remove = () => rmSync(folder, { recursive: true });
  if (npm.status === 0) {
    const packages = new Map(wanted.map((name) => [name, join(folder, 'node_modules', nameOf(name))]));
    return { folder, tarballs, packages, remove };
  }
  remove();
  const reason = npm.signal === null ? unreachable.exec(npm.stderr)?.[0] : 'ETIMEDOUT';
  if (reason === undefined) throw new Error(`npm install failed:\n${npm.stderr}`);
  console.warn(`Third-party packages are linked, because npm cannot reach the registry (${reason}).`);
  return installPacked(names, runFolder);
}

function tarballOf(tarballs: string, name: string): string {
  const { version } = readManifest(placeOf(name));
  return join(tarballs, `${nameOf(name).replace('@', '').replace('/', '-')}-${version}.tgz`);
}

/** Packs a folder that is not a workspace package, and unpacks it at `target`. */
export function unpackFolder(source: string, target: string): void {
  const work = mkdtempSync(join(dirname(target), 'tarball-'));
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], {
    cwd: source,
  });
  const [tarball = ''] = readdirSync(work);
  unpack(join(work, tarball), target);
}

/** Runs Node in the folder without the export conditions of this process, and returns its output. */
export function runNode(folder: string, args: readonly string[]): string {
  return execFileSync(process.execPath, [...args], {
    cwd: folder,
    encoding: 'utf8',
    env: childEnvironment(),
  });
}

/** Starts a program of the folder that prints its URL when it is ready. */
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

/** Files of a folder, for error messages. */
export const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' });

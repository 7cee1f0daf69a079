import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { DEFAULT_CIPHERS } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { type RootPart, rootParts } from './own-root.ts';
import { readFlags } from './read-flags.ts';

/**
 * How a child is isolated. `isolated`: separate users, processes, network, files and semaphores (Linux namespaces),
 * plus Node's permission model. `restricted`: only the permission model.
 */
export type IsolationLevel = 'isolated' | 'restricted';

/** A program for Node and its file access. */
export interface Program {
  /** The file, or `-e` and a script, followed by its arguments. */
  args: readonly string[];
  readable: readonly string[];
  writable: readonly string[];
  memoryLimitMb: number;
}

/** A command for `spawn`. */
export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Exit code of a child whose namespaces could not be created; the program was not started. */
export const notIsolated = 97;

/** Folders of the system's own programs. */
const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Builds an in-memory file system that contains only the listed entries, makes it the root, and drops every
 * privilege. /sys is covered only in this process's mount namespace. /proc is mounted if the system allows
 * it, because some modules read the number of processors. Arguments are lists, each preceded by its length.
 * One program handles a whole list, because starting hundreds of programs would be slow.
 */
const script = `
set -eu
trap 'exit ${notIsolated}' EXIT
root=/sys
mount -n -t tmpfs -o size=4m,mode=0755,nosuid,nodev tmpfs $root
for each in "mkdir -p --" "touch --" "cp -P --parents -t $root --" "mount_all"; do
  count=$1 number=0 list=
  shift
  while [ $number -lt $count ]; do number=$((number + 1)); list="$list \\"\\\${$number}\\""; done
  case $each in
    mount_all) eval "printf '%s\\\\n' $list" > $root/.mounts; mount -n -a -T $root/.mounts; rm $root/.mounts ;;
    *) [ $count = 0 ] || eval "$each $list" ;;
  esac
  shift $count
done
mount -n -t proc -o ro,nosuid,nodev,noexec proc $root/proc 2> /dev/null || :
mount -n -o remount,bind,ro,nosuid,nodev $root
prlimit=$(command -v prlimit) nice=$(command -v nice) chroot=$(command -v chroot) env=$(command -v env)
setsid=$(command -v setsid)
exec "$env" -i "$prlimit" --core=1 --nproc=512 --nofile=4096 "$nice" -n 5 "$setsid" "$chroot" $root "$@"
`;

/** Returns the script's arguments for these parts: the folders, files and links to create, and the mounts. */
function scriptArguments(parts: readonly RootPart[]): string[] {
  const root = '/sys';
  const links = parts.flatMap((part) => (part.kind === 'link' ? [part.path] : []));
  const shown = parts.filter((part) => part.kind !== 'link');
  const files = shown.flatMap(({ kind, path }) => (kind === 'file' ? [path] : []));
  const folders = shown.flatMap(({ kind, path }) => (kind === 'folder' ? [path] : []));
  const all = new Set([...folders, ...[...files, ...links].map((path) => dirname(path)), '/proc']);
  const lists = [
    [...all].map((path) => root + path),
    files.map((path) => root + path),
    links,
    shown.map(({ path, options }) => `${escaped(path)} ${escaped(root + path)} none ${options} 0 0`),
  ];
  return lists.flatMap((list) => [String(list.length), ...list]);
}

/** Returns a path in the notation of mount tables. */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/**
 * Makes the kernel end the child when its parent exits, if the system supports it, even during an endless
 * loop.
 */
function deathWithParent(): string[] {
  const tool = '/usr/bin/setpriv';
  // This path may be a link to another tool that has the same name and fewer features.
  if (process.platform !== 'linux' || !existsSync(tool) || realpathSync(tool) !== tool) return [];
  return [tool, '--pdeathsig', 'KILL', '--'];
}

/** The child resolves packages under the same conditions as this process. */
function conditions(): string[] {
  return process.execArgv.flatMap((argument, index, all) => {
    if (/^(--conditions|-C)=/.test(argument)) return [argument];
    const next = all[index + 1];
    return /^(--conditions|-C)$/.test(argument) && next !== undefined ? [`--conditions=${next}`] : [];
  });
}

const optional = [
  // Newer versions of Node also restrict the network. The host decides about the child's connections instead.
  { known: '--allow-net', given: '--allow-net' },
  // These modules open files that the permission model does not check.
  { known: '--experimental-sqlite', given: '--no-experimental-sqlite' },
  { known: '--experimental-webstorage', given: '--no-experimental-webstorage' },
  { known: '--disable-sigusr1', given: '--disable-sigusr1' },
];

function nodeArguments({ args, readable, writable, memoryLimitMb }: Program): string[] {
  return [
    '--permission',
    ...optional
      .filter(({ known }) => process.allowedNodeEnvironmentFlags.has(known))
      .map(({ given }) => given),
    ...readFlags(readable),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...conditions(),
    `--max-old-space-size=${memoryLimitMb}`,
    // A node chooses the modulus of finite-field Diffie-Hellman, which could block the child for seconds.
    `--tls-cipher-list=${DEFAULT_CIPHERS}:!kDHE`,
    '--disable-warning=ExperimentalWarning',
    ...args,
  ];
}

/**
 * Returns the command that starts a program.
 * @throws Error if the system lacks what `isolated` needs
 */
export function launchOf(level: IsolationLevel, program: Program): Launch {
  if (level === 'restricted') {
    const [command = process.execPath, ...args] = [
      ...deathWithParent(),
      process.execPath,
      ...nodeArguments(program),
    ];
    return { command, args, env: {} };
  }
  const node = realpathSync(process.execPath);
  const setpriv = realpathSync('/usr/bin/setpriv');
  const { readable, writable } = program;
  const manifest = fileURLToPath(new URL('../../package.json', import.meta.url));
  const parts = rootParts({
    programs: [node, setpriv, ...librariesOf(node, setpriv)],
    readable: [...readable, ...(existsSync(manifest) ? [manifest] : [])],
    writable,
  });
  return {
    command: setpriv,
    args: [
      ...['--pdeathsig', 'KILL', '--'],
      ...['unshare', '--user', '--map-root-user', '--net', '--ipc', '--pid', '--mount'],
      ...['--fork', '--kill-child=SIGKILL', '--'],
      ...['/bin/sh', '-c', script, 'sh'],
      ...scriptArguments(parts),
      ...[setpriv, '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--'],
      node,
      ...nodeArguments(program),
    ],
    env: { PATH: systemPath },
  };
}

let libraries: string[] | undefined;

/** Returns the shared libraries of programs, cached while this process runs. */
function librariesOf(...programs: string[]): string[] {
  libraries ??= execFileSync('ldd', programs, { encoding: 'utf8', env: { PATH: systemPath }, stdio: 'pipe' })
    .split('\n')
    .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  return libraries;
}

/** The package's own folder, which every child reads. */
export const ownFolder = dirname(fileURLToPath(new URL('.', import.meta.url)));

import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RootPart, rootParts } from './own-root.ts';
import { readFlags } from './read-flags.ts';

/**
 * How well a child is shut off. `isolated`: it has users, processes, a network, files and semaphores of its own, made
 * by the kernel (Linux namespaces), and Node's permission model. `restricted`: the permission model alone.
 */
export type IsolationLevel = 'isolated' | 'restricted';

/** A program for Node, and what it may touch. */
export interface Program {
  /** The file, or with `-e` a text, and its arguments. */
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

/** With this code ends a child whose namespaces could not be made; the program was not started. */
export const notIsolated = 97;

/** Where the system's own programs are. */
const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Builds a file system in memory that has nothing but what is named, makes it the root and gives up every privilege.
 * Its folder /sys is covered in this process's mount namespace only. /proc is there for modules that ask for the
 * number of processors; where the system does not let it be mounted, they do without. Its arguments are lists, each
 * behind its length: one program takes a whole list, since hundreds of programs would take the start's time.
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

/** The script's arguments for these parts: folders, files and links to make, and what to mount. */
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

/** As tables of mounts write a path. */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** The kernel ends the child with its parent, where it has the means, even one that is in an endless loop. */
function deathWithParent(): string[] {
  const tool = '/usr/bin/setpriv';
  // A link leads to a tool of the same name that knows less.
  if (process.platform !== 'linux' || !existsSync(tool) || realpathSync(tool) !== tool) return [];
  return [tool, '--pdeathsig', 'KILL', '--'];
}

/** Conditions under which this process resolves packages hold for the child too. */
function conditions(): string[] {
  return process.execArgv.flatMap((argument, index, all) => {
    if (/^(--conditions|-C)=/.test(argument)) return [argument];
    const next = all[index + 1];
    return /^(--conditions|-C)$/.test(argument) && next !== undefined ? [`--conditions=${next}`] : [];
  });
}

const optional = [
  // Newer versions of Node ask for the network as well; what a child reaches is decided elsewhere.
  { known: '--allow-net', given: '--allow-net' },
  // These modules open files without asking the permission model.
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
    '--disable-warning=ExperimentalWarning',
    ...args,
  ];
}

/**
 * How a program is started.
 * @throws Error when the system lacks what `isolated` needs
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

/** The shared libraries of programs, which stay the same while this process runs. */
function librariesOf(...programs: string[]): string[] {
  libraries ??= execFileSync('ldd', programs, { encoding: 'utf8', env: { PATH: systemPath }, stdio: 'pipe' })
    .split('\n')
    .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  return libraries;
}

/** Where the package's own code is, which every child reads. */
export const ownFolder = dirname(fileURLToPath(new URL('.', import.meta.url)));

// This module imports only built-in modules that every version of Node has, so that old versions can print the message.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Minimum major version of Node. */
const needed = 24;

export interface RunProgram {
  /** Name of the program: its command, if `package` installs one. */
  readonly name: string;
  /** The npm package that installs the program as a command, if there is one. */
  readonly package?: string;
  /** URL of the program's main module. The npm package `node` is resolved from there. */
  readonly url: string;
  /** The Node version; by default, that of this process. */
  readonly version?: string;
}

/**
 * Whether this Node can run the program. If not, runs the program in a child process with the Node of the npm
 * package `node`, if that is installed next to it. Otherwise, explains how to get a suitable Node and exits
 * with code 2.
 */
export function requireNode(program: RunProgram): boolean {
  const { version = process.versions.node } = program;
  if (isRecent(version)) return true;
  const node = installedNode(program.url);
  if (node === undefined) {
    process.stderr.write(`${refusal(program, version)}\n`);
    process.exitCode = 2;
  } else {
    runWith(node);
  }
  return false;
}

function isRecent(version: unknown): boolean {
  return Number.parseInt(String(version), 10) >= needed;
}

/** Path of the Node binary that the npm package `node` provides to `url`. */
function installedNode(url: string): string | undefined {
  try {
    const manifest = createRequire(url).resolve('node/package.json');
    const about: { version?: unknown } = JSON.parse(readFileSync(manifest, 'utf8'));
    const path = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    // The binary is missing if npm ran no scripts. The running Node itself is excluded, because it would start itself
    // forever.
    const isUsable = existsSync(path) && realpathSync(path) !== realpathSync(process.execPath);
    return isUsable && isRecent(about.version) ? path : undefined;
  } catch {
    // The package is not installed.
    return undefined;
  }
}

function refusal({ name, package: of }: RunProgram, version: string): string {
  const args = process.argv.slice(2, 4).filter((word) => /^[\w-]+$/.test(word));
  const program = of === undefined ? `node ${quoted(process.argv[1] ?? '')}` : `-p ${of} ${name}`;
  return [
    `${name} requires Node ${needed} or newer; this is Node ${version} (${process.execPath}).`,
    `Next: npx -p node@${needed} ${[program, ...args].join(' ')}`,
    `or install Node ${needed} from https://nodejs.org, or with: npm install --global node@${needed}`,
  ].join('\n');
}

/** Quotes a path for the shell. Shells on Unix and Windows support double quotes. */
const quoted = (path: string) => (/^[\w./@+=:-]+$/.test(path) ? path : `"${path}"`);

/** Runs the same command line with another Node, and exits with its status. */
function runWith(node: string): void {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  // A terminal also sends SIGINT to the child. If this process forwarded it, the child would receive it twice and exit
  // immediately.
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => {
    if (!isOnTerminal) child.kill('SIGINT');
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`${node} cannot be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => {
    // Shells expect 128 plus the signal number. Only SIGKILL and SIGTERM matter here.
    process.exit(code ?? (signal === 'SIGKILL' ? 137 : 143));
  });
}

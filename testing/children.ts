import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Arguments of a Node that runs sources as test workers do. */
export const sourceArguments: readonly string[] = [
  '--conditions=@ledger-ops/source',
  // Most of what a test makes is soon garbage: a larger nursery has it collected less often.
  '--max-semi-space-size=64',
  `--import=${new URL('../packages/base/src/resolve-once.ts', import.meta.url).href}`,
];

/** Environment of a server's process: what finds Node, and what other processes of this test run compiled already. */
export function childEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}

/** A folder of its own below the system's temporary one. */
export async function openFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'ledger-ops-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/**
 * From here on, to below the ports that the system itself gives away (from 32,768 on, on Linux): to connections, and
 * to servers that take any, of which other tests open many before a program has started that was told its port.
 */
const ports = { first: 11_000, count: 20_000 };
/** Processes begin at different places, so that they do not look at the same ports at once. */
let lastPort = randomInt(ports.count);

/** A port on loopback that nobody has now, and that nobody is given who asks for any. */
export async function freePort(): Promise<number> {
  for (;;) {
    lastPort = (lastPort + 1) % ports.count;
    const port = ports.first + lastPort;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isTaken = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(true));
    server.listen(port, '127.0.0.1', () => resolve(false));
  });
  if (!isTaken) await new Promise((resolve) => server.close(resolve));
  return !isTaken;
}

/** A program in a process of its own. */
export interface Run {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
  /** Its exit code, when it has ended and all that it wrote was read. */
  readonly code: Promise<number | null>;
}

const children = new Set<ChildProcess>();

/** Kills every program that a test left running, and waits for their ends. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...children].map(async (child) => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await ended;
    }),
  );
}

/** Runs a source file with these settings and no others; what is built, without `nodeArguments`. */
export function run(
  main: URL,
  environment: Readonly<Record<string, string>>,
  args: string[] = [],
  nodeArguments: readonly string[] = sourceArguments,
): Run {
  const child = spawn(process.execPath, [...nodeArguments, main.pathname, ...args], {
    env: { ...childEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const code = new Promise<number | null>((resolve) =>
    child.once('close', (value) => {
      children.delete(child);
      resolve(value);
    }),
  );
  return { child, out: () => out, err: () => err, code };
}

/** Why a test that needs Python cannot run; undefined: it can. */
export function missingPython(): string | undefined {
  const { status } = spawnSync('python3', ['--version'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'there is no python3 on this machine';
}

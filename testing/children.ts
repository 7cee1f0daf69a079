import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Node arguments that run sources in the same way as test workers. */
export const sourceArguments: readonly string[] = [
  '--conditions=@ledger-ops/source',
  // Most objects of a test are short-lived, so a larger young generation is collected less often.
  '--max-semi-space-size=64',
  `--import=${new URL('../packages/base/src/resolve-once.ts', import.meta.url).href}`,
];

/** Environment of a server process: PATH, and the compile cache of this test run. */
export function childEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}

/**
 * Ports below the ephemeral range (from 32,768 on Linux). The system assigns ephemeral ports to connections
 * and servers, so a port in that range could be taken before a program listens on it.
 */
const ports = { first: 11_000, count: 20_000 };
/** Random per process, so that processes do not try the same ports at the same time. */
let lastPort = randomInt(ports.count);

/** A free port on loopback that the system does not assign to other programs. */
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

/** A program in its own process. */
export interface Run {
  readonly child: ChildProcess;
  out(): string;
  err(): string;
  /** Exit code, once the process has ended and all its output was read. */
  readonly code: Promise<number | null>;
}

const children = new Set<ChildProcess>();

/** Kills all programs that a test left running, and waits until they have exited. */
export async function endAll(): Promise<void> {
  await Promise.all(
    [...children].map(async (child) => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await ended;
    }),
  );
}

/**
 * Runs a file with Node. Its environment contains only the given variables and those of `childEnvironment`.
 *
 * @param nodeArguments empty for a built file
 */
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

/** Returns why a test that needs Python cannot run; undefined if it can. */
export function missingPython(): string | undefined {
  const { status } = spawnSync('python3', ['--version'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'there is no python3 on this machine';
}

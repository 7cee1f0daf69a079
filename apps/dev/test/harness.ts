import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test. */
export async function openFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'ledger-ops-dev-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A port on loopback that nobody has now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const children = new Set<ChildProcess>();

/** Kills every process that a test left running. */
export function endAll(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** The development server in a process of its own. */
export interface Run {
  child: ChildProcess;
  out(): string;
  err(): string;
  code: Promise<number | null>;
}

/** Starts it with these settings and no others. */
export function run(environment: Record<string, string>, args: string[] = []): Run {
  const path = new URL('../src/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--conditions=@ledger-ops/source', path, ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
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

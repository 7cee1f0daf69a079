import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DevnetError, spawnWatched, type WatchedChild } from '@ledger-ops/devnet';
import { call } from './call.ts';
import type { SolanaOptions } from './options.ts';
import type { SolanaLedger } from './start.ts';
import { noRuntime, UnsupportedPlatformError } from './unsupported-platform.ts';

/** A ledger in a process of its own. */
export interface SolanaProcess extends SolanaLedger {
  pid: number;
  /** Ends it as a crash would. With a state file, what is in blocks comes back. */
  kill(): Promise<void>;
}

/** Milliseconds within which it must be ready. */
const startTime = 30_000;
/** Milliseconds that a clean end may take before it is killed. */
const endTime = 10_000;

/**
 * Starts a ledger in a process of its own, on 127.0.0.1. It ends with this process.
 * @throws UnsupportedPlatformError where litesvm has no binary
 * @throws DevnetError with what it printed, when it does not come up
 */
export async function startSolanaProcess(options: SolanaOptions = {}): Promise<SolanaProcess> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const main = fileURLToPath(new URL(`./main.${extension}`, import.meta.url));
  const child: WatchedChild = spawnWatched(
    [process.execPath, ...process.execArgv, main, JSON.stringify(options)],
    // It ends with its standard input.
    { watched: false },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  void ended.then(() => child.stdin.destroy());
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), endTime);
    await ended;
    clearTimeout(timer);
  };
  try {
    const port = await ready(child, ended);
    const url = `http://127.0.0.1:${port}`;
    return {
      pid: child.pid ?? 0,
      url,
      wsUrl: `ws://127.0.0.1:${port}`,
      port,
      rpc: (method, params = []) => call(url, method, params),
      stop: () => end('SIGTERM'),
      kill: () => end('SIGKILL'),
    };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}

/** The port that it prints when it is ready. */
async function ready(child: WatchedChild, ended: Promise<void>): Promise<number> {
  let printed = '';
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const fail = (why: string) =>
    reject(new DevnetError(`The Solana ledger ${why}. It printed: ${printed.trim() || 'nothing'}`));
  const timer = setTimeout(() => fail(`was not ready within ${startTime} ms`), startTime);
  const keep = (text: string) => {
    printed = `${printed}${text}\n`.slice(-4000);
  };
  createInterface({ input: child.stderr }).on('line', keep);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const port = /^\{"port":(\d+)\}$/.exec(line)?.[1];
    if (port === undefined) keep(line);
    else resolve(Number(port));
  });
  void ended.then(() => {
    if (child.exitCode === noRuntime) reject(new UnsupportedPlatformError());
    else fail('ended before it was ready');
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

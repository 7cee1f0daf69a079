import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DevnetError, spawnWatched, type WatchedChild } from '@ledger-ops/devnet';
import type { FabricProcessOptions } from './process-options.ts';
import { defaultTiming, type Timing } from './timing.ts';

/** A network in a process of its own. */
export interface FabricProcess {
  pid: number;
  /** Path of a `FABRIC_PROFILE`. */
  profile: string;
  /** Ends it cleanly. Idempotent. */
  stop(): Promise<void>;
  /** Ends it as a crash would. Its chaincode processes end with it. */
  kill(): Promise<void>;
}

/**
 * Starts a network in a process of its own, so that what is measured beside it has the processor to itself. It ends
 * with this process.
 * @throws DevnetError with what it printed, when it does not come up
 */
export async function startFabricProcess(
  options: FabricProcessOptions = {},
  timing: Timing = defaultTiming,
): Promise<FabricProcess> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const main = fileURLToPath(new URL(`./main.${extension}`, import.meta.url));
  const child: WatchedChild = spawnWatched(
    [process.execPath, ...process.execArgv, main, JSON.stringify(options)],
    // It ends with its standard input, and looks after the chaincode's processes itself.
    { watched: false },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  void ended.then(() => child.stdin.destroy());
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), timing.networkEnd);
    await ended;
    clearTimeout(timer);
  };
  try {
    const profile = await ready(child, ended, timing.networkStart);
    // One that was killed left it behind.
    if (options.profileDirectory === undefined)
      void ended.then(() => rmSync(dirname(profile), { recursive: true, force: true }));
    return { pid: child.pid ?? 0, profile, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}

/** The path that it prints when it is ready. */
async function ready(child: WatchedChild, ended: Promise<void>, startTimeout: number): Promise<string> {
  let printed = '';
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (why: string) =>
    reject(new DevnetError(`The Fabric network ${why}. It printed: ${printed.trim() || 'nothing'}`));
  const timer = setTimeout(() => fail(`was not ready within ${startTimeout} ms`), startTimeout);
  const keep = (text: string) => {
    printed = `${printed}${text}\n`.slice(-4000);
  };
  createInterface({ input: child.stderr }).on('line', keep);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const profile = /^\{"profile":(".*")\}$/.exec(line)?.[1];
    if (profile === undefined) keep(line);
    else resolve(String(JSON.parse(profile)));
  });
  void ended.then(() => fail('ended before it was ready'));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

import { createInterface } from 'node:readline';
import { DevnetError } from './error.ts';
import { spawnWatched, type WatchedChild } from './watched-child.ts';

/** A program that runs in its own process and prints one line when it is ready. */
export interface OwnProgram<Ready> {
  /** Name of the program, used as the subject of error messages: `The Fabric network`. */
  name: string;
  /** Path of the program's main file. */
  main: string;
  /** The program's only argument, passed as JSON. */
  options: unknown;
  /** Timeouts in milliseconds: for the start, and for a clean stop before a kill. */
  times: { start: number; end: number };
  /** Parses the line that reports readiness; undefined for any other line. */
  readReady(line: string): Ready | undefined;
  /** The error for an exit code with a special meaning. */
  errorOf?(exitCode: number | null): Error | undefined;
}

/** A program that exits when this process exits. It must exit when its standard input closes. */
export interface OwnProcess<Ready> {
  pid: number;
  ready: Ready;
  /** Resolves when the process has exited. */
  ended: Promise<void>;
  /** Stops the process cleanly. Idempotent. */
  stop(): Promise<void>;
  /** Kills the process, as a crash would. */
  kill(): Promise<void>;
}

/** @throws DevnetError with the program's output if it does not start */
export async function startOwnProcess<Ready>(program: OwnProgram<Ready>): Promise<OwnProcess<Ready>> {
  const child: WatchedChild = spawnWatched(
    [process.execPath, ...process.execArgv, program.main, JSON.stringify(program.options)],
    { watched: false },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  void ended.then(() => child.stdin.destroy());
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), program.times.end);
    await ended;
    clearTimeout(timer);
  };
  try {
    const ready = await becomesReady(program, child, ended);
    return { pid: child.pid ?? 0, ready, ended, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}

async function becomesReady<Ready>(
  { name, times, readReady, errorOf }: OwnProgram<Ready>,
  child: WatchedChild,
  ended: Promise<void>,
): Promise<Ready> {
  let printed = '';
  const { promise, resolve, reject } = Promise.withResolvers<Ready>();
  const errorThat = (why: string) =>
    new DevnetError(`${name} ${why}. It printed: ${printed.trim() || 'nothing'}`);
  const timer = setTimeout(() => reject(errorThat(`was not ready within ${times.start} ms`)), times.start);
  const keep = (text: string) => {
    printed = `${printed}${text}\n`.slice(-4000);
  };
  createInterface({ input: child.stderr }).on('line', keep);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const ready = readReady(line);
    if (ready === undefined) keep(line);
    else resolve(ready);
  });
  void ended.then(() => reject(errorOf?.(child.exitCode) ?? errorThat('ended before it was ready')));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

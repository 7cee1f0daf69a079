import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A program that ends with this process. */
export type WatchedChild = ChildProcessByStdio<Writable, Readable, Readable>;

/** How it is started. */
export interface WatchedOptions {
  /** Its environment; absent: this process's. */
  env?: NodeJS.ProcessEnv;
  /** Its working folder; absent: this process's. */
  cwd?: string;
  /** A folder that is removed when this process is gone. */
  removes?: string;
  /** False when the program looks after its own children and must not stand behind a shell. Default true. */
  watched?: boolean;
}

/**
 * Runs the program in the shell's own process, with a watch beside it that ends it, and removes the folder named by
 * `$0`, when the parent is gone, however that ended: the pipe on standard input closes then.
 */
const watch =
  'exec 3<&0; (read _ <&3; kill -TERM $$; [ -z "$0" ] || rm -rf "$0") >/dev/null 2>&1 & exec 3<&- </dev/null "$@"';

/**
 * Starts a program that ends with this process, whatever ends this process (on Windows: unless it is killed). The
 * caller destroys the child's `stdin` when the child has ended, which ends the watch.
 */
export function spawnWatched(
  command: readonly [string, ...string[]],
  options: WatchedOptions = {},
): WatchedChild {
  const settings = {
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  };
  const [file, ...args] = command;
  // Windows has no shell.
  return process.platform === 'win32' || options.watched === false
    ? spawn(file, args, { ...settings, stdio: ['pipe', 'pipe', 'pipe'] })
    : spawn('/bin/sh', ['-c', watch, options.removes ?? '', ...command], {
        ...settings,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
}

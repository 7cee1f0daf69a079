import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A program that exits when this process exits. */
export type WatchedChild = ChildProcessByStdio<Writable, Readable, Readable>;

export interface WatchedOptions {
  /** Environment; default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** Working directory; default: that of this process. */
  cwd?: string;
  /** A folder to remove when this process has ended. */
  removes?: string;
  /**
   * Whether to run the program behind a shell that watches this process. False if the program manages its own
   * children. Default true.
   */
  watched?: boolean;
}

/**
 * The shell replaces itself with the program and leaves a watcher process. When the parent ends in any way,
 * the pipe on standard input closes. The watcher then ends the program and removes the folder in `$0`.
 */
const watch =
  'exec 3<&0; (read _ <&3; kill -TERM $$; [ -z "$0" ] || rm -rf "$0") >/dev/null 2>&1 & exec 3<&- </dev/null "$@"';

/**
 * Starts a program that exits when this process exits, even if this process is killed (except on Windows).
 * When the child has exited, the caller must destroy the child's `stdin`, which ends the watcher. Ctrl-C in a
 * terminal reaches only this process (except on Windows), which can then stop the users of the program first.
 */
export function spawnWatched(
  command: readonly [string, ...string[]],
  options: WatchedOptions = {},
): WatchedChild {
  const settings = {
    // The program gets its own process group. On Windows this would open a console window.
    detached: process.platform !== 'win32',
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  };
  const [file, ...args] = command;
  // Windows has no POSIX shell to run the watcher.
  return process.platform === 'win32' || options.watched === false
    ? spawn(file, args, { ...settings, stdio: ['pipe', 'pipe', 'pipe'] })
    : spawn('/bin/sh', ['-c', watch, options.removes ?? '', ...command], {
        ...settings,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
}

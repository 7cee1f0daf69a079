import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Where lines of the log go. */
export interface LogOutput {
  /** Takes a line, with its end. Never fails, and never waits for the output. */
  write(line: string): void;
}

const bounds = {
  /** Characters that are written together, later when nothing more comes. */
  together: 8_192,
  /** Characters that are kept while the output takes none. */
  kept: 4_194_304,
};

/** Milliseconds. */
const timing = {
  /** Who watches a quiet server sees what it warns of. */
  quiet: 1_000,
  /** Between two tries of an output that takes nothing. */
  again: 20,
  /** How long the end of the process waits for a full pipe to be read. */
  atExit: 500,
};

/**
 * Writes lines to a file descriptor. One that takes nothing (a full pipe, a closed one, a full disk) is tried again;
 * lines are kept meanwhile, and what comes beyond the bound is left out. Once everything that was kept is written,
 * `onLost` is told how many lines were left out.
 */
export function createLogOutput(
  fd: number,
  onLost: (lines: number) => void,
  write: (fd: number, bytes: Uint8Array) => number = writeSync,
): LogOutput {
  const lines: string[] = [];
  let characters = 0;
  let rest = Buffer.alloc(0);
  let lost = 0;
  let refusal: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Writes all there is, or as much as the output takes. */
  function writeOut(): void {
    clearTimeout(timer);
    timer = undefined;
    refusal = undefined;
    while (rest.length > 0 || lines.length > 0) {
      if (rest.length === 0) {
        rest = Buffer.from(lines.splice(0).join(''));
        characters = 0;
      }
      try {
        rest = rest.subarray(write(fd, rest));
      } catch (error) {
        refusal = (error as NodeJS.ErrnoException).code ?? '';
        tryLater(timing.again);
        return;
      }
      if (rest.length === 0 && lines.length === 0 && lost > 0) {
        const count = lost;
        lost = 0;
        onLost(count);
      }
    }
  }

  function tryLater(milliseconds: number): void {
    timer ??= setTimeout(writeOut, milliseconds).unref();
  }

  /** Only a full pipe may be read yet. */
  function writeAtExit(): void {
    const cell = new Int32Array(new SharedArrayBuffer(4));
    const end = performance.now() + timing.atExit;
    writeOut();
    while (refusal === 'EAGAIN' && performance.now() < end) {
      Atomics.wait(cell, 0, 0, timing.again);
      writeOut();
    }
  }
  process.once('exit', writeAtExit);

  return {
    write(line) {
      // Whatever comes until all that is kept is written is left out too: the gap is one, and told where it is.
      if (lost > 0 || rest.length + characters + line.length > bounds.kept) {
        lost += 1;
        return;
      }
      lines.push(line);
      characters += line.length;
      if (refusal !== undefined) return;
      if (characters >= bounds.together) writeOut();
      else tryLater(timing.quiet);
    },
  };
}

/**
 * The descriptor to write to instead of one that may be a terminal: Node keeps terminals blocking, so that one that is
 * stopped (Ctrl-S) would stop the server. Opened anew it is non-blocking for this process alone, where the system has such
 * a path; elsewhere it stays as it is.
 */
export function unblocked(fd: number): number {
  if (!isatty(fd)) return fd;
  try {
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}

/**
 * Keeps an output that is full, or that nobody reads any more, from stopping or ending this process: Node makes pipes
 * and sockets non-blocking when their streams are first asked for, and ends the process at an error that nobody hears.
 */
export function surviveDeadOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

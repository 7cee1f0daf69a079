import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Destination of log lines. */
export interface LogOutput {
  /** Writes a line, including its line feed. Never fails, and never waits for the output. */
  write(line: string): void;
}

const bounds = {
  /**
   * If more characters than this are buffered, they are written immediately. Otherwise they are written after
   * `timing.quiet`.
   */
  together: 8_192,
  /** Maximum number of characters that are buffered while the output is blocked. */
  kept: 4_194_304,
};

/** Milliseconds. */
const timing = {
  /** Maximum delay of a line. */
  quiet: 1_000,
  /** Delay before a blocked output is tried again. */
  again: 20,
  /** How long the exiting process waits for a full pipe to be read. */
  atExit: 500,
};

/**
 * Writes lines to a file descriptor. If the output accepts nothing (a full or closed pipe, a full disk), it buffers
 * lines and retries; lines beyond the buffer's limit are dropped. Once the buffer is written, `onLost` receives the
 * number of dropped lines.
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

  /** Writes the buffer, or as much as the output accepts. */
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

  /** Retries only for a full pipe, whose reader may still empty it. */
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
      // Lines are dropped until the whole buffer is written, so there is only one gap, and its position is
      // known.
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
 * Returns a non-blocking descriptor for a terminal: Node writes to terminals synchronously, so a stopped terminal
 * (Ctrl-S) would stop the server. Reopening the terminal affects this process only. Other descriptors, and systems
 * without /proc/self/fd, are left unchanged.
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
 * Keeps a full or closed output from blocking or ending this process. Access to the streams makes Node set pipes and
 * sockets to non-blocking, and the listeners keep stream errors from ending the process.
 */
export function surviveDeadOutputs(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

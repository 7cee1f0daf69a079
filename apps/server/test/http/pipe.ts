import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A kernel pipe for a child's standard output. Only the test reads it, and decides when. */
export interface Pipe {
  /** The writing end, for the child's output. This process keeps it open until `started`. */
  readonly end: number;
  /** Closes this process's writing end, after the child has started. */
  started(): void;
  /** Reads everything that is in the pipe. */
  read(): string;
  /** Fills the pipe with empty lines. */
  fill(): void;
  close(): void;
}

export function openPipe(folder: string): Pipe {
  const path = join(folder, 'output');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const end = openSync(path, constants.O_WRONLY);
  const buffer = Buffer.alloc(65_536);
  const untilAgain = (step: () => number) => {
    try {
      while (step() > 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  };
  return {
    end,
    started: () => closeSync(end),
    read() {
      const parts: string[] = [];
      untilAgain(() => {
        const length = readSync(reader, buffer);
        parts.push(buffer.toString('latin1', 0, length));
        return length;
      });
      return parts.join('');
    },
    fill() {
      const filler = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      const page = Buffer.alloc(4_096, '\n');
      untilAgain(() => writeSync(filler, page));
      untilAgain(() => writeSync(filler, page, 0, 1));
      closeSync(filler);
    },
    close: () => closeSync(reader),
  };
}

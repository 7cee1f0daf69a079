import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { sourceArguments } from '../../../testing/children.ts';

/** A process that runs `child.ts`. */
export interface Child {
  /** The first line of the process's output. */
  readonly line: string;
  kill(): Promise<void>;
  /** Makes the process exit normally, and waits for that. */
  finish(): Promise<void>;
}

/** Starts the child and waits for its first line. */
export async function startChild(mode: string, options: object = {}): Promise<Child> {
  const file = fileURLToPath(new URL('./child.ts', import.meta.url));
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [...sourceArguments, file, mode, JSON.stringify(options)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), exited]);
  return {
    line: String(first[0]),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async finish() {
      child.stdin.end();
      await exited;
    },
  };
}

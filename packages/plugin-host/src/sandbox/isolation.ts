import { spawn } from 'node:child_process';
import { residentBytes } from '../memory-watch.ts';
import { modulePid } from '../own-process.ts';
import { shared } from '../timing.ts';
import { startTurns } from '../turns.ts';
import { launchOf, ownFolder } from './launch.ts';

/** The isolation that this machine offers to child processes. */
export type Isolation =
  | { level: 'isolated' }
  /** `why`: the end of a sentence, for the operator. */
  | { level: 'restricted'; why: string };

/** The trial program prints this line, and then waits to be ended. */
const sign = 'isolated';
const program = `
  if (process.pid === 1 && process.ppid === 0) process.stdout.write(${JSON.stringify(sign)});
  setInterval(() => undefined, 1_000);`;

/** Determines the isolation of children. A successful trial is final; a failed trial is repeated later. */
export function createIsolationFinder(
  attempt: () => Promise<Isolation>,
  now = () => performance.now(),
): () => Promise<Isolation> {
  let found: Promise<Isolation> | undefined;
  let failedAt: number | undefined;
  return () => {
    if (found !== undefined && (failedAt === undefined || now() - failedAt < shared.trialAgain)) return found;
    failedAt = undefined;
    found = attempt().then((isolation) => {
      if (isolation.level === 'restricted') failedAt = now();
      return isolation;
    });
    return found;
  };
}

/**
 * Determines the isolation of children on this machine by starting a program like a module. A failed trial is repeated
 * for a child that starts a minute later.
 */
export const findIsolation = createIsolationFinder(async () => {
  const over = await startTurns.take();
  try {
    return await tryIsolation();
  } finally {
    over();
  }
});

async function tryIsolation(): Promise<Isolation> {
  if (process.platform !== 'linux')
    return { level: 'restricted', why: `${process.platform} does not support namespaces` };
  let launch: ReturnType<typeof launchOf>;
  try {
    launch = launchOf('isolated', {
      args: ['-e', program],
      readable: [ownFolder],
      writable: [],
      memoryLimitMb: 64,
    });
  } catch (error) {
    const words = error instanceof Error ? error.message.split('\n', 1).join('') : 'unknown';
    return { level: 'restricted', why: `a tool is missing (${words}); install util-linux` };
  }
  const { promise, resolve } = Promise.withResolvers<Isolation>();
  const child = spawn(launch.command, launch.args, {
    env: launch.env,
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let complaint = '';
  const no = (why: string) => resolve({ level: 'restricted', why });
  child.once('error', ({ message }) => no(message));
  // If there are no file descriptors left, Node creates no streams, although its types declare them.
  child.stdout?.setEncoding('utf8').on('data', async (text: string) => {
    said += text;
    if (said !== sign) return;
    const pid = child.pid === undefined ? undefined : modulePid(child.pid, 'isolated');
    if (pid !== undefined && (await residentBytes(pid)) !== undefined) resolve({ level: 'isolated' });
    else no('/proc does not show the memory of child processes');
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 500);
  });
  child.once('close', () =>
    no(complaint.trim().split('\n', 1).join('') || 'the isolation test ended without output'),
  );
  const timer = setTimeout(() => no(`the isolation test took more than ${shared.trial} ms`), shared.trial);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

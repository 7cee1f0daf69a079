import { spawn } from 'node:child_process';
import { residentBytes } from '../memory-watch.ts';
import { modulePid } from '../own-process.ts';
import { shared } from '../timing.ts';
import { startTurns } from '../turns.ts';
import { launchOf, ownFolder } from './launch.ts';

/** The isolation that this machine offers children. */
export type Isolation =
  | { level: 'isolated' }
  /** `why`: a sentence's end, for whoever runs the machine. */
  | { level: 'restricted'; why: string };

/** Said by the program of the trial, which then waits to be ended. */
const sign = 'isolated';
const program = `
  if (process.pid === 1 && process.ppid === 0) process.stdout.write(${JSON.stringify(sign)});
  setInterval(() => undefined, 1_000);`;

/** Finds out what children get: for good once a trial was well, else for a while. */
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
 * Finds out, by starting a program as a module's is started, what children get on this machine. What is not isolated
 * is tried again for a child that is started a minute later.
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
    return { level: 'restricted', why: `${process.platform} has no namespaces` };
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
  // Without descriptors Node makes no streams, whatever its types say.
  child.stdout?.setEncoding('utf8').on('data', async (text: string) => {
    said += text;
    if (said !== sign) return;
    const pid = child.pid === undefined ? undefined : modulePid(child.pid, 'isolated');
    if (pid !== undefined && (await residentBytes(pid)) !== undefined) resolve({ level: 'isolated' });
    else no('/proc does not tell the memory of children');
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 500);
  });
  child.once('close', () => no(complaint.trim().split('\n', 1).join('') || 'the trial ended without a word'));
  const timer = setTimeout(() => no(`the trial took more than ${shared.trial} ms`), shared.trial);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

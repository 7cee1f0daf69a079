import { setTimeout } from 'node:timers/promises';

/**
 * Runs in a process that has not opened a session yet. Prints the longest turn of the event loop while sessions are
 * opened, in milliseconds of processor time. `loading.test.ts` of an adapter starts the process.
 */
export async function printLongestTurn(
  open: () => Promise<readonly { close(): Promise<void> }[]>,
): Promise<void> {
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let longestMs = 0;
  let last = 0;
  const tick = () => {
    const now = usedMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  await setTimeout(10);
  last = usedMs();
  const timer = setInterval(tick, 1);
  const sessions = await open();
  await setTimeout(5);
  clearInterval(timer);
  tick();
  for (const session of sessions) await session.close();
  process.stdout.write(String(longestMs));
}

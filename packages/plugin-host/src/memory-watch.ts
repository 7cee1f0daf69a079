import { readFile } from 'node:fs/promises';

/** Resident memory of a process in bytes; undefined where the system does not say (only Linux does). */
export async function residentBytes(pid: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1');
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
}

/**
 * Looks at a process's memory again and again. Returns the way to stop.
 * @param find the process, once it is there
 * @param ask asks the process itself, where the system never says; its answer goes to `seen` by itself.
 */
export function watchMemory(
  find: () => number | undefined,
  everyMs: number,
  seen: (bytes: number) => void,
  ask: () => void,
): () => void {
  let looking = false;
  let stopped = false;
  const look = async () => {
    if (looking) return;
    const pid = find();
    if (pid === undefined) return;
    looking = true;
    const bytes = await residentBytes(pid);
    looking = false;
    if (stopped) return;
    if (bytes !== undefined) seen(bytes);
    else if (process.platform !== 'linux') ask();
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

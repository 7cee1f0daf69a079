import { readFile } from 'node:fs/promises';

/** Resident memory of a process in bytes; undefined if the system does not report it (only Linux does). */
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
 * Measures a process's memory repeatedly. Returns a function that stops it.
 * @param find returns the process when it exists
 * @param ask queries the process itself, for systems that do not report memory; its answer is passed to `seen`
 * directly
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

import { readFile } from 'node:fs/promises';

/** Resident memory of a process in bytes; undefined where the system does not say (only Linux does). */
async function residentBytes(pid: number): Promise<number | undefined> {
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
 * @param ask asks the process itself, where the system does not say; its answer goes to `seen` by itself.
 */
export function watchMemory(
  pid: number,
  everyMs: number,
  seen: (bytes: number) => void,
  ask: () => void,
): () => void {
  let looking = false;
  let stopped = false;
  const look = async () => {
    if (looking) return;
    looking = true;
    const bytes = await residentBytes(pid);
    looking = false;
    if (stopped) return;
    if (bytes === undefined) ask();
    else seen(bytes);
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

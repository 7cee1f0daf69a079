import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Finds processes that a run left behind, by an entry of their environment. Waits up to `graceMs` until there are
 * none. Finds none on systems without /proc/<pid>/environ.
 * @returns {Promise<{ pid: number; command: string }[]>}
 */
export async function findLeftBehind(entry, graceMs) {
  const end = performance.now() + graceMs;
  for (;;) {
    const found = processesWith(entry);
    if (found.length === 0 || performance.now() > end) return found;
    await delay(100);
  }
}

function processesWith(entry) {
  return pids().flatMap((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (pid === process.pid || !environment.includes(entry)) return [];
      return [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }];
    } catch {
      // The process has exited, or belongs to another user.
      return [];
    }
  });
}

function pids() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

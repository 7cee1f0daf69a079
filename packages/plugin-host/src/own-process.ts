import { readFileSync } from 'node:fs';
import type { IsolationLevel } from './sandbox/launch.ts';

/**
 * Finds the process that runs the module. An isolated process is the only child of the spawned process.
 * Undefined if it does not exist or the system does not report it.
 * @param pid of the spawned process
 */
export function modulePid(pid: number, level: IsolationLevel): number | undefined {
  if (level === 'restricted') return pid;
  try {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ');
    return child === '' ? undefined : Number(child);
  } catch {
    return undefined;
  }
}

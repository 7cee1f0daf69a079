import { readFileSync } from 'node:fs';
import type { IsolationLevel } from './sandbox/launch.ts';

/**
 * The process in which the module runs. An isolated one is the only child of the process that was spawned, and waits
 * for it. Undefined when it is not there (yet, or any more), or the system does not tell.
 * @param pid of what was spawned
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

import { readdirSync, readFileSync } from 'node:fs';

/** Fields of /proc/<pid>/stat, see proc(5). Times are in seconds. */
interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly own: number;
  /** Time of terminated children that were waited for. */
  readonly ended: number;
}

/**
 * Processor time in seconds of all processes that this process has started, including their descendants. NaN
 * on systems other than Linux.
 */
export function startedTime(): number {
  const all = readdirSync('/proc', { encoding: 'utf8' }).flatMap((name) => processOf(name) ?? []);
  const own = all.find(({ pid }) => pid === process.pid);
  if (own === undefined) return Number.NaN;
  const below = (parent: number): number =>
    all
      .filter((one) => one.parent === parent)
      .reduce((sum, one) => sum + one.own + one.ended + below(one.pid), 0);
  return own.ended + below(process.pid);
}

function processOf(name: string): Process | undefined {
  if (!/^\d+$/.test(name)) return undefined;
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    // Fields from 3 on, after the name in parentheses, which may contain spaces. Times are in hundredths of a
    // second.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return {
      pid: Number(name),
      parent: fields[1] ?? 0,
      own: (user + system) / 100,
      ended: (endedUser + endedSystem) / 100,
    };
  } catch {
    // The process has exited since its folder was listed.
    return undefined;
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/** Fields of proc(5) that are needed here, the times in seconds. */
interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended and were waited for. */
  readonly ended: number;
}

/**
 * Seconds of processor time of all processes that this one has started, with what those have started; NaN where the
 * system does not say it as Linux does.
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
    // Behind the name in parentheses, which may hold blanks: from field 3 on, times in hundredths.
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
    // It has ended meanwhile.
    return undefined;
  }
}

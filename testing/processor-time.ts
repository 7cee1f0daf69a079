// Set-up of every test file: how much processor time it uses, its child processes included.
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Seconds of processor time: of the process that ran the file, and of the children that it waited for. */
    processor?: { own: number; children: number };
  }
}

const before = read();

// biome-ignore lint/correctness/noEmptyPattern: vitest reads off the pattern which fixtures a hook uses
afterAll(({}, file) => {
  const after = read();
  file.meta.processor = { own: after.own - before.own, children: after.children - before.children };
});

function read(): { own: number; children: number } {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, children: readChildren() };
}

/** Zero where the system does not say it as Linux does. */
function readChildren(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // After the name in parentheses, which may hold spaces: fields 16 and 17 of proc(5), in hundredths.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

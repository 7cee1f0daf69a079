// Setup of every test file: measures its processor time, including child processes.
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time in seconds of the file's process and of its terminated children. */
    processor?: { own: number; children: number };
  }
}

const before = read();

// biome-ignore lint/correctness/noEmptyPattern: vitest derives the fixtures that a hook uses from this pattern
afterAll(({}, file) => {
  const after = read();
  file.meta.processor = { own: after.own - before.own, children: after.children - before.children };
});

function read(): { own: number; children: number } {
  const { user, system } = process.cpuUsage();
  return { own: (user + system) / 1e6, children: readChildren() };
}

/** 0 on systems other than Linux. */
function readChildren(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The process name is in parentheses and may contain spaces, so split after it: index 0 is field 3 of
    // proc_pid_stat(5). Fields 16 and 17 (indexes 13 and 14) are the children's user and system time, in hundredths
    // of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

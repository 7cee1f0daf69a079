/** A line that a program itself wrote into a transaction's log. */
export interface ProgramLine {
  kind: 'data' | 'log';
  /** Base64 of `data`. */
  text: string;
}

const invoked = /^Program (\S+) invoke \[\d+\]$/;
/** Maximum number of characters of a line that names a program by its address. */
const longestInvocation = 128;
const beginnings = [
  ['data', 'Program data: '],
  ['log', 'Program log: '],
] as const;
const returned = /^Program (\S+) (?:success|failed: .*)$/;

/** Returns the log lines of one program, even if other programs called it. */
export function* linesOf(program: string, logs: readonly string[]): Generator<void, ProgramLine[]> {
  const running: string[] = [];
  const lines: ProgramLine[] = [];
  for (const line of logs) {
    yield;
    const begun = line.length > longestInvocation ? undefined : invoked.exec(line)?.[1];
    if (begun !== undefined) running.push(begun);
    else if (returned.test(line)) running.pop();
    else if (running.at(-1) === program) {
      for (const [kind, before] of beginnings) {
        if (line.startsWith(before)) lines.push({ kind, text: line.slice(before.length) });
      }
    }
  }
  return lines;
}

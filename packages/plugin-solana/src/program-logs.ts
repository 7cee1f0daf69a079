/** A line that a program itself wrote into the log of a transaction. */
export interface ProgramLine {
  kind: 'data' | 'log';
  /** Of `data` base64. */
  text: string;
}

const invoked = /^Program (\S+) invoke \[\d+\]$/;
const returned = /^Program (\S+) (?:success|failed: .*)$/;

/** Lines of one program, also where others called it. */
export function linesOf(program: string, logs: readonly string[]): ProgramLine[] {
  const running: string[] = [];
  return logs.flatMap((line): ProgramLine[] => {
    const begun = invoked.exec(line)?.[1];
    if (begun !== undefined) running.push(begun);
    else if (returned.test(line)) running.pop();
    else if (running.at(-1) === program) {
      if (line.startsWith('Program data: '))
        return [{ kind: 'data', text: line.slice('Program data: '.length) }];
      if (line.startsWith('Program log: '))
        return [{ kind: 'log', text: line.slice('Program log: '.length) }];
    }
    return [];
  });
}

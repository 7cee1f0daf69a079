import type { AnchorIdl } from './schema.ts';

/** An error of a program's own. */
export interface ProgramError {
  name: string;
  message?: string | undefined;
}

/** Errors of programs by their numbers, out of the IDLs that calls came with. */
export interface ProgramErrors {
  remember(program: string, idl: AnchorIdl): void;
  find(program: string, code: number): ProgramError | undefined;
}

/** Programs whose errors are kept. */
const mostPrograms = 256;

export function createProgramErrors(): ProgramErrors {
  const known = new Map<string, AnchorIdl['errors']>();
  return {
    remember(program, { errors }) {
      known.delete(program);
      const [oldest] = known.keys();
      if (known.size >= mostPrograms && oldest !== undefined) known.delete(oldest);
      known.set(program, errors);
    },
    find(program, code) {
      const error = known.get(program)?.find((one) => one.code === code);
      return error === undefined ? undefined : { name: error.name, message: error.msg };
    },
  };
}

const anchorError =
  /^Program log: AnchorError .*Error Code: (\w+)\. Error Number: (\d+)\. Error Message: (.*)$/;

/** The error of a number as programs of Anchor write it into their logs. */
export function loggedError(logs: readonly string[], code: number): ProgramError | undefined {
  for (const line of logs.toReversed()) {
    const [, name, number, message] = line.match(anchorError) ?? [];
    if (name !== undefined && Number(number) === code) return { name, message };
  }
  return undefined;
}

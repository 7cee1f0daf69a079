import { z } from 'zod';
import type { AnchorIdl } from './schema.ts';

/** An error of a program's own. */
export interface ProgramError {
  name: string;
  message?: string;
}

/**
 * Errors of a called program as the call's own IDL names them. They go along with the plan and the signed bytes: what another
 * caller says of the same program names nothing here, and after a restart they are still there.
 */
export type ProgramErrors = {
  program: string;
  /** Texts are empty where the IDL has none. */
  errors: [code: number, name: string, message: string][];
};

export const programErrorsSchema = z.strictObject({
  program: z.string(),
  errors: z.array(z.tuple([z.int(), z.string(), z.string()])),
});

/** Characters that the errors of one call may have together; what comes after is told by its number. */
const mostCharacters = 16_000;
const longestMessage = 300;

export function errorsOf(program: string, idl: AnchorIdl): ProgramErrors | undefined {
  let left = mostCharacters;
  const errors: ProgramErrors['errors'] = [];
  for (const { code, name, msg = '' } of idl.errors) {
    const message = msg.slice(0, longestMessage);
    left -= name.length + message.length;
    if (left < 0) break;
    errors.push([code, name, message]);
  }
  return errors.length === 0 ? undefined : { program, errors };
}

export function namedError(
  errors: ProgramErrors | undefined,
  program: string | undefined,
  code: number,
): ProgramError | undefined {
  if (errors === undefined || errors.program !== program) return undefined;
  const [, name, message = ''] = errors.errors.find(([one]) => one === code) ?? [];
  return name === undefined ? undefined : { name, ...(message === '' ? {} : { message }) };
}

const anchorError =
  /^Program log: AnchorError .*Error Code: (\w+)\. Error Number: (\d+)\. Error Message: (.*)$/;

/** The error of a number as programs of Anchor write it into their logs. */
export function loggedError(logs: readonly string[], code: number): ProgramError | undefined {
  for (const line of logs.toReversed()) {
    const [, name, number, message] = line.match(anchorError) ?? [];
    if (name !== undefined && Number(number) === code)
      return { name, ...(message === undefined ? {} : { message }) };
  }
  return undefined;
}

import { z } from 'zod';
import type { AnchorIdl } from './schema.ts';

/** An error that a program defines. */
export interface ProgramError {
  name: string;
  message?: string;
}

/**
 * Errors of a called program as named in the call's own IDL. They are stored with the plan and the signed
 * bytes. So other callers' IDLs for the same program have no effect, and the names survive a restart.
 */
export type ProgramErrors = {
  program: string;
  /** Strings are empty if the IDL has none. */
  errors: [code: number, name: string, message: string][];
};

export const programErrorsSchema = z.strictObject({
  program: z.string(),
  errors: z.array(z.tuple([z.int(), z.string(), z.string()])),
});

/** Maximum total length of all errors in one call, in characters; further errors are shown by number. */
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

/** Returns the error with this code that Anchor programs write into their logs. */
export function loggedError(logs: readonly string[], code: number): ProgramError | undefined {
  for (const line of logs.toReversed()) {
    const [, name, number, message] = line.match(anchorError) ?? [];
    if (name !== undefined && Number(number) === code)
      return { name, ...(message === undefined ? {} : { message }) };
  }
  return undefined;
}

import type { LedgerClient } from '@ledger-ops/client';
import type { Output } from './output.ts';
import type { Profile } from './profiles.ts';
import type { Terminal } from './terminal.ts';

/** A positional argument: required, optional, or all remaining arguments. */
export interface Argument {
  readonly about: string;
  readonly form?: 'optional' | 'rest';
  readonly values?: readonly string[];
}

/** An option with a value, a repeatable option, or a flag. */
export interface Option {
  readonly about: string;
  /** Placeholder for the value in the help; undefined for a flag. */
  readonly value?: string;
  readonly form?: 'required' | 'list';
  readonly values?: readonly string[];
}

type ArgumentValue<A extends Argument> = A['form'] extends 'rest'
  ? readonly string[]
  : A['form'] extends 'optional'
    ? string | undefined
    : string;
type OptionValue<O extends Option> = O extends { value: string }
  ? O['form'] extends 'required'
    ? OptionText<O>
    : O['form'] extends 'list'
      ? readonly OptionText<O>[]
      : OptionText<O> | undefined
  : boolean;
type OptionText<O extends Option> = O extends { values: readonly (infer Text)[] } ? Text : string;

/** The parsed values, by the names of arguments and options. */
export type Given<A, O> = { readonly [N in keyof A]: A[N] extends Argument ? ArgumentValue<A[N]> : never } & {
  readonly [N in keyof O]: O[N] extends Option ? OptionValue<O[N]> : never;
};

/** Input, output and the service, as commands use them. */
export interface Context {
  readonly terminal: Terminal;
  readonly output: Output;
  /** Returns a client of the signed-in account. @throws CliError */
  client(): Promise<LedgerClient>;
  /** @throws CliError if nobody is signed in */
  profile(): Promise<Profile>;
  /** All commands, for completion. */
  readonly commands: readonly Command[];
  /** Returns the name of the selected profile; the profile may not exist. */
  profileName(): Promise<string>;
}

/** A command; its words are separated by spaces: `wallet list`. */
export interface Command {
  readonly name: string;
  readonly about: string;
  readonly more?: string;
  /** Whether the help and the documentation omit it. */
  readonly isInternal?: boolean;
  /** Whether it prints a table, and therefore has `--csv`. */
  readonly isList?: boolean;
  readonly arguments: Readonly<Record<string, Argument>>;
  readonly options: Readonly<Record<string, Option>>;
  /** @throws CliError and the client's errors */
  run(context: Context, given: Readonly<Record<string, unknown>>): Promise<void>;
}

export function command<
  const A extends Readonly<Record<string, Argument>>,
  const O extends Readonly<Record<string, Option>>,
>(one: {
  readonly name: string;
  readonly about: string;
  readonly more?: string;
  readonly isInternal?: boolean;
  readonly isList?: boolean;
  readonly arguments?: A;
  readonly options?: O;
  run(context: Context, given: Given<A, O>): Promise<void>;
}): Command {
  const { arguments: given, options, run, ...rest } = one;
  return {
    ...rest,
    arguments: given ?? {},
    options: options ?? {},
    // The parser returns values of the declared types.
    run: async (context, values) => await run(context, values as Given<A, O>),
  };
}

/** Options of every command. */
export const commonOptions = {
  profile: {
    value: 'name',
    about: 'The profile to use. Default: LEDGER_OPS_PROFILE, then the selected one.',
  },
  json: {
    about: 'Prints JSON. --json=actionId,pending.code prints only these members.',
  },
} as const;

/** Options of every command that prints a table. */
export const listOptions = {
  csv: { about: 'Prints CSV with a header line, and times in UTC.' },
} as const;

/** Returns the options that a command has in addition to those that it declares. */
export const sharedOptions = ({ isList = false }: Pick<Command, 'isList'>): Command['options'] => ({
  ...(isList && listOptions),
  ...commonOptions,
});

/** Returns the name of an option on the command line: `passwordFile` becomes `password-file`. */
export const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

import type { LedgerClient } from '@ledger-ops/client';
import type { Output } from './output.ts';
import type { Profile } from './profiles.ts';
import type { Terminal } from './terminal.ts';

/** An argument by its position: one text, none or one, or all that are left. */
export interface Argument {
  readonly about: string;
  readonly form?: 'optional' | 'rest';
  readonly values?: readonly string[];
}

/** An option: a text, several of them, or whether it stands there. */
export interface Option {
  readonly about: string;
  /** Name of the value; absent: it has none. */
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

/** Of a command line, by the names of arguments and options. */
export type Given<A, O> = { readonly [N in keyof A]: A[N] extends Argument ? ArgumentValue<A[N]> : never } & {
  readonly [N in keyof O]: O[N] extends Option ? OptionValue<O[N]> : never;
};

/** Everything that commands work with. */
export interface Context {
  readonly terminal: Terminal;
  readonly output: Output;
  /** Of whoever is signed in. @throws CliError */
  client(): Promise<LedgerClient>;
  /** @throws CliError where nobody is signed in */
  profile(): Promise<Profile>;
  /** All that there are. */
  readonly commands: readonly Command[];
  /** Name of the chosen profile, whether it exists or not. */
  profileName(): Promise<string>;
}

/** A command, with its words apart by blanks: `wallet list`. */
export interface Command {
  readonly name: string;
  readonly about: string;
  readonly more?: string;
  readonly arguments: Readonly<Record<string, Argument>>;
  readonly options: Readonly<Record<string, Option>>;
  /** @throws CliError, and what the client throws */
  run(context: Context, given: Readonly<Record<string, unknown>>): Promise<void>;
}

export function command<
  const A extends Readonly<Record<string, Argument>>,
  const O extends Readonly<Record<string, Option>>,
>(one: {
  readonly name: string;
  readonly about: string;
  readonly more?: string;
  readonly arguments?: A;
  readonly options?: O;
  run(context: Context, given: Given<A, O>): Promise<void>;
}): Command {
  const { arguments: given, options, run, ...rest } = one;
  return {
    ...rest,
    arguments: given ?? {},
    options: options ?? {},
    // The parser makes of a command line what its description says.
    run: async (context, values) => await run(context, values as Given<A, O>),
  };
}

/** Options of every command. */
export const commonOptions = {
  profile: {
    value: 'name',
    about: 'The profile to use; else LEDGER_OPS_PROFILE, else the one that was chosen.',
  },
  json: { about: 'Answers in JSON.' },
} as const;

/** An option as it is typed. */
export const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

import type { ServerConfig } from '../settings/config.ts';

/** Found wanting what was looked at: told apart from a command that failed. */
export const found = 3;

/** Answer of a command. */
export interface Report {
  /** 0, or `found`. */
  readonly code: number;
  /** For people. */
  readonly lines: readonly string[];
  /** For programs: the same as JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Arguments, options, and where settings come from. */
export interface CommandInput {
  /** By the names of its `arguments`. */
  readonly given: Readonly<Record<string, string>>;
  /** By the names of its `options`: a text, or whether the option stands there. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Reads the settings. @throws ConfigError */
  config(): ServerConfig;
  /** Tells how far a long command has come. */
  progress(line: string): void;
}

/** An option of a command. */
export interface CommandOption {
  readonly type: 'boolean' | 'string';
  readonly about: string;
  /** Of a text: the texts that it may be. */
  readonly values?: readonly string[];
}

/** A command beside serving. */
export interface Command {
  /** One line. */
  readonly about: string;
  /** More for `--help`. */
  readonly more: string;
  /** Names of arguments by position, all needed, with what each is. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** @throws ConfigError, CommandError, StoreError */
  run(input: CommandInput): Promise<Report>;
}

/** A command cannot do what it is asked; its message says why, and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

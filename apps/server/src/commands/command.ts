import type { ServerConfig } from '../settings/config.ts';

/** Exit code of a command that completed and found problems. */
export const found = 3;

/** Result of a command. */
export interface Report {
  /** 0, or `found`. */
  readonly code: number;
  /** Lines that are printed for users. */
  readonly lines: readonly string[];
  /** The content of `lines` as JSON, for programs. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Arguments and options of a command, and access to the settings. */
export interface CommandInput {
  /** Arguments by name. */
  readonly given: Readonly<Record<string, string>>;
  /** Options by name: the value, or whether a flag is present. */
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** Reads the settings. @throws ConfigError */
  config(): ServerConfig;
  /** Reports the progress of a long command. */
  progress(line: string): void;
}

export interface CommandOption {
  readonly type: 'boolean' | 'string';
  readonly about: string;
  /** Allowed values of an option. */
  readonly values?: readonly string[];
}

/** A command other than running the server. */
export interface Command {
  /** One-line description. */
  readonly about: string;
  /** Additional text for `--help`. */
  readonly more: string;
  /** Descriptions of the arguments by name, in order; all are required. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** @throws ConfigError, CommandError, StoreError */
  run(input: CommandInput): Promise<Report>;
}

/** A command failed; the message states the reason and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

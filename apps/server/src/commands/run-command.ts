import { parseArgs } from 'node:util';
import { SealError } from '@ledger-ops/base';
import { StoreError } from '@ledger-ops/store';
import { readConfig } from '../settings/config.ts';
import { ConfigError } from '../settings/config-error.ts';
import { misspelledText } from '../settings/misspelled.ts';
import { version } from '../version.ts';
import { type Command, CommandError, type Report } from './command.ts';
import { commandHelp, help, serveHelp } from './help.ts';
import { commands } from './table.ts';

/** Output streams and environment of a command. */
export interface CommandProcess {
  readonly environment: Record<string, string | undefined>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Runs a command line: a command from the table, `help` or `--version`. Returns the exit code.
 *
 * @throws ConfigError if the command line is invalid
 */
export async function runCommand(args: readonly string[], process: CommandProcess): Promise<number> {
  const [name = '', ...rest] = args;
  if (name === '--version') return told(process, `${version}\n`);
  if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    return told(process, help(commands));
  }
  const asked = name === 'help' ? (rest[0] ?? '') : name;
  const command = commandOf(asked);
  if (asked === 'serve') {
    if (name === 'help' || rest.some((one) => one === '--help' || one === '-h'))
      return told(process, serveHelp);
    throw new ConfigError('serve takes no arguments, only settings. Run serve --help for details.');
  }
  if (command === undefined) {
    throw new ConfigError(
      `There is no command ${asked}. Commands are serve, ${Object.keys(commands).join(', ')}. Run --help for details.`,
    );
  }
  const line = parse(asked, command, name === 'help' ? ['--help'] : rest);
  if (line.values.help === true) return told(process, commandHelp(asked, command));
  return await execute(command, line, process);
}

function commandOf(name: string): Command | undefined {
  return Object.entries(commands).find(([known]) => known === name)?.[1];
}

interface CommandLine {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly given: Readonly<Record<string, string>>;
}

function parse(name: string, command: Command, args: readonly string[]): CommandLine {
  const names = Object.keys(command.arguments);
  const wrong = (why: string) => new ConfigError(`${why} Run ${name} --help for details.`);
  const options = Object.fromEntries(
    Object.entries(command.options).map(([option, { type }]) => [option, { type }]),
  );
  const { values, positionals } = (() => {
    try {
      return parseArgs({
        args: [...args],
        options: { ...options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
        allowPositionals: true,
      });
    } catch (error) {
      throw wrong(error instanceof Error ? error.message : 'The arguments are invalid.');
    }
  })();
  if (values.help !== true && positionals.length !== names.length) {
    throw wrong(`${name} takes ${names.length === 0 ? 'no arguments' : names.join(' ')}.`);
  }
  for (const [option, { values: allowed }] of Object.entries(command.options)) {
    const value = Object.entries(values).find(([name]) => name === option)?.[1];
    if (allowed === undefined || typeof value !== 'string' || allowed.includes(value)) continue;
    throw wrong(`--${option} must be ${allowed.join(' or ')}.`);
  }
  return {
    values,
    given: Object.fromEntries(names.map((argument, position) => [argument, positionals[position] ?? ''])),
  };
}

async function execute(command: Command, { values, given }: CommandLine, process: CommandProcess) {
  const isJson = values.json === true;
  const tell = ({ code, lines, data }: Report) => {
    process.out(
      isJson ? `${JSON.stringify(data, undefined, 2)}\n` : lines.map((line) => `${line}\n`).join(''),
    );
    return code;
  };
  try {
    const report = await command.run({
      given,
      options: values,
      config() {
        const config = readConfig(process.environment);
        if (config.misspelled.length > 0) process.err(`Warning: ${misspelledText(config.misspelled)}\n`);
        return config;
      },
      progress: (line) => process.err(`${line}\n`),
    });
    return tell(report);
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === undefined || !(error instanceof Error)) throw error;
    process.err(`${error.message}\n`);
    if (isJson) tell({ code, lines: [], data: { error: error.message } });
    return code;
  }
}

/** Returns the exit code of an expected failure; undefined for an internal error. */
function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof ConfigError) return 2;
  const isSaid = error instanceof CommandError || error instanceof StoreError || error instanceof SealError;
  return isSaid ? 1 : undefined;
}

function told({ out }: CommandProcess, text: string): number {
  out(text);
  return 0;
}

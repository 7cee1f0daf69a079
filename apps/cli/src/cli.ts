import { readFileSync } from 'node:fs';
import type { LedgerClient } from '@ledger-ops/client';
import {
  CommanderError,
  Command as Parser,
  Argument as ParserArgument,
  Option as ParserOption,
} from 'commander';
import { z } from 'zod';
import { clientOf } from './client-of.ts';
import { type Command, type Context, commonOptions, kebab } from './command.ts';
import { groups } from './commands/groups.ts';
import { commands } from './commands/index.ts';
import { CliError, exitCodes, tellFailure } from './errors.ts';
import { createOutput, printable } from './output.ts';
import { profileOf, profileOfEnvironment, readProfiles } from './profiles.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command line, and answers how it ended. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  let help = 'ledger-ops --help';
  const parser = createParser(terminal, async (command, given, { profile, json }) => {
    help = `ledger-ops ${command.name} --help`;
    await command.run(createContext(readingOnce(terminal), profile, json), given);
  });
  const tellProgram = (failure: Readonly<Record<string, unknown>>) => {
    if (args.includes('--json')) terminal.out(`${JSON.stringify(failure)}\n`);
  };
  try {
    await parser.parseAsync([...args], { from: 'user' });
    return exitCodes.done.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done.code;
      // It has told people already.
      tellProgram({ error: error.message.replace(/^error: /, ''), next: help });
      return exitCodes.usage.code;
    }
    const told = tellFailure(error);
    if (told === undefined) throw error;
    const { end, lines, next = help, data } = told;
    for (const line of lines) terminal.err(`${printable(line)}\n`);
    terminal.err(`Next: ${printable(next)}\n`);
    tellProgram({ error: lines[0] ?? '', next, ...data });
    return exitCodes[end].code;
  }
}

/** The second option that names standard input would find nothing there, and take that for a secret. */
function readingOnce(terminal: Terminal): Terminal {
  let isRead = false;
  return {
    ...terminal,
    async input() {
      if (isRead) throw new CliError('usage', 'Several options name standard input (-): one can.');
      isRead = true;
      return await terminal.input();
    },
  };
}

type Run = (
  command: Command,
  given: Record<string, unknown>,
  common: { profile: string | undefined; json: boolean },
) => Promise<void>;

/** The tree of commands. */
function createParser(terminal: Pick<Terminal, 'out' | 'err'>, run: Run): Parser {
  const root = new Parser('ledger-ops')
    .description('The command line of Ledger Operations.')
    .version(version(), '--version', 'tells the version');
  const nodes = new Map<string, Parser>([['', root]]);
  for (const command of commands) {
    const words = command.name.split(' ');
    const name = words.pop() ?? '';
    const parent = nodeOf(nodes, words);
    const node = parent.command(name).description(command.about);
    if (command.more !== undefined) node.addHelpText('after', `\n${command.more}`);
    describe(node, command);
    nodes.set(command.name, node);
    node.action(async (...values: unknown[]) => await run(command, ...readValues(command, node, values)));
  }
  const codes = Object.values(exitCodes).map(({ code, about }) => `  ${code}  ${about}`);
  root.addHelpText('after', `\nExit codes:\n${codes.join('\n')}`);
  for (const [name, node] of nodes) {
    node
      .exitOverride()
      .showHelpAfterError(`(${['ledger-ops', ...(name === '' ? [] : [name])].join(' ')} --help tells more)`)
      .configureOutput({
        writeOut: (text) => terminal.out(text),
        writeErr: (text) => terminal.err(text),
        outputError: (text, write) => write(`${text}${misplaced(node, text)}`),
      });
  }
  return root;
}

/** More of an error, where an option is what is wrong. */
function misplaced(node: Parser, error: string): string {
  const common = Object.keys(commonOptions).find((name) => error.includes(`'--${kebab(name)}'`));
  if (common !== undefined && node.commands.length > 0)
    return `(--${kebab(common)} stands behind the command)\n`;
  // Of an option that is missing the parser says nothing but that, whatever was typed in its place.
  const known = node.options.map(({ long }) => long);
  const typed = node.args.map((one) => one.split('=')[0]).find((one) => one?.startsWith('--'));
  const isTypo = error.includes('required option') && typed !== undefined && !known.includes(typed);
  return isTypo ? `(${typed} is none of its options)\n` : '';
}

function nodeOf(nodes: Map<string, Parser>, words: readonly string[]): Parser {
  const key = words.join(' ');
  const known = nodes.get(key);
  if (known !== undefined) return known;
  const about = Object.entries(groups).find(([name]) => name === key)?.[1] ?? '';
  const made = nodeOf(nodes, words.slice(0, -1))
    .command(words.at(-1) ?? '')
    .description(about);
  nodes.set(key, made);
  return made;
}

function describe(node: Parser, { arguments: given, options }: Command): void {
  for (const [name, { about, form, values }] of Object.entries(given)) {
    const words = form === 'rest' ? `[${name}...]` : form === 'optional' ? `[${name}]` : `<${name}>`;
    const argument = new ParserArgument(words, about);
    if (values !== undefined) argument.choices([...values]);
    node.addArgument(argument);
  }
  for (const [name, { about, value, form, values }] of Object.entries({
    ...options,
    ...commonOptions,
  } as Command['options'])) {
    const flags = `--${kebab(name)}${value === undefined ? '' : ` <${value}>`}`;
    const option = new ParserOption(flags, about);
    if (values !== undefined) option.choices([...values]);
    if (form === 'list')
      option.argParser<string[]>((text, former = []) => [...former, text]).default([], 'none');
    if (form === 'required') option.makeOptionMandatory();
    node.addOption(option);
  }
}

function readValues(
  command: Command,
  node: Parser,
  values: readonly unknown[],
): [Record<string, unknown>, Parameters<Run>[2]] {
  const { profile, json, ...options } = node.opts<{ profile?: string; json?: boolean }>();
  const flags = Object.entries(command.options).filter(([, { value }]) => value === undefined);
  const given = {
    ...Object.fromEntries(Object.keys(command.arguments).map((name, index) => [name, values[index]])),
    ...Object.fromEntries(flags.map(([name]) => [name, false])),
    ...options,
  };
  return [given, { profile, json: json === true }];
}

function version(): string {
  const about: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return z.object({ version: z.string() }).parse(about).version;
}

function createContext(terminal: Terminal, chosen: string | undefined, json: boolean): Context {
  const { environment } = terminal;
  let client: LedgerClient | undefined;
  const profileName = async () =>
    chosen ?? (environment.LEDGER_OPS_PROFILE || (await readProfiles(environment)).current);
  const profile = async () => {
    const given = chosen === undefined ? profileOfEnvironment(environment) : undefined;
    if (given !== undefined) return given;
    const name = await profileName();
    const known = profileOf(await readProfiles(environment), name);
    if (known !== undefined) return known;
    throw new CliError('signIn', `There is no profile ${name}.`, `ledger-ops login --profile ${name}`);
  };
  return {
    ...{ terminal, commands, profile, profileName, output: createOutput(terminal, json) },
    async client() {
      client ??= clientOf(await profile(), await profileName(), terminal);
      return client;
    },
  };
}

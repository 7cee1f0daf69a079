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
import { type Command, type Context, kebab, sharedOptions } from './command.ts';
import { groups, topics } from './commands/groups.ts';
import { commands } from './commands/index.ts';
import { arrange, fieldsOf } from './common-arguments.ts';
import { CliError, describeFailure, exitCodes } from './errors.ts';
import { listCommandOf } from './list-command.ts';
import { withOptionNames } from './option-names.ts';
import { createOutput, printable } from './output.ts';
import { profileOf, profileOfEnvironment, readProfiles } from './profiles.ts';
import type { Terminal } from './terminal.ts';

/** Runs a command line and returns its exit code. */
export async function runCli(given: readonly string[], terminal: Terminal): Promise<number> {
  const { args, isJson } = arrange(given.length === 0 ? ['--help'] : given);
  let help = 'ledger-ops --help';
  let running: Command | undefined;
  const parser = createParser(terminal, async (command, values, common) => {
    help = `ledger-ops ${command.name} --help`;
    running = command;
    await command.run(createContext(readingOnce(terminal), common), values);
  });
  const printJson = (report: Readonly<Record<string, unknown>>) => {
    if (isJson) terminal.out(`${JSON.stringify(report)}\n`);
  };
  try {
    await parser.parseAsync(withoutHelpOfUnknown(args, parser), { from: 'user' });
    return exitCodes.done.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done.code;
      // The parser has already printed the error as text; --json adds it as JSON.
      printJson({ error: error.message.replace(/^error: /, ''), next: help });
      return exitCodes.usage.code;
    }
    const failure = describeFailure(error, running && listCommandOf(running, commands));
    if (failure === undefined) throw error;
    const { lines, end, next = help, data } = running ? withOptionNames(failure, running) : failure;
    for (const line of lines) terminal.err(`${printable(line)}\n`);
    terminal.err(`Next: ${printable(next)}\n`);
    printJson({ error: lines[0] ?? '', next, ...data });
    return exitCodes[end].code;
  }
}

/**
 * Removes `--help` after an unknown command, so that the parser reports the command instead of showing the
 * general help.
 */
function withoutHelpOfUnknown(
  [first = '', ...others]: readonly string[],
  { commands: known }: Parser,
): string[] {
  const isKnown = first.startsWith('-') || first === 'help' || known.some((node) => node.name() === first);
  return [first, ...others.filter((word) => isKnown || (word !== '--help' && word !== '-h'))];
}

/** Rejects a second option that reads standard input: it would read nothing and use an empty secret. */
function readingOnce(terminal: Terminal): Terminal {
  let isRead = false;
  return {
    ...terminal,
    async input() {
      if (isRead) throw new CliError('usage', 'Only one option can read standard input (-).');
      isRead = true;
      return await terminal.input();
    },
  };
}

/** Values of the options that every command has. */
interface Common {
  readonly profile: string | undefined;
  readonly json: boolean;
  readonly csv: boolean;
  readonly jsonFields: string | undefined;
}

type Run = (command: Command, given: Record<string, unknown>, common: Common) => Promise<void>;

function inHelpOrder(): Command[] {
  const order = Object.values(topics).flat();
  const placeOf = ({ name }: Command) => order.indexOf(name.split(' ')[0] ?? '');
  return commands.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Builds the parser for the tree of commands. */
function createParser(terminal: Pick<Terminal, 'out' | 'err'>, run: Run): Parser {
  const root = new Parser('ledger-ops')
    .description('The command line of Ledger Operations.')
    .version(version(), '--version', 'Prints the version.');
  const nodes = new Map<string, Parser>([['', root]]);
  for (const command of inHelpOrder()) {
    const words = command.name.split(' ');
    const name = words.pop() ?? '';
    const parent = nodeOf(nodes, words);
    const node = parent.command(name, { hidden: command.isInternal === true }).description(command.about);
    if (parent === root) node.helpGroup(headingOf(name));
    if (command.more !== undefined) node.addHelpText('after', afterHelp(command.more));
    describe(node, command);
    nodes.set(command.name, node);
    node.action(async (...values: unknown[]) => await run(command, ...readValues(command, node, values)));
  }
  const codes = Object.values(exitCodes).map(({ code, about }) => `  ${code}  ${about}`);
  root
    .configureHelp({ subcommandTerm: (node) => node.name() })
    .helpOption('-h, --help', 'Shows the help of a command.')
    .addHelpCommand(
      new Parser('help')
        .argument('[command]')
        .description('Shows the help of a command.')
        .helpGroup('Shell:'),
    );
  root.addHelpText('after', `\nExit codes:\n${codes.join('\n')}`);
  for (const [name, node] of nodes) {
    if (node !== root) {
      node.helpOption('-h, --help', 'Shows this help.');
      if (node.commands.length > 0) node.helpCommand('help [command]', 'Shows the help of a command.');
    }
    node
      .exitOverride()
      .showHelpAfterError(`(For details: ${['ledger-ops', ...(name === '' ? [] : [name])].join(' ')} --help)`)
      .configureOutput({
        writeOut: (text) => terminal.out(text),
        writeErr: (text) => terminal.err(text),
        outputError: (text, write) => write(`${text}${misspelled(node, text)}${unquoted(node, text)}`),
      });
  }
  return root;
}

/**
 * Returns the text after the options of a command. If its first lines are command lines, they get the heading of
 * examples.
 */
function afterHelp(more: string): string {
  const lines = more.split('\n');
  const count = lines.findIndex((line) => !line.startsWith('ledger-ops '));
  const examples = lines.slice(0, count === -1 ? lines.length : count);
  const others = lines.slice(examples.length);
  return [
    ...(examples.length === 0 ? [] : ['\nExamples:', ...examples.map((line) => `  ${line}`)]),
    ...(others.length === 0 ? [] : [`\n${others.join('\n')}`]),
  ].join('\n');
}

/** Returns a hint for a misspelled option; empty for other errors. */
function misspelled(node: Parser, error: string): string {
  // For a misspelled required option, the parser only reports that the option is missing.
  const known = node.options.map(({ long }) => long);
  const typed = node.args.map((one) => one.split('=')[0]).find((one) => one?.startsWith('--'));
  const isTypo = error.includes('required option') && typed !== undefined && !known.includes(typed);
  return isTypo ? `(The command has no option ${typed}.)\n` : '';
}

/**
 * Returns a hint if an amount and its unit are two arguments (`0.05 ETH` without quotes); empty for other
 * errors.
 */
function unquoted({ args }: Parser, error: string): string {
  if (!error.includes('too many arguments')) return '';
  const place = args.findIndex(
    (word, index) => /^[\d.]+$/.test(word) && /^[A-Za-z]+$/.test(args[index + 1] ?? ''),
  );
  return place === -1 ? '' : `(Quote an amount with its unit: "${args[place]} ${args[place + 1]}")\n`;
}

function headingOf(word: string): string {
  return Object.entries(topics).find(([, words]) => words.includes(word))?.[0] ?? 'Commands:';
}

function nodeOf(nodes: Map<string, Parser>, words: readonly string[]): Parser {
  const key = words.join(' ');
  const known = nodes.get(key);
  if (known !== undefined) return known;
  const about = Object.entries(groups).find(([name]) => name === key)?.[1] ?? '';
  const made = nodeOf(nodes, words.slice(0, -1))
    .command(words.at(-1) ?? '')
    .description(about);
  if (words.length === 1) made.helpGroup(headingOf(key));
  nodes.set(key, made);
  return made;
}

/** Accepts the values of an option in lower and upper case. */
function inAnyCase({ parseArg }: ParserOption, values: readonly string[]) {
  return (text: string, former: unknown): unknown => {
    const value = values.find((one) => one.toLowerCase() === text.toLowerCase()) ?? text;
    return parseArg === undefined ? value : parseArg(value, former);
  };
}

function describe(node: Parser, command: Command): void {
  const { arguments: given, options } = command;
  for (const [name, { about, form, values }] of Object.entries(given)) {
    const words = form === 'rest' ? `[${name}...]` : form === 'optional' ? `[${name}]` : `<${name}>`;
    const argument = new ParserArgument(words, about);
    if (values !== undefined) argument.choices([...values]);
    node.addArgument(argument);
  }
  const shared = sharedOptions(command);
  for (const [name, { about, value, form, values }] of Object.entries({ ...options, ...shared })) {
    const flags = `--${kebab(name)}${value === undefined ? '' : ` <${value}>`}`;
    const option = new ParserOption(flags, about);
    if (values !== undefined) option.choices([...values]).argParser(inAnyCase(option, values));
    if (form === 'list') option.argParser<string[]>((text, former = []) => [...former, text]);
    if (form === 'required') option.makeOptionMandatory();
    if (Object.hasOwn(shared, name))
      option.helpGroup(`Options of every ${name === 'csv' ? 'list' : 'command'}:`);
    node.addOption(option);
  }
  node.addOption(new ParserOption('--json-fields <fields>').hideHelp());
}

function readValues(
  command: Command,
  node: Parser,
  values: readonly unknown[],
): [Record<string, unknown>, Parameters<Run>[2]] {
  const { profile, json, csv, jsonFields, ...options } = node.opts<Partial<Common>>();
  const flags = Object.entries(command.options).filter(([, { value }]) => value === undefined);
  const lists = Object.entries(command.options).filter(([, { form }]) => form === 'list');
  const given = {
    ...Object.fromEntries(Object.keys(command.arguments).map((name, index) => [name, values[index]])),
    ...Object.fromEntries(flags.map(([name]) => [name, false])),
    ...Object.fromEntries(lists.map(([name]) => [name, []])),
    ...options,
  };
  return [given, { profile, json: json === true, csv: csv === true, jsonFields }];
}

function version(): string {
  const about: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return z.object({ version: z.string() }).parse(about).version;
}

function createContext(terminal: Terminal, { profile: chosen, json, csv, jsonFields }: Common): Context {
  const { environment } = terminal;
  const fields = jsonFields === undefined ? [] : fieldsOf(jsonFields);
  if (fields === undefined)
    throw new CliError(
      'usage',
      `--json=${jsonFields} must be members separated by commas, such as --json=actionId,status.`,
    );
  if (json && csv) throw new CliError('usage', '--csv cannot be combined with --json.');
  let client: LedgerClient | undefined;
  const profileName = async () =>
    chosen ?? (environment.LEDGER_OPS_PROFILE || (await readProfiles(environment)).current);
  const profile = async () => {
    const given = chosen === undefined ? profileOfEnvironment(environment) : undefined;
    if (given !== undefined) return given;
    const name = await profileName();
    const stored = await readProfiles(environment);
    const known = profileOf(stored, name);
    if (known !== undefined) return known;
    if (Object.keys(stored.profiles).length === 0 && name === stored.current)
      throw new CliError(
        'signIn',
        'You are not signed in.',
        'ledger-ops login --file <file>, or ledger-ops login --url <url> --client-id <application>',
      );
    throw new CliError('signIn', `There is no profile ${name}.`, `ledger-ops login --profile ${name}`);
  };
  return {
    ...{
      terminal,
      commands,
      profile,
      profileName,
      output: createOutput(terminal, { isJson: json, isCsv: csv, fields }),
    },
    async client() {
      client ??= clientOf(await profile(), await profileName(), terminal);
      return client;
    },
  };
}

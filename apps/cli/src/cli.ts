import type { LedgerClient } from '@ledger-ops/client';
import { CommanderError, Command as Parser, Option as ParserOption } from 'commander';
import { clientOf } from './client-of.ts';
import type { Command, Context } from './command.ts';
import { commands, groups } from './commands/index.ts';
import { CliError, exitCodes, tellFailure } from './errors.ts';
import { createOutput } from './output.ts';
import { profileOfEnvironment, readProfiles } from './profiles.ts';
import type { Terminal } from './terminal.ts';

/** Options of every command. */
export const commonOptions = {
  profile: {
    value: 'name',
    about: 'The profile to use; else LEDGER_OPS_PROFILE, else the one that was chosen.',
  },
  json: { about: 'Answers in JSON.' },
} as const;

/** Runs a command line, and answers how it ended. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  const parser = createParser(terminal, async (command, given, { profile, json }) => {
    await command.run(createContext(terminal, profile, json), given);
  });
  const isJson = args.includes('--json');
  try {
    await parser.parseAsync([...args], { from: 'user' });
    return exitCodes.done.code;
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.done.code : exitCodes.usage.code;
    const told = tellFailure(error);
    if (told === undefined) throw error;
    for (const line of told.lines) terminal.err(`${line}\n`);
    if (told.next !== undefined) terminal.err(`Next: ${told.next}\n`);
    if (isJson) terminal.out(`${JSON.stringify({ error: told.lines[0], next: told.next ?? null })}\n`);
    return exitCodes[told.end].code;
  }
}

type Run = (
  command: Command,
  given: Record<string, unknown>,
  common: { profile: string | undefined; json: boolean },
) => Promise<void>;

/** The tree of commands. */
function createParser(terminal: Pick<Terminal, 'out' | 'err'>, run: Run): Parser {
  const root = new Parser('ledger-ops').description('The command line of Ledger Operations.');
  const nodes = new Map<string, Parser>([['', root]]);
  for (const command of commands) {
    const words = command.name.split(' ');
    const name = words.pop() ?? '';
    const parent = nodeOf(nodes, words);
    const node = parent.command(name).description(command.about);
    if (command.more !== undefined) node.addHelpText('after', `\n${command.more}`);
    describe(node, command);
    node.action(async (...values: unknown[]) => await run(command, ...readValues(command, node, values)));
  }
  const codes = Object.values(exitCodes).map(({ code, about }) => `  ${code}  ${about}`);
  root.addHelpText('after', `\nExit codes:\n${codes.join('\n')}`);
  for (const node of [root, ...everyNode(root)]) {
    node
      .exitOverride()
      .showHelpAfterError(`(${node.name()} --help tells more)`)
      .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) });
  }
  return root;
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
  for (const [name, { about, form }] of Object.entries(given)) {
    node.argument(form === 'rest' ? `[${name}...]` : form === 'optional' ? `[${name}]` : `<${name}>`, about);
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

function everyNode(node: Parser): Parser[] {
  return node.commands.flatMap((one) => [one, ...everyNode(one)]);
}

export const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function createContext(terminal: Terminal, chosen: string | undefined, json: boolean): Context {
  const { environment } = terminal;
  let client: LedgerClient | undefined;
  const profileName = async () =>
    chosen ?? (environment.LEDGER_OPS_PROFILE || (await readProfiles(environment)).current);
  const profile = async () => {
    const given = chosen === undefined ? profileOfEnvironment(environment) : undefined;
    if (given !== undefined) return given;
    const name = await profileName();
    const known = (await readProfiles(environment)).profiles[name];
    if (known !== undefined) return known;
    throw new CliError('signIn', `There is no profile ${name}.`, `ledger-ops login --profile ${name}`);
  };
  return {
    ...{ terminal, profile, profileName, output: createOutput(terminal, json) },
    async client() {
      client ??= clientOf(await profile());
      return client;
    },
  };
}

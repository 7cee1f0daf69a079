import type { Command, CommandOption } from './command.ts';

/** Returns the list of commands for `--help`. */
export function help(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries({
    serve: 'Starts the server, which runs until it receives a signal. This is the default command.',
    ...Object.fromEntries(Object.entries(commands).map(([name, { about }]) => [name, about])),
  });
  return `Usage: ledger-ops [command]

${table(rows)}

Every command reads the settings of the server, from the environment and the files that it names; secrets are never arguments.
Run \`ledger-ops help <command>\` for details. With \`--json\`, the result is JSON on standard output; progress and errors are
written to standard error.

Exit codes:
  0  success
  1  failed: the last line states the reason
  2  the command line or the settings are wrong
  3  success, but the check found a problem (migrate --check, verify, doctor)
`;
}

/** Help for `serve`, which has no arguments. */
export const serveHelp = `Usage: ledger-ops serve

Starts the server, which runs until it receives SIGINT or SIGTERM.

It has no options: its settings come from the environment, from the file that CONFIG_FILE names, and from ledger-ops.json in the
current folder. To create a folder with settings and a master key: ledger-ops init <folder>
To check the settings: ledger-ops doctor
`;

/** Returns the text of `<command> --help`. */
export function commandHelp(name: string, command: Command): string {
  const given = Object.entries(command.arguments);
  const options = Object.entries<CommandOption>({
    ...command.options,
    json: { type: 'boolean', about: 'Print JSON.' },
  });
  const rows = [
    ...given.map(([argument, about]): [string, string] => [`<${argument}>`, about]),
    ...options.map(([option, { values, about }]): [string, string] => [
      `--${option}${values === undefined ? '' : ` ${values.join('|')}`}`,
      about,
    ]),
  ];
  return `Usage: ledger-ops ${[name, ...given.map(([argument]) => `<${argument}>`), '[options]'].join(' ')}

${command.about}

${command.more}

${table(rows)}
`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join('\n');
}

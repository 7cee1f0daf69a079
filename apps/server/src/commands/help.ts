import type { Command, CommandOption } from './command.ts';

/** The commands as `--help` shows them. */
export function help(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries({
    serve: 'Serves, until a signal. The same without a command.',
    ...Object.fromEntries(Object.entries(commands).map(([name, { about }]) => [name, about])),
  });
  return `Usage: ledger-ops [command]

${table(rows)}

Every command reads the settings of the server, from the environment and the files that it names; no argument is a secret.
\`ledger-ops help <command>\` tells more of one. \`--json\` has it answer in JSON, on standard output; how far it has come and
why it failed stand on standard error.

Exit codes:
  0  done, all is well
  1  failed: the last line says why
  2  the command line or the settings are wrong
  3  done, and what was looked at is not as it should be (migrate --check, verify, doctor)
`;
}

/** One command. */
export function commandHelp(name: string, command: Command): string {
  const given = Object.entries(command.arguments);
  const options = Object.entries<CommandOption>({
    ...command.options,
    json: { type: 'boolean', about: 'Answer in JSON.' },
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

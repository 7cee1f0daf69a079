import { type Command, commonOptions, kebab, listOptions } from '../src/command.ts';
import { commands } from '../src/commands/index.ts';
import { exitCodes } from '../src/errors.ts';

/** Returns the exit codes, the common options and every command in Markdown, which docs/cli.md includes. */
export function commandReference(): string {
  const codes = Object.values(exitCodes).map(({ code, about }) => `| ${code} | ${about} |`);
  const common = Object.entries(commonOptions).map(([name, option]) => optionRow(name, option));
  return `| Exit code | When |
| --- | --- |
${codes.join('\n')}

Options of every command:

| Option | What it does |
| --- | --- |
${common.join('\n')}

Option of every list:

| Option | What it does |
| --- | --- |
${Object.entries(listOptions)
  .map(([name, option]) => optionRow(name, option))
  .join('\n')}

## Commands

${commands
  .filter(({ isInternal }) => !isInternal)
  .map(section)
  .join('\n')}`;
}

function section({ name, about, more, arguments: given, options }: Command): string {
  const words = Object.entries(given).map(([word, { form }]) =>
    form === 'rest' ? `[${word}…]` : form === 'optional' ? `[${word}]` : `<${word}>`,
  );
  const rows = [
    ...Object.entries(given).map(([word, argument]) => `| \`${word}\` | ${argument.about} |`),
    ...Object.entries(options).map(([option, described]) => optionRow(option, described)),
  ];
  return [
    `### ${name}\n`,
    `${escaped(about)}\n`,
    `\`\`\`sh\nledger-ops ${[name, ...words].join(' ')}\n\`\`\`\n`,
    ...(more === undefined ? [] : [`${escaped(more)}\n`]),
    ...(rows.length === 0
      ? []
      : [`| Argument or option | What it is |\n| --- | --- |\n${rows.join('\n')}\n`]),
  ].join('\n');
}

function optionRow(name: string, { value, form, values, about }: Command['options'][string]): string {
  const text = value === undefined ? '' : ` <${(values ?? [value]).join(', ')}>`;
  return `| \`--${kebab(name)}${text}\` | ${about}${form === 'required' ? ' Required.' : ''} |`;
}

/** Escapes placeholders such as `<wallet>`, which Markdown would read as HTML elements. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;');
}

import { type Command, commonOptions, kebab } from '../src/command.ts';
import { commands } from '../src/commands/index.ts';
import { exitCodes } from '../src/errors.ts';
import { profileVariables } from '../src/profiles.ts';

/** docs/cli.md, made of the commands. */
export function cliPage(): string {
  const codes = Object.values(exitCodes).map(({ code, about }) => `| ${code} | ${about} |`);
  const common = Object.entries(commonOptions).map(([name, option]) => optionRow(name, option));
  return `# The command line

\`ledger-ops\` does over HTTP what a person or a script does with the service, and runs the server. This page is made of the
commands: \`pnpm --filter @ledger-ops/cli generate\`.

\`\`\`sh
npm install --global @ledger-ops/cli   # Node 24
\`\`\`

In a clone of the repository: \`npx pnpm run build\`, then \`node apps/cli/dist/main.js\` in the place of \`ledger-ops\`.

## A first transfer

On ledgers of this machine, which need no funds. This goes on until it is ended by Ctrl-C:

\`\`\`sh
ledger-ops dev
\`\`\`

In another terminal, in the same folder, as soon as it says so:

\`\`\`sh
ledger-ops login --file data/dev.json
node -p 'JSON.parse(require("fs").readFileSync("data/dev.json", "utf8")).wallets[0].walletPassword' > alice.password
ledger-ops wallet create zoe --ledger dev-ethereum --new-password-file zoe.password
ledger-ops send zoe 1000000000000000000 --from alice --password-file alice.password
ledger-ops wallet show zoe
\`\`\`

## A deployment of one's own

Settings and a master key in a folder for its owner alone, and the server, which goes on until Ctrl-C. Nodes on this machine or in a
private network are reached where the deployer opens them: \`OUTBOUND_OPEN=127.0.0.1 ledger-ops serve\`.

\`\`\`sh
ledger-ops init till
cd till
ledger-ops serve
\`\`\`

In another terminal, with a node's address in \`NODE_URL\` and the id of its chain in \`CHAIN_ID\`:

\`\`\`sh
cd till
ledger-ops login --file data/administrator.json
ledger-ops ledger add main --technology ethereum --node "$NODE_URL" --set chain_id="$CHAIN_ID"
ledger-ops wallet create alice --ledger main --new-password-file alice.password
ledger-ops wallet create bob --ledger main --new-password-file bob.password
ledger-ops wallet show alice
\`\`\`

Alice's address needs some of the chain's currency, from whoever has it. Then:

\`\`\`sh
ledger-ops send bob 1000 --from alice --password-file alice.password
\`\`\`

## Who one is

\`login\` keeps credentials as a profile in \`$XDG_CONFIG_HOME/ledger-ops/profiles.json\` (\`~/.config\` where that is absent), for its owner
alone. On machines ${Object.values(profileVariables)
    .map((variable) => `\`${variable}\``)
    .join(', ')} together are a profile.

A person signs in by the browser of the same machine: \`ledger-ops app create desk --project till --redirect-uri
http://127.0.0.1/callback\` makes an application for that, and \`ledger-ops login --url https://ledger.example --client-id desk\`
opens the page. \`--no-browser\` prints its address. The person's roles decide, and the application's limit them.

No secret is an argument, since every process of a machine can read those. Each comes from a file that an option names (\`-\` is
standard input), else from a variable, else a person is asked on a terminal.

## Answers

Tables and sentences on standard output; with \`--json\` JSON, and of \`action watch\` a line of JSON for each event. How far something
has come, that events are watched from now on, and why something failed stand on standard error, with the next command to try.

| Exit code | When |
| --- | --- |
${codes.join('\n')}

Options of every command:

| Option | What it does |
| --- | --- |
${common.join('\n')}

## Commands

${commands.map(section).join('\n')}`;
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
  return `| \`--${kebab(name)}${text}\` | ${about}${form === 'required' ? ' Needed.' : ''} |`;
}

/** Placeholders are no elements. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;');
}

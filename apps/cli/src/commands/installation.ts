import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, command, kebab } from '../command.ts';
import { CliError, whyNot } from '../errors.ts';

/** Settings file of a deployment; a server started in its folder uses it. */
export const settingsFile = 'ledger-ops.json';

/** @throws CliError if the folder is not empty */
async function makeEmptyFolder(folder: string): Promise<void> {
  const names = await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => readdir(folder))
    .catch((error: NodeJS.ErrnoException) => {
      throw new CliError('usage', `${folder} cannot be created: ${whyNot(error)}.`);
    });
  if (names.length > 0)
    throw new CliError('usage', `${folder} is not empty.`, 'name a folder that does not exist yet');
  await chmod(folder, 0o700);
}

/** Commands that the server's executable runs. It parses their arguments itself. */
export const operatorCommands = {
  serve: 'Starts the server; SIGINT or SIGTERM stops it.',
  migrate: 'Updates the database’s schema to this version, and reports the changes.',
  move: 'Moves the SQLite database of DATA_DIR to the PostgreSQL database of DATABASE_URL.',
  backup: 'Copies the SQLite database into a new folder. The server may be running.',
  restore: 'Restores a backup into DATA_DIR, which must be empty.',
  'end-pending':
    'Fails the unsigned pending actions of a database that you restored with database tools, such as pg_restore. Otherwise, they could be executed twice.',
  adopt: 'Records whether the database was moved, copied or restored, so that servers accept writes again.',
  verify:
    'Checks that the database is consistent and matches the ledgers: every finished action, and every account on a chain.',
  doctor: 'Checks everything that a server needs, and reports how to fix each problem.',
} as const;

export const installation = [
  command({
    name: 'init',
    about: 'Creates the folder of a deployment, with settings and a master key.',
    more: `Only you can read the folder. Keep a copy of master.key elsewhere: without it the database is useless. Next, in the
folder: ledger-ops serve, and from anywhere: ledger-ops login --file <folder>/data/administrator.json`,
    arguments: { folder: { about: 'A new or empty folder.' } },
    options: {
      port: { value: 'port', about: 'Port to listen on. Default: 3000.' },
      baseUrl: {
        value: 'url',
        about: 'Public URL of the service, if it is behind a proxy with TLS.',
      },
    },
    async run({ output }, { folder, port = '3000', baseUrl }) {
      if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
        throw new CliError('usage', '--port must be a number up to 65535.');
      if (baseUrl !== undefined && !/^https?:[/][/]/.test(baseUrl))
        throw new CliError(
          'usage',
          `--base-url must begin with https:// or http://, such as https://${baseUrl}.`,
        );
      const path = resolve(folder);
      await makeEmptyFolder(path);
      const settings = {
        ...{ HOST: '127.0.0.1', PORT: Number(port), DATA_DIR: 'data', MASTER_KEY_FILE: 'master.key' },
        ...(baseUrl !== undefined && { BASE_URL: baseUrl }),
      };
      const write = async (name: string, text: string) =>
        await writeFile(join(path, name), text, { mode: 0o600, flag: 'wx' });
      await write('master.key', `${randomBytes(32).toString('base64')}\n`);
      await write(settingsFile, `${JSON.stringify(settings, undefined, 2)}\n`);
      await write('.gitignore', 'master.key\ndata/\n');
      output.said(
        `${path}: ${settingsFile}, master.key (keep a copy elsewhere). Next: ${path === process.cwd() ? '' : `cd ${folder} && `}ledger-ops serve`,
        {
          ...{ folder: path, settings: join(path, settingsFile), masterKey: join(path, 'master.key') },
        },
      );
    },
  }),
  ...Object.entries(operatorCommands).map(([name, about]) =>
    command({
      ...{ name, about },
      more: `The server runs this command. It reads ${settingsFile} if the current folder contains it. \`ledger-ops help ${name}\` lists its arguments.`,
      arguments: { args: { form: 'rest', about: 'The arguments of the server’s command.' } },
      // The process runs the server's commands before it uses this parser. The entries here only serve the
      // help.
      async run() {
        throw new CliError(
          'usage',
          `${name} must be the first argument. Run \`ledger-ops ${name}\` in a shell.`,
        );
      },
    }),
  ),
  command({
    name: 'dev',
    about: 'Starts a server with development ledgers (Ethereum, Fabric, Solana), or with your plugin.',
    more: `Data is stored in ./data, with credentials for \`ledger-ops login --file\` in data/dev.json. With --plugin, the server registers
your plugin, creates a ledger and two wallets, and sends an operation. It sends another one after each change of the
plugin’s files, and when you press Enter. In the folder above the plugin: ledger-ops dev --plugin my-ledger`,
    options: {
      once: { about: 'Exits after a first operation on each ledger.' },
      demo: { about: 'Adds an example company, and keeps sending its operations.' },
      plugin: {
        value: 'plugin',
        about:
          'Uses this plugin instead of the development ledgers: a folder, an installed package, or the URL of a running plugin.',
      },
      property: {
        ...{ value: 'name=value', form: 'list' },
        about:
          'With --plugin: a property of the plugin’s ledger, as JSON or text; can be given several times.',
      },
      propertyFile: {
        ...{ value: 'name=file', form: 'list' },
        about:
          'With --plugin: a property of the plugin’s ledger, read from a file, for secrets; can be given several times.',
      },
      node: { value: 'url', about: 'With --plugin: URL of the ledger’s node.' },
      nodeProperty: {
        ...{ value: 'name=value', form: 'list' },
        about:
          'With --plugin: a property of the node that --node names, as JSON or text; can be given several times.',
      },
      nodePropertyFile: {
        ...{ value: 'name=file', form: 'list' },
        about:
          'With --plugin: a property of the node that --node names, read from a file, for secrets; can be given several times.',
      },
      amount: {
        value: 'amount',
        about:
          'With --plugin: the amount of the transfer, in the smallest unit of the plugin’s ledger. Default: 1.',
      },
      fund: {
        value: 'command',
        about:
          'With --plugin: a shell command that runs before the first operation and funds the wallet whose address is in WALLET_ADDRESS.',
      },
    },
    async run({ terminal }: Context, { once: isOnce, demo: isDemo, ...given }) {
      const values = Object.entries(given).flatMap(([name, value]) =>
        [value ?? []].flat().map((one) => ({ option: `--${kebab(name)}`, value: one })),
      );
      const [stray] = values;
      if (stray !== undefined && given.plugin === undefined)
        throw new CliError('usage', `${stray.option} needs --plugin.`);
      const main = fileURLToPath(import.meta.resolve('@ledger-ops/dev/main'));
      const args = [
        ...process.execArgv,
        main,
        ...(isOnce ? ['--once'] : []),
        ...(isDemo ? ['--demo'] : []),
        ...values.map(({ option, value }) => `${option}=${value}`),
      ];
      const child = spawn(process.execPath, args, { stdio: 'inherit' });
      terminal.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
      const [code]: unknown[] = await once(child, 'exit');
      if (code !== 0 && !terminal.signal.aborted)
        throw new CliError(
          code === 2 ? 'usage' : 'failed',
          'The development server failed.',
          'fix the errors above, then run the same command again',
        );
    },
  }),
];

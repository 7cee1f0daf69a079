import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, command } from '../command.ts';
import { CliError, whyNot } from '../errors.ts';

/** Settings of a deployment, in its folder: a server that is started there uses it. */
export const settingsFile = 'ledger-ops.json';

/** @throws CliError where something is in it */
async function makeEmptyFolder(folder: string): Promise<void> {
  const names = await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => readdir(folder))
    .catch((error: NodeJS.ErrnoException) => {
      throw new CliError('usage', `${folder} cannot be made: ${whyNot(error)}.`);
    });
  if (names.length > 0)
    throw new CliError('usage', `${folder} is not empty.`, 'name a folder that does not exist yet');
  await chmod(folder, 0o700);
}

/** The server's own commands, with the arguments that they have there. */
export const operatorCommands = {
  serve: 'Serves, until a signal.',
  migrate: 'Brings the database’s schema up to this version, and says what it did.',
  move: 'Moves the SQLite database of DATA_DIR to the PostgreSQL database of DATABASE_URL.',
  backup: 'Copies the SQLite database into a new folder, while the server runs or not.',
  restore: 'Puts a backup into DATA_DIR, which must be empty.',
  'end-pending':
    'After a database was put back by its own tools: has unsigned pending actions FAIL, so that none happens twice.',
  verify: 'Compares the database with itself and with the ledgers: every ended action, every account.',
  doctor: 'Looks at all that a server needs, and says what to do where something is missing.',
} as const;

export const installation = [
  command({
    name: 'init',
    about: 'Makes the folder of a deployment: settings, and a master key.',
    more: `The folder is for its owner alone. Keep a copy of master.key elsewhere: without it the database is useless. Then, in the
folder: ledger-ops serve, and from anywhere: ledger-ops login --file <folder>/data/administrator.json`,
    arguments: { folder: { about: 'New or empty.' } },
    options: {
      port: { value: 'port', about: 'Port to listen on; 3000.' },
      baseUrl: {
        value: 'url',
        about: 'Public address of the service, where a proxy with TLS stands before it.',
      },
    },
    async run({ output }, { folder, port = '3000', baseUrl }) {
      if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
        throw new CliError('usage', '--port must be a number up to 65535.');
      if (baseUrl !== undefined && !/^https?:[/][/]/.test(baseUrl))
        throw new CliError('usage', `--base-url must begin with https:// or http://: https://${baseUrl}`);
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
        `${path}: ${settingsFile}, master.key (keep a copy elsewhere). Next: cd ${folder} && ledger-ops serve`,
        {
          ...{ folder: path, settings: join(path, settingsFile), masterKey: join(path, 'master.key') },
        },
      );
    },
  }),
  ...Object.entries(operatorCommands).map(([name, about]) =>
    command({
      ...{ name, about },
      more: `It is the server’s own command, and reads the settings of ${settingsFile} where that stands in this folder: \`ledger-ops help ${name}\` tells its arguments.`,
      arguments: { args: { form: 'rest', about: 'As the server’s command has them.' } },
      // The process hands them over before anything is parsed; only its help comes here.
      async run() {
        throw new CliError('usage', `${name} runs as a process of its own alone.`);
      },
    }),
  ),
  command({
    name: 'dev',
    about: 'Starts a server with ledgers of its own, Ethereum, Fabric and Solana, or with a plugin of yours.',
    more: `Everything is kept in ./data; its credentials for \`ledger-ops login --file\` stand in data/dev.json. A plugin of yours is
registered, with a ledger and two wallets; an operation is sent, and again after each change of its files. In the folder above it:
ledger-ops dev --plugin my-ledger`,
    options: {
      once: { about: 'Ends after a first operation on each ledger.' },
      plugin: {
        value: 'plugin',
        about:
          'Of this plugin instead: a folder, a package that is installed here, or the URL where it is served.',
      },
      node: { value: 'url', about: 'With --plugin: the node of its ledger.' },
    },
    async run({ terminal }: Context, { once: isOnce, ...given }) {
      if (given.node !== undefined && given.plugin === undefined)
        throw new CliError('usage', '--node needs --plugin.');
      const main = fileURLToPath(import.meta.resolve('@ledger-ops/dev/main'));
      const values = Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [`--${name}=${value}`],
      );
      const args = [...process.execArgv, main, ...(isOnce ? ['--once'] : []), ...values];
      const child = spawn(process.execPath, args, { stdio: 'inherit' });
      terminal.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
      const [code]: unknown[] = await once(child, 'exit');
      if (code !== 0 && !terminal.signal.aborted)
        throw new CliError(
          code === 2 ? 'usage' : 'failed',
          'The development server has failed.',
          'what the lines above ask for, then the same again',
        );
    },
  }),
];

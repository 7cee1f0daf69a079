import { randomBytes } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { walletPassword } from './operations.ts';
import { taken } from './taken.ts';

export const wallets = [
  command({
    name: 'wallet list',
    about: 'Lists wallets.',
    options: {
      ledger: { value: 'ledger', about: 'Those on a ledger.' },
      limit: { value: 'number', about: 'How many at most; 20.' },
    },
    async run({ client, output, terminal }, { ledger, limit }) {
      const query = ledger === undefined ? {} : { ledgerId: ledger };
      const list = (await client()).each('/v1/cloud-wallet/wallets', { query, signal: terminal.signal });
      output.table(
        await taken(list, limit),
        {
          wallet: (one) => one.walletId,
          ledger: (one) => one.ledgerId,
          address: (one) => one.walletAddress,
          created: (one) => one.createdAt.slice(0, 19),
        },
        'There is no wallet: ledger-ops wallet create <wallet> --ledger <ledger>',
      );
    },
  }),
  command({
    name: 'wallet show',
    about: 'Shows a wallet, with its balance.',
    arguments: { walletId: { about: 'Id of the wallet.' } },
    async run({ client, output }, { walletId }) {
      const params = { path: { walletId } };
      output.record(
        await answer((await client()).http.GET('/v1/cloud-wallet/wallets/{walletId}', { params })),
      );
    },
  }),
  command({
    name: 'wallet create',
    about: 'Makes a wallet.',
    more: 'Nobody can restore its password. --new-password-file has one made and written to a new file for its owner alone.',
    arguments: { walletId: { about: 'Its id.' } },
    options: {
      ledger: { value: 'ledger', form: 'required', about: 'Id of the ledger.' },
      passwordFile: {
        value: 'file',
        about:
          'File with its password, - is standard input; else LEDGER_OPS_WALLET_PASSWORD, else it is asked for.',
      },
      newPasswordFile: {
        value: 'file',
        about: 'Makes a password, and writes it to this file, which must not exist.',
      },
    },
    async run(context, { walletId, ledger: ledgerId, passwordFile, newPasswordFile }) {
      const password =
        newPasswordFile === undefined
          ? await walletPassword(context, walletId, passwordFile, { isNew: true })
          : await makePassword(newPasswordFile);
      const body = { walletId, ledgerId, pluginParameters: { walletPassword: password } };
      const { walletAddress } = await answer(
        (await context.client()).http.POST('/v1/cloud-wallet/wallets', { body }),
      );
      context.output.said(`${walletId}: ${walletAddress}`, { walletId, walletAddress });
    },
  }),
];

/**
 * A new password in a new file, before there is a wallet that nobody could open: whole, or not there. Where the command is
 * killed behind it the same password is taken from the file.
 * @throws CliError
 */
async function makePassword(file: string): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Unlike a renaming it replaces nothing.
    await link(draft, file);
    return password;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const next = `name a file that does not exist; where an earlier try made it, the same with --password-file ${file}`;
    throw new CliError('usage', `${file} cannot be made (${code}).`, next);
  } finally {
    await rm(draft, { force: true });
  }
}

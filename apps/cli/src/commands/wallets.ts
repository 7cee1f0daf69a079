import { randomBytes } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { answer } from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { CliError, whyNot } from '../errors.ts';
import { given } from '../given.ts';
import { pairOf, readPairs } from '../pairs.ts';
import { readSecret } from '../terminal.ts';
import { walletPassword } from './operations.ts';
import { demandPublic } from './properties.ts';
import { keepSecret, outFile } from './secret-file.ts';
import { taken } from './taken.ts';

const passwordFile = {
  passwordFile: {
    value: 'file',
    about:
      'File with its password, - is standard input; else LEDGER_OPS_WALLET_PASSWORD, else it is asked for.',
  },
} as const;
const newPasswordFile = {
  value: 'file',
  about: 'Makes a password, and writes it to this file, which must not exist.',
} as const;

/** Of a new wallet, beside its password. Anything that is not known to be public comes from files. @throws CliError */
async function parametersOf(
  context: Context,
  ledgerId: string,
  { set, setFile }: { readonly set: readonly string[]; readonly setFile: readonly string[] },
): Promise<Record<string, string>> {
  const pairs = set.map((text) => pairOf('--set takes name=value', text));
  if (pairs.length > 0) {
    const params = { path: { ledgerId } };
    const { http } = await context.client();
    const { technology } = await answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params }));
    await demandPublic(context, technology, 'walletParameters', pairs);
  }
  const files = await readPairs(context.terminal, '--set-file takes name=file', setFile);
  return Object.fromEntries([...pairs, ...files]);
}

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
    about: 'Makes a wallet, with a new key or one that is there already.',
    more: 'Nobody can restore its password. --new-password-file has one made and written to a new file for its owner alone. A key is imported by --set-file privateKey=<file>, or keystore=<file> with keystorePassword=<file>, as far as its ledger takes it.',
    arguments: { walletId: { about: 'Its id.' } },
    options: {
      ledger: { value: 'ledger', form: 'required', about: 'Id of the ledger.' },
      ...passwordFile,
      newPasswordFile,
      set: {
        ...{ value: 'name=value', form: 'list' },
        about:
          'A parameter of the ledger’s technology (its walletParameters) that is not secret; may be repeated.',
      },
      setFile: {
        ...{ value: 'name=file', form: 'list' },
        about: 'One from a file, - is standard input: keys, secrets, certificates; may be repeated.',
      },
    },
    async run(context, { walletId, ledger: ledgerId, passwordFile, newPasswordFile, ...options }) {
      const parameters = await parametersOf(context, ledgerId, options);
      const password =
        newPasswordFile === undefined
          ? await walletPassword(context, walletId, passwordFile, { isNew: true })
          : await makePassword(newPasswordFile);
      const body = { walletId, ledgerId, pluginParameters: { ...parameters, walletPassword: password } };
      const { walletAddress } = await answer(
        (await context.client()).http.POST('/v1/cloud-wallet/wallets', { body }),
      );
      context.output.said(`${walletId}: ${walletAddress}`, { walletId, walletAddress });
    },
  }),
  command({
    name: 'wallet export',
    about: 'Writes the key of a wallet to a new file, as its ledger’s tools read it.',
    more: 'Whoever has the file may have what the wallet holds: most forms are opened by its password, and others by anybody, which the answer says.',
    arguments: { walletId: { about: 'Id of the wallet.' } },
    options: { ...passwordFile, ...outFile },
    async run(context, { walletId, passwordFile: file, outFile: target }) {
      const { http } = await context.client();
      const body = { walletPassword: await walletPassword(context, walletId, file) };
      const params = { path: { walletId } };
      const exported = await keepSecret(
        target,
        async () => await answer(http.POST('/v1/cloud-wallet/wallets/{walletId}/export', { params, body })),
        ({ document }) => document,
      );
      const { format, certificate } = exported;
      const opened = format === 'ed25519-pair' ? 'It is not encrypted.' : 'The wallet’s password opens it.';
      context.output.said(`${walletId}: its key stands in ${target} (${format}). ${opened}`, {
        ...{ walletId, file: target, format },
        ...given({ certificate }),
      });
    },
  }),
  command({
    name: 'wallet password',
    about: 'Gives a wallet another password; what was accepted before is still carried out.',
    arguments: { walletId: { about: 'Id of the wallet.' } },
    options: {
      ...passwordFile,
      nextPasswordFile: {
        value: 'file',
        about:
          'File with the new one, - is standard input; else LEDGER_OPS_NEXT_WALLET_PASSWORD, else it is asked for.',
      },
      newPasswordFile,
    },
    async run(context, { walletId, passwordFile: file, nextPasswordFile, newPasswordFile: made }) {
      const { terminal, output } = context;
      const { http } = await context.client();
      const password = await walletPassword(context, walletId, file);
      const next = {
        ...{ name: `New password of ${walletId}`, variable: 'LEDGER_OPS_NEXT_WALLET_PASSWORD', isNew: true },
        ...{ option: '--next-password-file', file: nextPasswordFile },
      };
      const newPassword =
        made === undefined
          ? await readSecret(terminal, next)
          : await makePassword(made, '--next-password-file');
      const body = { walletPassword: password, newPassword };
      const params = { path: { walletId } };
      await answer(http.PUT('/v1/cloud-wallet/wallets/{walletId}/password', { params, body }));
      output.said(`${walletId} has another password.`, { walletId });
    },
  }),
];

/**
 * A new password in a new file, before there is a wallet that nobody could open: whole, or not there. Where the command is
 * killed behind it the same password is taken from the file.
 * @throws CliError
 */
async function makePassword(file: string, option = '--password-file'): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Unlike a renaming it replaces nothing.
    await link(draft, file);
    return password;
  } catch (error) {
    const next = `name a file that does not exist; where an earlier try made it, the same with ${option} ${file}`;
    throw new CliError('usage', `${file} cannot be made: ${whyNot(error)}.`, next);
  } finally {
    await rm(draft, { force: true });
  }
}

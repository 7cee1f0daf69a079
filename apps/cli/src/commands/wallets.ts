import { randomBytes } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { answer } from '@ledger-ops/client';
import { amountText, currencyOfLedger } from '../amounts.ts';
import { type Context, command } from '../command.ts';
import { CliError, whyNot } from '../errors.ts';
import { given } from '../given.ts';
import { pairOf, readPairs } from '../pairs.ts';
import { readSecret } from '../terminal.ts';
import { balancesOf } from './balances.ts';
import { firstOf, limit } from './lists.ts';
import { walletPassword } from './operations.ts';
import { demandPublic } from './properties.ts';
import { keepSecret, outFile } from './secret-file.ts';
import { projectOf } from './sign-in.ts';
import { suspendedField } from './suspensions.ts';

const passwordFile = {
  passwordFile: {
    value: 'file',
    about:
      'File with the wallet’s password, - for standard input. Default: LEDGER_OPS_WALLET_PASSWORD, then a prompt.',
  },
} as const;
const newPasswordFile = {
  value: 'file',
  about: 'Generates a password, and writes it to this file, which must not exist.',
} as const;

/** Parameters of a new wallet, without its password. Only values marked as public can come from `--set`. @throws CliError */
async function parametersOf(
  context: Context,
  ledgerId: string,
  { set, setFile }: { readonly set: readonly string[]; readonly setFile: readonly string[] },
): Promise<Record<string, string>> {
  const pairs = set.map((text) => pairOf('--set must be name=value', text));
  if (pairs.length > 0) {
    const params = { path: { ledgerId } };
    const { http } = await context.client();
    const { technology } = await answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params }));
    await demandPublic(context, technology, 'walletParameters', pairs);
  }
  const files = await readPairs(context.terminal, '--set-file must be name=file', setFile);
  return Object.fromEntries([...pairs, ...files]);
}

export const wallets = [
  command({
    name: 'wallet list',
    isList: true,
    about: 'Lists wallets, with the balances of the first 25.',
    options: { ledger: { value: 'ledger', about: 'Only wallets on this ledger.' }, ...limit },
    async run({ client, output, terminal }, { ledger: ledgerId, limit }) {
      const service = await client();
      const { signal } = terminal;
      const list = service.each('/v1/cloud-wallet/wallets', { query: given({ ledgerId }), signal });
      const wallets = await firstOf(list, limit);
      const empty = 'No wallets. To create one: ledger-ops wallet create <wallet> --ledger <ledger>';
      if (output.isJson) return output.table(wallets, {}, empty);
      const balances = await balancesOf(service, wallets, signal);
      const columns = { wallet: 'walletId', ledger: 'ledgerId', address: 'walletAddress' } as const;
      output.table(
        wallets,
        { ...columns, balance: ({ walletId }) => balances.get(walletId)?.text, created: 'createdAt' },
        empty,
        {
          ...columns,
          balance: ({ walletId }) => balances.get(walletId)?.number,
          unit: ({ walletId }) => balances.get(walletId)?.unit,
          created: 'createdAt',
        },
      );
    },
  }),
  command({
    name: 'wallet show',
    about: 'Shows a wallet with its balance and its suspensions.',
    arguments: { walletId: { about: 'Id of the wallet.' } },
    async run({ client, output, profile }, path) {
      const { clientId } = await profile();
      const ledger = await client();
      const params = { path };
      const wallet = await answer(ledger.http.GET('/v1/cloud-wallet/wallets/{walletId}', { params }));
      if (output.isJson) return output.record(wallet);
      // A caller who may not read the ledger sees the balance in the smallest unit.
      const unit = await currencyOfLedger(ledger, wallet.ledgerId).catch(() => null);
      const projectId = await projectOf(ledger, clientId);
      const { walletId, ledgerId } = wallet;
      output.record({
        ...{ ...wallet, balance: amountText(wallet.balance, unit) },
        ...(await suspendedField(ledger, [
          { walletId },
          { ledgerId },
          ...(projectId === undefined ? [] : [{ projectId }]),
        ])),
      });
    },
  }),
  command({
    name: 'wallet create',
    about: 'Creates a wallet, with a new or an imported key.',
    more: 'A lost password cannot be restored. --new-password-file generates one and writes it to a new file for its owner only. To import a key, use --set-file privateKey=<file>, or keystore=<file> with keystorePassword=<file>, if its ledger supports it.',
    arguments: { walletId: { about: 'Id of the new wallet.' } },
    options: {
      ledger: { value: 'ledger', form: 'required', about: 'Id of the ledger.' },
      ...passwordFile,
      newPasswordFile,
      set: {
        ...{ value: 'name=value', form: 'list' },
        about:
          'A parameter of the ledger’s technology (its walletParameters) that is not secret; can be given several times.',
      },
      setFile: {
        ...{ value: 'name=file', form: 'list' },
        about:
          'A parameter from a file, - for standard input: keys, secrets, certificates; can be given several times.',
      },
      exclusive: {
        ...{ value: 'yes|no', values: ['yes', 'no'] },
        about:
          'Whether only this service signs with the key. Default: yes for a new key, no for an imported key.',
      },
    },
    async run(context, { walletId, ledger: ledgerId, passwordFile, newPasswordFile, exclusive, ...options }) {
      const parameters = await parametersOf(context, ledgerId, options);
      const password =
        newPasswordFile === undefined
          ? await walletPassword(context, walletId, passwordFile, { isNew: true })
          : await makePassword(newPasswordFile);
      const body = {
        ...{ walletId, ledgerId, pluginParameters: { ...parameters, walletPassword: password } },
        ...(exclusive !== undefined && { exclusive: exclusive === 'yes' }),
      };
      const { walletAddress } = await answer(
        (await context.client()).http.POST('/v1/cloud-wallet/wallets', { body }),
      );
      context.output.said(`${walletId}: ${walletAddress}`, { walletId, walletAddress });
    },
  }),
  command({
    name: 'wallet exclusive',
    about: 'Sets whether only this service signs with the key of a wallet.',
    more: 'An exclusive wallet is suspended if it has an unknown transaction: one that is on the ledger but not in the service’s database. Run `ledger-ops wallet exclusive <walletId> no` before another program uses the key.',
    arguments: {
      walletId: { about: 'Id of the wallet.' },
      value: { values: ['yes', 'no'], about: 'yes or no.' },
    },
    async run({ client, output }, { walletId, value }) {
      const params = { path: { walletId } };
      const body = { exclusive: value === 'yes' };
      const made = await answer(
        (await client()).http.PUT('/v1/cloud-wallet/wallets/{walletId}/exclusive', { params, body }),
      );
      output.said(`${walletId} is ${made.exclusive ? '' : 'not '}exclusive.`, made);
    },
  }),
  command({
    name: 'wallet unknown',
    isList: true,
    about:
      'Lists the unknown transactions of a wallet: those on the ledger that are not in the service’s database.',
    more: 'Mark each matching action as executed (ledger-ops action executed), or cancel it (ledger-ops action cancel). Then resume the wallet, and release the actions that none of the transactions executed: ledger-ops resume --wallet <wallet> --release <action>.',
    arguments: { walletId: { about: 'Id of the wallet.' } },
    async run({ client, output }, { walletId }) {
      const params = { path: { walletId } };
      const { transactions, notCompared } = await answer(
        (await client()).http.GET('/v1/cloud-wallet/wallets/{walletId}/unknown-transactions', { params }),
      );
      output.table(
        transactions,
        {
          ...{ nonce: 'sequence', transaction: 'txId', found: 'foundAt' },
          'matches actions': ({ matches }) => matches.join(', '),
          released: ({ released }) => released.join(', '),
          'not compared': ({ notCompared }) => notCompared ?? '',
        },
        notCompared === null
          ? 'No unknown transactions.'
          : `This wallet may have more unknown transactions. ${notCompared}`,
      );
    },
  }),
  command({
    name: 'wallet export',
    about: 'Writes the key of a wallet to a new file, in the format of its ledger’s tools.',
    more: 'Anyone who has the file may be able to spend the wallet’s funds. Most formats are encrypted with its password; the output says if one is not.',
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
      const opened =
        format === 'ed25519-pair'
          ? 'The file is not encrypted.'
          : 'The file is encrypted with the wallet’s password.';
      context.output.said(`The key of ${walletId} is in ${target} (${format}). ${opened}`, {
        ...{ walletId, file: target, format },
        ...given({ certificate }),
      });
    },
  }),
  command({
    name: 'wallet password',
    about: 'Changes the password of a wallet; accepted actions continue.',
    arguments: { walletId: { about: 'Id of the wallet.' } },
    options: {
      ...passwordFile,
      nextPasswordFile: {
        value: 'file',
        about:
          'File with the new password, - for standard input. Default: LEDGER_OPS_NEXT_WALLET_PASSWORD, then a prompt.',
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
      output.said(`Changed the password of ${walletId}.`, { walletId });
    },
  }),
];

/**
 * Writes a new password to a new file, completely or not at all, before the wallet is created. If the command
 * is then killed, running it again uses the password in the file.
 *
 * @throws CliError
 */
async function makePassword(file: string, option = '--password-file'): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
    // Unlike `rename`, `link` does not replace an existing file.
    await link(draft, file);
    return password;
  } catch (error) {
    const next = `name a new file; if an earlier run created this one, repeat the command with ${option} ${file}`;
    throw new CliError('usage', `${file} cannot be created: ${whyNot(error)}.`, next);
  } finally {
    await rm(draft, { force: true });
  }
}

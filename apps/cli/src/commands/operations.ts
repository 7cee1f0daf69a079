import { randomUUID } from 'node:crypto';
import {
  answer,
  callGlo,
  type components,
  deploymentGlo,
  type LedgerClient,
  type Place,
  ProblemError,
  type Sender,
  transferGlo,
} from '@ledger-ops/client';
import { z } from 'zod';
import { amountText, currencyOfWallet, readAmount } from '../amounts.ts';
import { type Context, command, type Given } from '../command.ts';
import { CliError, failedSending } from '../errors.ts';
import { given } from '../given.ts';
import { printable } from '../output.ts';
import { readPairs } from '../pairs.ts';
import { waitWithProgress } from '../progress.ts';
import { readFileOption, readSecret, type Terminal } from '../terminal.ts';
import { likelyTechnologies } from './likely-technologies.ts';

type Schemas = components['schemas'];

/** Options of commands that send an operation signed by a wallet. */
const signing = {
  from: { value: 'wallet', form: 'required', about: 'Id of the wallet that signs.' },
  passwordFile: {
    value: 'file',
    about:
      'File with the wallet’s password, - for standard input. Default: LEDGER_OPS_WALLET_PASSWORD, then a prompt.',
  },
  after: {
    value: 'action',
    form: 'list',
    about: 'An action that must have SUCCEEDED first; can be given several times.',
  },
  tag: { value: 'text', about: 'A label for finding the action again.' },
  intent: { value: 'uuid', about: 'An id that groups actions.' },
  key: {
    value: 'text',
    about: 'Idempotency key. Commands with the same key send the operation once. Default: generated.',
  },
  deadline: {
    value: 'time',
    about: 'Time by which the action must be signed, such as 2026-11-20T12:30:00Z; otherwise it fails.',
  },
  meta: {
    value: 'json',
    about:
      'Options of one technology, such as a fee, as JSON; @file reads them from a file, which is required for secrets.',
  },
  with: {
    value: 'wallet=file',
    form: 'list',
    about:
      'Password file of another wallet that meta names as a signer or payer; can be given several times.',
  },
  dryRun: {
    about:
      'Shows the expected result and cost without sending the operation. If the ledger requires signed queries, add --password-file to simulate as the wallet.',
  },
  detach: { about: 'Exits when the action is accepted, without waiting until it is final.' },
} as const;

type Signing = Given<Record<never, never>, typeof signing>;

/** Returns the password of a wallet. @throws CliError */
export async function walletPassword(
  { terminal }: Context,
  walletId: string,
  file: string | undefined,
  { isNew = false } = {},
): Promise<string> {
  const source = { name: `Password of ${walletId}`, variable: 'LEDGER_OPS_WALLET_PASSWORD' };
  return await readSecret(terminal, { ...source, option: '--password-file', file, isNew });
}

/**
 * Parses `ethereum:0x…` as an address if the prefix is a known technology; any other string is the id of a
 * record.
 * @throws CliError if the prefix is probably a mistyped technology
 */
async function placeOf(text: string, { http }: LedgerClient): Promise<Place> {
  const [, ledger, address] = /^([a-z0-9][a-z0-9-]{0,63}):(.+)$/i.exec(text) ?? [];
  if (ledger === undefined || address === undefined) return text;
  const names = (await answer(http.GET('/v1/technologies'))).technologies.map(({ name }) => name);
  if (names.includes(ledger)) return { ledger, address };
  const likely = likelyTechnologies(ledger, names);
  if (likely.length === 0) return text;
  const meant = likely.map((name) => `${name}:${address}`).join(' or ');
  throw new CliError('usage', `No plugin of this server supports the technology ${ledger}.`, meant);
}

/** Parses JSON that is sent to the service; refuses integers that a double cannot hold. @throws CliError */
function readJson(text: string, name: string): unknown {
  const keep = (_: string, value: unknown) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    throw new CliError('usage', `${name} has an integer of more than 53 bits. Write it as a string.`);
  };
  try {
    return JSON.parse(text, keep);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('usage', `${name} is not valid JSON.`);
  }
}

const objectSchema = z.record(z.string(), z.unknown());

/** @throws CliError */
function readObject(text: string, name: string): Record<string, unknown> {
  const read = objectSchema.safeParse(readJson(text, name));
  if (read.success) return read.data;
  throw new CliError('usage', `${name} must be a JSON object.`);
}

/** @throws CliError */
async function readMeta(terminal: Terminal, text: string): Promise<Schemas['GloMeta']> {
  const content = text.startsWith('@') ? await readFileOption(terminal, text.slice(1)) : text;
  // The service validates the members.
  return readObject(content, '--meta') as Schemas['GloMeta'];
}

/** @throws CliError */
function readTime(text: string): Date {
  if (z.iso.datetime({ offset: true }).safeParse(text).success) return new Date(text);
  throw new CliError(
    'usage',
    `--deadline must be a time with a time zone, such as 2026-11-20T12:30:00Z, not ${text}.`,
  );
}

async function signed(
  context: Context,
  options: Signing,
  gloOf: (ledger: LedgerClient, meta: { readonly meta?: Schemas['GloMeta'] }) => Promise<Schemas['Glo']>,
): Promise<void> {
  const { from, passwordFile, after, tag, intent, key = randomUUID(), detach } = options;
  if (options.dryRun && options.with.length > 0)
    throw new CliError(
      'usage',
      '--dry-run cannot be combined with --with: a dry run does not use other wallets’ passwords.',
    );
  const { terminal, output } = context;
  const { signal } = terminal;
  const ledger = await context.client();
  const deadline = options.deadline === undefined ? undefined : readTime(options.deadline);
  const meta = options.meta === undefined ? undefined : await readMeta(terminal, options.meta);
  const glo = await gloOf(ledger, given({ meta }));
  if (options.dryRun) {
    const password =
      passwordFile === undefined ? undefined : await walletPassword(context, from, passwordFile);
    const expected = await emulate(ledger, { glo, walletId: from, signal }, password);
    if (output.isJson) return output.record({ ...expected });
    const unit = await currencyOfWallet(ledger, from).catch(() => null);
    return output.record({ ...expected, fee: amountText(expected.fee, unit) });
  }
  const wallets = (await readPairs(terminal, '--with must be wallet=file', options.with)).map(
    ([walletId, password]): Sender => ({ walletId, walletPassword: password }),
  );
  const operation = {
    ...{ glo, walletId: from, walletPassword: await walletPassword(context, from, passwordFile) },
    ...{ dependencies: after, signal, idempotencyKey: key },
    ...(wallets.length > 0 && { wallets }),
    ...given({ tag, intent, deadline }),
  };
  const accepted = await ledger.send(operation).catch((error: unknown) => {
    throw failedSending(error, signal, key);
  });
  if (detach) {
    const sentence = `Accepted: ${accepted.actionId}. To follow it: ledger-ops action watch ${accepted.actionId}`;
    return output.said(sentence, accepted);
  }
  // If the wait is interrupted, the user can still follow the action by its id.
  terminal.err(`Accepted: ${printable(accepted.actionId)}\n`);
  const action = await waitWithProgress(context, accepted.actionId, { isSent: true });
  const address = action.contractAddress === null ? '' : `, contract ${action.contractAddress}`;
  output.said(`SUCCEEDED: ${action.actionId}, transaction ${action.locator}${address}`, action);
}

/**
 * Simulates an operation. A ledger that simulates without signatures refuses the password; the request is
 * then sent without it.
 */
async function emulate(
  ledger: LedgerClient,
  emulation: Parameters<LedgerClient['emulate']>[0],
  walletPassword: string | undefined,
): ReturnType<LedgerClient['emulate']> {
  if (walletPassword === undefined) return await ledger.emulate(emulation);
  return await ledger.emulate({ ...emulation, walletPassword }).catch(async (error: unknown) => {
    const isRefused =
      error instanceof ProblemError && error.issues.some(({ pointer }) => pointer === '/walletPassword');
    if (!isRefused || !error.is('unsupported-operation')) throw error;
    return await ledger.emulate(emulation);
  });
}

/** @throws CliError */
async function readGlo(terminal: Terminal, file: string): Promise<Schemas['Glo']> {
  // The service validates the members.
  return readObject(await readFileOption(terminal, file), file) as Schemas['Glo'];
}

const addresses = 'or an address with its technology, such as ethereum:0x…';

/** A batch file: the service's format, except that passwords are optional. */
const batchSchema = z.looseObject({
  operations: z.array(
    z.looseObject({
      walletId: z.string(),
      walletPassword: z.string().optional(),
      wallets: z
        .array(z.looseObject({ walletId: z.string(), walletPassword: z.string().optional() }))
        .optional(),
    }),
  ),
});

/** Reads a batch file and adds missing passwords. @throws CliError */
async function readBatch(
  context: Context,
  file: string,
  passwordFiles: readonly string[],
): Promise<Schemas['BatchBody']> {
  const { terminal } = context;
  const read = batchSchema.safeParse(readJson(await readFileOption(terminal, file), file));
  if (!read.success)
    throw new CliError('usage', `${file} is not a valid batch: ${z.prettifyError(read.error)}`);
  const known = new Map(await readPairs(terminal, '--with must be wallet=file', passwordFiles));
  const passwordOf = async (walletId: string): Promise<string> => {
    const password = known.get(walletId) ?? (await walletPassword(context, walletId, undefined));
    known.set(walletId, password);
    return password;
  };
  const opened = async <One extends { walletId: string; walletPassword?: string | undefined }>(one: One) => ({
    ...one,
    walletPassword: one.walletPassword ?? (await passwordOf(one.walletId)),
  });
  const operations: object[] = [];
  for (const { wallets = [], ...operation } of read.data.operations) {
    const signing = await opened(operation);
    const more: object[] = [];
    for (const one of wallets) more.push(await opened(one));
    operations.push({ ...signing, ...(more.length > 0 && { wallets: more }) });
  }
  // The service validates the rest.
  return { ...read.data, operations } as Schemas['BatchBody'];
}

export const operations = [
  command({
    name: 'send',
    about: 'Sends native currency from a wallet to another wallet or an address, or any operation in a file.',
    more: 'ledger-ops send bob 0.05 --from alice\nledger-ops send bob "20 gwei" --from alice',
    arguments: {
      to: { form: 'optional', about: `Id of a wallet, ${addresses}` },
      amount: {
        form: 'optional',
        about: 'In the ledger’s currency, such as 0.05, "0.05 ETH" or "20 gwei".',
      },
    },
    options: {
      ...signing,
      unit: {
        value: 'unit',
        about:
          'Unit of the amount: the currency’s symbol, wei, gwei, lamports, or smallest. Default: the currency.',
      },
      glo: {
        value: 'file',
        about:
          'JSON file with the whole generic ledger operation, instead of a recipient and an amount; - for standard input.',
      },
    },
    async run(context, { to, amount, glo, unit, ...options }) {
      if (glo !== undefined && (to !== undefined || options.meta !== undefined))
        throw new CliError(
          'usage',
          '--glo is a complete operation with its own recipient, amount and meta. Omit them on the command line.',
        );
      await signed(context, options, async (ledger, meta) => {
        if (glo !== undefined) return await readGlo(context.terminal, glo);
        if (to === undefined) throw new CliError('usage', 'A recipient or --glo <file> is required.');
        if (amount === undefined)
          throw new CliError(
            'usage',
            'An amount is required after the recipient, for example 0.05 or "20 gwei".',
          );
        const currencyOf = async () => await currencyOfWallet(ledger, options.from);
        const smallest = await readAmount(amount, unit, currencyOf);
        return transferGlo({ to: await placeOf(to, ledger), amount: smallest, ...meta });
      });
    },
  }),
  command({
    name: 'batch',
    about:
      'Sends the operations in a file, which the service stores in one transaction; exits with 3 if one is refused.',
    more: 'The file is the body of POST /v1/ledger-ops/batch: {"operations": [{"name": "rent", "walletId": "alice", "glo": {…}}, …]}, with "allOrNothing": true to accept either every operation or none. Missing passwords come from --with, then LEDGER_OPS_WALLET_PASSWORD, then a prompt.',
    arguments: { file: { about: 'JSON; - for standard input.' } },
    options: {
      with: {
        ...{ value: 'wallet=file', form: 'list' },
        about: 'A wallet with its password file; can be given several times.',
      },
      key: signing.key,
    },
    async run(context, { file, with: passwordFiles, key = randomUUID() }) {
      const { terminal, output } = context;
      const ledger = await context.client();
      const body = await readBatch(context, file, passwordFiles);
      const params = { header: { 'Idempotency-Key': key } };
      const { signal } = terminal;
      const request = answer(ledger.http.POST('/v1/ledger-ops/batch', { body, params, signal }));
      const outcome = await request.catch((error: unknown) => {
        throw failedSending(error, signal, key);
      });
      if (!output.isJson) {
        output.table(
          outcome.results.map((one, at) => ({ ...one, at })),
          {
            operation: (one) => one.name ?? one.at,
            status: (one) => one.status,
            action: (one) => ('actionId' in one ? one.actionId : ''),
            why: (one) => ('problem' in one ? one.problem.detail : ''),
          },
          'No operations.',
        );
      } else if (outcome.refused === 0) output.record({ ...outcome });
      if (outcome.refused === 0) return;
      const sentence = `${outcome.refused} of ${outcome.results.length} operations were refused.`;
      throw new CliError('found', sentence, 'fix the refused operations, and send a batch of only those', {
        ...outcome,
      });
    },
  }),
  command({
    name: 'call',
    about: 'Calls a contract method that changes state.',
    more: 'ledger-ops call my-token transfer 0x… 5 --from alice',
    arguments: {
      contract: { about: `Id of a registered contract, ${addresses}` },
      method: { about: 'Name of the method, or its signature if several methods have that name.' },
      args: { form: 'rest', about: 'Arguments in order; lists and tuples as JSON.' },
    },
    options: signing,
    run: async (context, { contract, method, args, ...options }) =>
      await signed(context, options, async (ledger, meta) =>
        callGlo({ contract: await placeOf(contract, ledger), method, args, ...meta }),
      ),
  }),
  command({
    name: 'read',
    about: 'Calls a read-only contract method and prints its result.',
    arguments: {
      contract: { about: `Id of a registered contract, ${addresses}` },
      method: { about: 'Name of the method, or its signature if several methods have that name.' },
      args: { form: 'rest', about: 'Arguments in order; lists and tuples as JSON.' },
    },
    options: {
      from: { value: 'wallet', about: 'The wallet that appears as the caller.' },
      ledger: {
        value: 'ledger',
        about:
          'Id of the ledger; required only if the contract is given by its address and --from is absent.',
      },
    },
    async run({ client, output, terminal }, { contract, method, args, from, ledger }) {
      const service = await client();
      const reading = {
        ...{ contract: await placeOf(contract, service), method, args, signal: terminal.signal },
        ...given({ walletId: from, ledgerId: ledger }),
      };
      const result = await service.read(reading).catch((error: unknown) => {
        const isUnplaced =
          error instanceof ProblemError &&
          (error.status === 404 || error.issues.some(({ pointer }) => pointer === '/walletId'));
        if (!isUnplaced || from !== undefined || ledger !== undefined) throw error;
        const why = `${contract} is not a registered contract that you can see, so its ledger is unknown.`;
        throw new CliError(
          'usage',
          why,
          '`ledger-ops contract list` shows registered contracts; for an address, add --from <wallet> or --ledger <ledger>',
        );
      });
      output.said(typeof result === 'string' ? result : JSON.stringify(result), { result });
    },
  }),
  command({
    name: 'deploy',
    about: 'Deploys a contract from a template.',
    more: 'The contract is registered under the action’s id. ledger-ops deploy dev-token:1 "My Token" MINE 1000000 --from alice',
    arguments: {
      template: { about: 'Id and version of a template: dev-token:1' },
      args: { form: 'rest', about: 'Arguments of the constructor, in order.' },
    },
    options: signing,
    run: async (context, { template, args, ...options }) =>
      await signed(context, options, async (_, meta) => deploymentGlo({ template, args, ...meta })),
  }),
];

import { randomUUID } from 'node:crypto';
import {
  answer,
  callGlo,
  type components,
  deploymentGlo,
  type LedgerClient,
  type Place,
  type Sender,
  transferGlo,
} from '@ledger-ops/client';
import { z } from 'zod';
import { type Context, command, type Given } from '../command.ts';
import { CliError, failedSending } from '../errors.ts';
import { given } from '../given.ts';
import { printable } from '../output.ts';
import { readPairs } from '../pairs.ts';
import { waitWithProgress } from '../progress.ts';
import { readFileOption, readSecret, type Terminal } from '../terminal.ts';

type Schemas = components['schemas'];

/** Options of everything that a wallet signs. */
const signing = {
  from: { value: 'wallet', form: 'required', about: 'Id of the wallet that signs.' },
  passwordFile: {
    value: 'file',
    about:
      'File with its password, - is standard input; else LEDGER_OPS_WALLET_PASSWORD, else it is asked for.',
  },
  after: {
    value: 'action',
    form: 'list',
    about: 'An action that must have SUCCEEDED before; may be repeated.',
  },
  tag: { value: 'text', about: 'To find it by.' },
  intent: { value: 'uuid', about: 'Groups actions.' },
  key: {
    value: 'text',
    about: 'Idempotency key: with the same one it happens once, however often the command runs.',
  },
  deadline: { value: 'time', about: 'If it is not signed until then, it FAILS: 2026-11-20T12:30:00Z' },
  meta: {
    value: 'json',
    about:
      'What is of one technology, such as a fee; @file takes it from a file, as it must be where it is secret.',
  },
  with: {
    value: 'wallet=file',
    form: 'list',
    about:
      'A wallet that signs or pays too, because meta names it, with the file of its password; may be repeated.',
  },
  dryRun: {
    about:
      'Sends nothing: says what would happen, and what it would cost; with --password-file asked as the wallet.',
  },
  detach: { about: 'Ends when it is accepted; else when it is done.' },
} as const;

type Signing = Given<Record<never, never>, typeof signing>;

/** The password of a wallet. @throws CliError */
export async function walletPassword(
  { terminal }: Context,
  walletId: string,
  file: string | undefined,
  { isNew = false } = {},
): Promise<string> {
  const source = { name: `Password of ${walletId}`, variable: 'LEDGER_OPS_WALLET_PASSWORD' };
  return await readSecret(terminal, { ...source, option: '--password-file', file, isNew });
}

/** A record by its id, or an address of a technology that the service has: `ethereum:0x…`. */
async function placeOf(text: string, { http }: LedgerClient): Promise<Place> {
  const [, ledger, address] = /^([a-z0-9][a-z0-9-]{0,63}):(.+)$/.exec(text) ?? [];
  if (ledger === undefined || address === undefined) return text;
  const { technologies } = await answer(http.GET('/v1/technologies'));
  return technologies.some(({ name }) => name === ledger) ? { ledger, address } : text;
}

/** JSON as it is sent on: whole numbers that are not held exactly would become others on the way. @throws CliError */
function readJson(text: string, name: string): unknown {
  const keep = (_: string, value: unknown) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
    throw new CliError('usage', `${name} has a whole number of more than 53 bits: write it as a text.`);
  };
  try {
    return JSON.parse(text, keep);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('usage', `${name} is no JSON.`);
  }
}

const objectSchema = z.record(z.string(), z.unknown());

/** @throws CliError */
function readObject(text: string, name: string): Record<string, unknown> {
  const read = objectSchema.safeParse(readJson(text, name));
  if (read.success) return read.data;
  throw new CliError('usage', `${name} is no JSON object.`);
}

/** @throws CliError */
async function readMeta(terminal: Terminal, text: string): Promise<Schemas['GloMeta']> {
  const content = text.startsWith('@') ? await readFileOption(terminal, text.slice(1)) : text;
  // The service says what is wrong with it.
  return readObject(content, 'The meta') as Schemas['GloMeta'];
}

/** @throws CliError */
function readTime(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new CliError(
    'usage',
    `--deadline takes a time with its zone, as 2026-11-20T12:30:00Z, and not ${text}.`,
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
      '--dry-run goes without --with: it takes the wallets that meta names as they are, and opens none of them.',
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
    const emulation = { glo, walletId: from, signal, ...given({ walletPassword: password }) };
    return output.record({ ...(await ledger.emulate(emulation)) });
  }
  const wallets = (await readPairs(terminal, '--with takes wallet=file', options.with)).map(
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
    const sentence = `Accepted: ${accepted.actionId}. ledger-ops action watch ${accepted.actionId} follows it.`;
    return output.said(sentence, accepted);
  }
  // Whoever is cut off while it is waited for can follow it.
  terminal.err(`Accepted: ${printable(accepted.actionId)}\n`);
  const action = await waitWithProgress(context, accepted.actionId);
  const address = action.contractAddress === null ? '' : `, contract ${action.contractAddress}`;
  output.said(`SUCCEEDED: ${action.actionId}, transaction ${action.locator}${address}`, action);
}

/** @throws CliError */
async function readGlo(terminal: Terminal, file: string): Promise<Schemas['Glo']> {
  // The service says what is wrong with it.
  return readObject(await readFileOption(terminal, file), file) as Schemas['Glo'];
}

const addresses =
  'or its address, behind its technology as ledger-ops ledger technologies lists it: ethereum:0x…';

/** Of a batch in a file: what the service takes, in which passwords may be absent. */
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

/** The file, with the passwords that are not in it. @throws CliError */
async function readBatch(
  context: Context,
  file: string,
  passwordFiles: readonly string[],
): Promise<Schemas['BatchBody']> {
  const { terminal } = context;
  const read = batchSchema.safeParse(readJson(await readFileOption(terminal, file), file));
  if (!read.success) throw new CliError('usage', `${file} is no batch: ${z.prettifyError(read.error)}`);
  const known = new Map(await readPairs(terminal, '--with takes wallet=file', passwordFiles));
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
  // The service says what is wrong with the rest.
  return { ...read.data, operations } as Schemas['BatchBody'];
}

export const operations = [
  command({
    name: 'send',
    about: 'Sends native currency from a wallet to another, or to an address; or any operation of a file.',
    more: 'ledger-ops send bob 1000 --from alice',
    arguments: {
      to: { form: 'optional', about: `Id of a wallet, ${addresses}` },
      amount: { form: 'optional', about: 'In the smallest unit of the ledger’s currency, as wei are.' },
    },
    options: {
      ...signing,
      glo: {
        value: 'file',
        about: 'Sends this generic ledger operation, a JSON document, in their place; - is standard input.',
      },
    },
    async run(context, { to, amount, glo, ...options }) {
      if (glo !== undefined && (to !== undefined || options.meta !== undefined))
        throw new CliError(
          'usage',
          '--glo is a whole operation: its recipient, amount and meta stand in it.',
        );
      await signed(context, options, async (ledger, meta) => {
        if (glo !== undefined) return await readGlo(context.terminal, glo);
        if (to === undefined) throw new CliError('usage', 'A recipient is needed, or --glo <file>.');
        if (amount === undefined) throw new CliError('usage', 'An amount is needed.');
        return transferGlo({ to: await placeOf(to, ledger), amount, ...meta });
      });
    },
  }),
  command({
    name: 'batch',
    about:
      'Sends many operations of a file, which are stored in one transaction; ends with 3 where one is refused.',
    more: 'The file is the body of POST /v1/ledger-ops/batch: {"operations": [{"name": "rent", "walletId": "alice", "glo": {…}}, …]}, with allOrNothing where all or none are to be accepted. Passwords that are not in it come from --with, else from LEDGER_OPS_WALLET_PASSWORD, else they are asked for.',
    arguments: { file: { about: 'JSON; - is standard input.' } },
    options: {
      with: {
        ...{ value: 'wallet=file', form: 'list' },
        about: 'A wallet with the file of its password; may be repeated.',
      },
      key: signing.key,
    },
    async run(context, { file, with: passwordFiles, key = randomUUID() }) {
      const { terminal, output } = context;
      const ledger = await context.client();
      const body = await readBatch(context, file, passwordFiles);
      const params = { header: { 'Idempotency-Key': key } };
      const { signal } = terminal;
      const asked = answer(ledger.http.POST('/v1/ledger-ops/batch', { body, params, signal }));
      const told = await asked.catch((error: unknown) => {
        throw failedSending(error, signal, key);
      });
      if (!output.isJson) {
        output.table(
          told.results.map((one, at) => ({ ...one, at })),
          {
            operation: (one) => one.name ?? one.at,
            status: (one) => one.status,
            action: (one) => ('actionId' in one ? one.actionId : ''),
            why: (one) => ('problem' in one ? one.problem.detail : ''),
          },
          'There is no operation.',
        );
      } else if (told.refused === 0) output.record({ ...told });
      if (told.refused === 0) return;
      const sentence = `${told.refused} of ${told.results.length} operations are refused.`;
      throw new CliError('found', sentence, 'the same of those that are refused, when that is repaired', {
        ...told,
      });
    },
  }),
  command({
    name: 'call',
    about: 'Calls a method of a contract that changes something.',
    more: 'ledger-ops call my-token transfer 0x… 5 --from alice',
    arguments: {
      contract: { about: `Id of a registered contract, ${addresses}` },
      method: { about: 'Its name, or its signature where several have it.' },
      args: { form: 'rest', about: 'In order; lists and tuples as JSON.' },
    },
    options: signing,
    run: async (context, { contract, method, args, ...options }) =>
      await signed(context, options, async (ledger, meta) =>
        callGlo({ contract: await placeOf(contract, ledger), method, args, ...meta }),
      ),
  }),
  command({
    name: 'read',
    about: 'Asks a method of a contract what it says now.',
    arguments: {
      contract: { about: `Id of a registered contract, ${addresses}` },
      method: { about: 'Its name, or its signature where several have it.' },
      args: { form: 'rest', about: 'In order; lists and tuples as JSON.' },
    },
    options: {
      from: { value: 'wallet', about: 'From whose point of view.' },
      ledger: {
        value: 'ledger',
        about: 'Id of the ledger, where the contract is an address and there is no wallet.',
      },
    },
    async run({ client, output, terminal }, { contract, method, args, from, ledger }) {
      const service = await client();
      const result = await service.read({
        ...{ contract: await placeOf(contract, service), method, args, signal: terminal.signal },
        ...given({ walletId: from, ledgerId: ledger }),
      });
      output.said(typeof result === 'string' ? result : JSON.stringify(result), { result });
    },
  }),
  command({
    name: 'deploy',
    about: 'Deploys a contract from a template.',
    more: 'The contract is registered under the id of the action. ledger-ops deploy dev-token:1 "My Token" MINE 1000000 --from alice',
    arguments: {
      template: { about: 'Id and version of a template: dev-token:1' },
      args: { form: 'rest', about: 'Of the constructor, in order.' },
    },
    options: signing,
    run: async (context, { template, args, ...options }) =>
      await signed(context, options, async (_, meta) => deploymentGlo({ template, args, ...meta })),
  }),
];

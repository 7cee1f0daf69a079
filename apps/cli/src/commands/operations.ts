import { randomUUID } from 'node:crypto';
import {
  type Accepted,
  answer,
  type LedgerClient,
  type OperationOptions,
  type Place,
  type Sender,
} from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { failedSending } from '../errors.ts';
import { printable } from '../output.ts';
import { waitWithProgress } from '../progress.ts';
import { readSecret } from '../terminal.ts';

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
  detach: { about: 'Ends when it is accepted; else when it is done.' },
} as const;

interface Signing {
  readonly from: string;
  readonly passwordFile: string | undefined;
  readonly after: readonly string[];
  readonly tag: string | undefined;
  readonly intent: string | undefined;
  readonly key: string | undefined;
  readonly detach: boolean;
}

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

async function signed(
  context: Context,
  given: Signing,
  send: (ledger: LedgerClient, sender: Sender & OperationOptions) => Promise<Accepted>,
): Promise<void> {
  const { from, after, tag, intent, key = randomUUID() } = given;
  const { terminal } = context;
  const ledger = await context.client();
  const sender = {
    ...{ walletId: from, walletPassword: await walletPassword(context, from, given.passwordFile) },
    ...{ dependencies: after, signal: terminal.signal, idempotencyKey: key },
    ...(tag !== undefined && { tag }),
    ...(intent !== undefined && { intent }),
  };
  const accepted = await send(ledger, sender).catch((error: unknown) => {
    throw failedSending(error, terminal.signal, key);
  });
  if (given.detach) {
    const sentence = `Accepted: ${accepted.actionId}. ledger-ops action watch ${accepted.actionId} follows it.`;
    return context.output.said(sentence, accepted);
  }
  // Whoever is cut off while it is waited for can follow it.
  terminal.err(`Accepted: ${printable(accepted.actionId)}\n`);
  const action = await waitWithProgress(context, accepted.actionId);
  const address = action.contractAddress === null ? '' : `, contract ${action.contractAddress}`;
  context.output.said(`SUCCEEDED: ${action.actionId}, transaction ${action.locator}${address}`, action);
}

export const operations = [
  command({
    name: 'send',
    about: 'Sends native currency from a wallet to another, or to an address.',
    more: 'ledger-ops send bob 1000 --from alice',
    arguments: {
      to: { about: 'Id of a wallet, or an address: ethereum:0x…' },
      amount: { about: 'In the smallest unit of the ledger: wei, lamports.' },
    },
    options: signing,
    run: async (context, given) =>
      await signed(context, given, async (ledger, sender) =>
        ledger.transfer({ ...sender, to: await placeOf(given.to, ledger), amount: given.amount }),
      ),
  }),
  command({
    name: 'call',
    about: 'Calls a method of a contract that changes something.',
    more: 'ledger-ops call my-token transfer 0x… 5 --from alice',
    arguments: {
      contract: {
        about:
          'Id of a registered contract, or an address: ethereum:0x…, hyperledger-fabric:channel/chaincode',
      },
      method: { about: 'Its name, or its signature where several have it.' },
      args: { form: 'rest', about: 'In order; lists and tuples as JSON.' },
    },
    options: signing,
    run: async (context, given) =>
      await signed(context, given, async (ledger, sender) => {
        const contract = await placeOf(given.contract, ledger);
        return await ledger.call({ ...sender, contract, method: given.method, args: given.args });
      }),
  }),
  command({
    name: 'read',
    about: 'Asks a method of a contract what it says now.',
    arguments: {
      contract: { about: 'Id of a registered contract, or an address: ethereum:0x…' },
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
        ...(from !== undefined && { walletId: from }),
        ...(ledger !== undefined && { ledgerId: ledger }),
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
    run: async (context, given) =>
      await signed(context, given, (ledger, sender) =>
        ledger.deploy({ ...sender, template: given.template, args: given.args }),
      ),
  }),
];

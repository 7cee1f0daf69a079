import { type ActionEvent, answer, type ContractEvent, type LedgerClient } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { localTime, printable } from '../output.ts';
import { announceWatching, demandService } from '../progress.ts';
import { operationText } from './operation-text.ts';

/** Words for the types of events, shown in the first column. */
const words: Readonly<Record<string, string>> = {
  'action.accepted': 'accepted',
  'action.sent': 'sent',
  'action.continued': 'continued',
  'action.cancel_requested': 'cancel requested',
  'action.hurry_requested': 'hurry requested',
  'action.succeeded': 'SUCCEEDED',
  'action.failed': 'FAILED',
  'action.cancelled': 'CANCELED',
  'action.retracted': 'RETRACTED',
  'action.reinstated': 'reinstated',
};
const widest = Math.max(...Object.values(words).map((word) => word.length));

/** Maximum number of operations whose descriptions are kept. */
const mostKept = 1_000;

/** Describes operations by action id: `0.05 ETH from till to rent`. */
class Descriptions {
  readonly #client: LedgerClient;
  readonly #known = new Map<string, Promise<string>>();

  constructor(client: LedgerClient) {
    this.#client = client;
  }

  async of({ actionId, walletId }: ActionEvent['data']): Promise<string> {
    const known = this.#known.get(actionId);
    if (known !== undefined) return await known;
    // The event can arrive after the action was removed, or the caller may not read the action.
    const read = this.#read(actionId).catch(() => `${actionId} of ${walletId}`);
    this.#known.set(actionId, read);
    if (this.#known.size > mostKept) this.#known.delete(this.#known.keys().next().value ?? '');
    return await read;
  }

  async #read(actionId: string): Promise<string> {
    const params = { path: { actionId } };
    const { http } = this.#client;
    return operationText(await answer(http.GET('/v1/ledger-ops/actions/{actionId}', { params })));
  }
}

function contractEventText({ data: { contractId, name, args } }: ContractEvent): string {
  const values = Object.entries(args ?? {}).map(
    ([member, value]) => `${member} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${contractId}.${name ?? 'unknown'}(${values.join(', ')})`;
}

export const tail = [
  command({
    name: 'tail',
    about: 'Follows everything that happens: changes of actions, and events of subscribed contracts.',
    more: 'Prints one line per event until interrupted; with --json, one JSON document per line.',
    options: {
      ledger: {
        value: 'ledger',
        form: 'list',
        about: 'Only events on this ledger; can be given several times.',
      },
      wallet: {
        value: 'wallet',
        form: 'list',
        about: 'Only actions of this wallet; can be given several times.',
      },
      after: {
        value: 'place',
        about: 'Resumes after the event whose member place has this value, as printed with --json.',
      },
    },
    async run({ client, output, terminal }, { ledger, wallet, after }) {
      const service = await client();
      await demandService(service);
      const descriptions = new Descriptions(service);
      const filter = {
        ...(ledger.length > 0 && { ledgers: ledger }),
        ...(wallet.length > 0 && { wallets: wallet }),
      };
      const named = [...ledger.map((id) => `the ledger ${id}`), ...wallet.map((id) => `the wallet ${id}`)];
      const of = named.length === 0 ? 'all events that you can see' : `the events of ${named.join(', ')}`;
      const opened = announceWatching(terminal, of);
      const follow = { signal: terminal.signal, opened, ...given({ after }) };
      for await (const { place, event } of service.events(filter, follow)) {
        const time = localTime(event.timestamp, terminal.timeZone);
        if (output.isJson) output.line('', { place, ...event });
        else if (event.type === 'contract.event')
          output.line(`${time}  ${'event'.padEnd(widest)}  ${contractEventText(event)}`, event);
        else {
          const { actionId, problem } = event.data;
          const why = problem === null || problem === undefined ? '' : `: ${problem.detail}`;
          const what = `${await descriptions.of(event.data)}${why}`;
          const word = words[event.type] ?? event.type;
          output.line(`${time}  ${word.padEnd(widest)}  ${printable(what)}  ${actionId}`, event);
        }
      }
    },
  }),
];

/** Pages of the console by the kind of record. */
const pages = {
  action: 'actions',
  wallet: 'wallets',
  ledger: 'ledgers',
  plugin: 'plugins',
  webhook: 'webhooks',
};

export const open = [
  command({
    name: 'open',
    about: 'Opens the console in a browser: its overview, or the page of a record.',
    more: 'ledger-ops open action 01a2200f-0d50-74d0-bc22-7e80cf05f7c0',
    arguments: {
      kind: { form: 'optional', values: Object.keys(pages), about: 'Kind of the record.' },
      id: {
        form: 'optional',
        about: 'Id of the record. Default: opens the list of all records of this kind.',
      },
    },
    async run({ profile, terminal, output }, { kind, id }) {
      const page = Object.entries(pages).find(([name]) => name === kind)?.[1];
      if (kind !== undefined && page === undefined)
        throw new CliError('usage', `The console has no ${kind}.`);
      const path = [page, id].flatMap((part) => (part === undefined ? [] : [encodeURIComponent(part)]));
      const url = `${(await profile()).baseUrl}/console/${path.join('/')}`;
      const isOpen = !output.isJson && (await terminal.openBrowser(url));
      output.said(isOpen ? `Opened ${url}` : url, { url });
    },
  }),
];

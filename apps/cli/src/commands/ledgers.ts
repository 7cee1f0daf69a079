import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { taken } from './taken.ts';

/** `name=value` with a value that is JSON where it can be read as such. @throws CliError */
function propertyOf(text: string): { type: { name: string }; value: unknown } {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('usage', `--set takes name=value, and not ${text}.`);
  const value = text.slice(at + 1);
  return { type: { name: text.slice(0, at) }, value: readValue(value) };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const ledgers = [
  command({
    name: 'ledger list',
    about: 'Lists the ledgers that are switched on.',
    options: { limit: { value: 'number', about: 'How many at most; 20.' } },
    async run({ client, output, terminal }, { limit }) {
      const list = (await client()).each('/v1/ledgers', { signal: terminal.signal });
      output.table(
        await taken(list, limit),
        {
          ledger: (one) => one.ledgerID,
          technology: (one) => one.ledgerTechnology.name,
          name: (one) => one.name,
          project: (one) => one.projectId,
        },
        'There is no ledger: ledger-ops ledger add <ledger> --technology <technology> --node <url>',
      );
    },
  }),
  command({
    name: 'ledger show',
    about: 'Shows a ledger with its properties.',
    arguments: { ledgerId: { about: 'Id of the ledger.' } },
    async run({ client, output }, { ledgerId }) {
      const params = { path: { ledgerId } };
      const ledger = await answer((await client()).http.GET('/v1/ledgers/{ledgerId}', { params }));
      output.record(ledger);
    },
  }),
  command({
    name: 'ledger add',
    about: 'Makes a ledger known, with its nodes.',
    more: 'ledger-ops ledger add main --technology ethereum --node https://node.example --set chain_id=1',
    arguments: { ledgerId: { about: 'Its id.' } },
    options: {
      technology: {
        value: 'technology',
        form: 'required',
        about: 'As ledger-ops ledger technologies lists it.',
      },
      node: { value: 'url', form: 'list', about: 'URL of a node; may be repeated.' },
      set: { value: 'name=value', form: 'list', about: 'A property of the ledger; may be repeated.' },
      name: { value: 'text', about: 'For people; else its id.' },
      project: { value: 'project', about: 'Whose it is; else of the application.' },
    },
    async run({ client, output }, { ledgerId, technology, node, set, name, project }) {
      const body = {
        ...{
          ledgerID: ledgerId,
          name: name ?? ledgerId,
          ledgerTechnology: { ledgerTechnologyID: technology },
        },
        ...{ properties: set.map(propertyOf), nodes: node.map((uri) => ({ options: { uri } })) },
        ...(project !== undefined && { projectId: project }),
      };
      const ledger = await answer((await client()).http.POST('/v1/ledgers', { body }));
      output.said(`${ledgerId} is known. ledger-ops wallet create <wallet> --ledger ${ledgerId}`, ledger);
    },
  }),
  command({
    name: 'ledger technologies',
    about: 'Lists the kinds of ledgers that this installation can serve.',
    async run({ client, output }) {
      const { technologies } = await answer((await client()).http.GET('/v1/technologies'));
      output.table(
        technologies,
        { technology: (one) => one.name, title: (one) => one.title },
        'There is none.',
      );
    },
  }),
];

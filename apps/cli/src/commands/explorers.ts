import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { limit, taken } from './taken.ts';

const explorerId = {
  explorerId: { about: 'Id of the explorer, as ledger-ops explorer list shows it.' },
} as const;
/** Links of explorers that others run are of one kind of implementation. */
const kind = 'external-explorer';
const links = {
  transactionUrl: { value: 'template', about: 'Of a transaction: https://explorer.example/tx/{locator}' },
  addressUrl: { value: 'template', about: 'Of an address: https://explorer.example/address/{address}' },
  blockUrl: { value: 'template', about: 'Of a block: https://explorer.example/block/{block}' },
} as const;

/** @throws CliError where none is given */
function propertiesOf(options: { [Name in keyof typeof links]: string | undefined }) {
  const { transactionUrl, addressUrl, blockUrl } = options;
  const found = given({ transaction_url: transactionUrl, address_url: addressUrl, block_url: blockUrl });
  if (Object.keys(found).length > 0) return found;
  throw new CliError('usage', 'A link is needed: --transaction-url, --address-url or --block-url.');
}

export const explorers = [
  command({
    name: 'explorer list',
    about: 'Lists the explorers, to which actions have links.',
    options: {
      ...limit,
      project: { value: 'project', about: 'Of this project; else of the application’s.' },
    },
    async run({ client, output, terminal }, { limit: most, project }) {
      const query = project === undefined ? {} : { projectId: project };
      const list = (await client()).each('/v1/admin/explorers', { query, signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          explorer: (one) => one.explorerId,
          ledger: (one) => one.ledgerId,
          name: (one) => one.name,
          project: (one) => one.projectId,
        },
        'There is no explorer: ledger-ops explorer add <ledger> --transaction-url <template>',
      );
    },
  }),
  command({
    name: 'explorer show',
    about: 'Shows an explorer with its links.',
    arguments: explorerId,
    async run({ client, output }, { explorerId: id }) {
      const params = { path: { explorerId: id } };
      output.record(await answer((await client()).http.GET('/v1/admin/explorers/{explorerId}', { params })));
    },
  }),
  command({
    name: 'explorer add',
    about: 'Adds an explorer to a ledger: actions then have links to it.',
    more: "ledger-ops explorer add main --transaction-url 'https://explorer.example/tx/{locator}'",
    arguments: { ledgerId: { about: 'Id of the ledger.' } },
    options: {
      ...links,
      id: { value: 'id', about: 'Its id; else one is made.' },
      name: { value: 'text', about: 'For people; else the ledger’s id.' },
      node: { value: 'node', about: 'Id of the node that it shows.' },
      project: { value: 'project', about: 'Whose it is; else of the application.' },
    },
    async run({ client, output }, { ledgerId, id, name, node, project, ...options }) {
      const body = {
        ...{ ledgerId, name: name ?? ledgerId },
        implementations: [{ type: kind, properties: propertiesOf(options) }],
        ...given({ explorerId: id, nodeId: node, projectId: project }),
      };
      const made = await answer((await client()).http.POST('/v1/admin/explorers', { body }));
      output.said(`${made.explorerId} is an explorer of ${ledgerId}.`, made);
    },
  }),
  command({
    name: 'explorer change',
    about: 'Changes links of an explorer, or its name; all else of it stays.',
    arguments: explorerId,
    options: { ...links, name: { value: 'text', about: 'For people.' } },
    async run({ client, output }, { explorerId: id, name, ...options }) {
      const { http } = await client();
      const params = { path: { explorerId: id } };
      const isNamedOnly = name !== undefined && Object.values(options).every((one) => one === undefined);
      const changed = isNamedOnly ? {} : propertiesOf(options);
      const { implementations } = await answer(http.GET('/v1/admin/explorers/{explorerId}', { params }));
      const before = implementations.find(({ type }) => type === kind);
      const after = { type: kind, properties: { ...before?.properties, ...changed } };
      const body = {
        ...given({ name }),
        ...(!isNamedOnly && {
          implementations: [...implementations.filter((one) => one !== before), after],
        }),
      };
      const explorer = await answer(http.PUT('/v1/admin/explorers/{explorerId}', { params, body }));
      output.said(`${id} is changed.`, explorer);
    },
  }),
  command({
    name: 'explorer remove',
    about: 'Removes an explorer: actions have no links to it any more.',
    arguments: explorerId,
    async run({ client, output }, { explorerId: id }) {
      const params = { path: { explorerId: id } };
      await (await client()).http.DELETE('/v1/admin/explorers/{explorerId}', { params });
      output.said(`${id} is removed.`, { explorerId: id });
    },
  }),
];

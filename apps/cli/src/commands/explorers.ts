import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { displayName, limit, ofProject, printList } from './lists.ts';

const explorerId = {
  explorerId: { about: 'Id of the explorer, as shown by ledger-ops explorer list.' },
} as const;
/** The implementation type of external explorers. */
const kind = 'external-explorer';
const links = {
  transactionUrl: {
    value: 'template',
    about: 'Template of links to transactions: https://explorer.example/tx/{locator}',
  },
  addressUrl: {
    value: 'template',
    about: 'Template of links to addresses: https://explorer.example/address/{address}',
  },
  blockUrl: {
    value: 'template',
    about: 'Template of links to blocks: https://explorer.example/block/{block}',
  },
} as const;

/** Returns the given links as properties. @throws CliError if no link is given */
function propertiesOf(options: { [Name in keyof typeof links]: string | undefined }) {
  const { transactionUrl, addressUrl, blockUrl } = options;
  const found = given({ transaction_url: transactionUrl, address_url: addressUrl, block_url: blockUrl });
  if (Object.keys(found).length > 0) return found;
  throw new CliError('usage', 'A link is required: --transaction-url, --address-url or --block-url.');
}

export const explorers = [
  command({
    name: 'explorer list',
    isList: true,
    about: 'Lists the explorers that actions link to.',
    options: { ...limit, ...ofProject },
    run: (context, { limit, project: projectId }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/explorers', { query: given({ projectId }), signal }),
        { explorer: 'explorerId', ledger: 'ledgerId', name: 'name', project: 'projectId' },
        'No explorers. To add one: ledger-ops explorer add <ledger> --transaction-url <template>',
      ),
  }),
  command({
    name: 'explorer show',
    about: 'Shows an explorer with its links.',
    arguments: explorerId,
    async run({ client, output }, path) {
      const { http } = await client();
      output.record(await answer(http.GET('/v1/admin/explorers/{explorerId}', { params: { path } })));
    },
  }),
  command({
    name: 'explorer add',
    about: 'Adds an explorer to a ledger. Actions on the ledger then link to it.',
    more: "ledger-ops explorer add main --transaction-url 'https://explorer.example/tx/{locator}'",
    arguments: { ledgerId: { about: 'Id of the ledger.' } },
    options: {
      ...links,
      id: { value: 'id', about: 'Id of the explorer. Default: generated.' },
      ...displayName,
      node: { value: 'node', about: 'Id of a node of the ledger that the explorer shows.' },
      ...ofProject,
    },
    async run({ client, output }, { ledgerId, id, name = ledgerId, node, project, ...options }) {
      const body = {
        ...{ ledgerId, name, implementations: [{ type: kind, properties: propertiesOf(options) }] },
        ...given({ explorerId: id, nodeId: node, projectId: project }),
      };
      const made = await answer((await client()).http.POST('/v1/admin/explorers', { body }));
      output.said(`Added the explorer ${made.explorerId} to ${ledgerId}.`, made);
    },
  }),
  command({
    name: 'explorer change',
    about: 'Changes the given links or the name of an explorer.',
    arguments: explorerId,
    options: { ...links, name: { value: 'text', about: 'Display name.' } },
    async run({ client, output }, { explorerId, name, ...options }) {
      const { http } = await client();
      const params = { path: { explorerId } };
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
      output.said(`Changed ${explorerId}.`, explorer);
    },
  }),
  command({
    name: 'explorer remove',
    about: 'Removes an explorer. Actions then no longer link to it.',
    arguments: explorerId,
    async run({ client, output }, path) {
      await (await client()).http.DELETE('/v1/admin/explorers/{explorerId}', { params: { path } });
      output.said(`Removed ${path.explorerId}.`, path);
    },
  }),
];

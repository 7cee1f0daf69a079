import { answer } from '@ledger-ops/client';
import { statusText } from '@ledger-ops/client/text';
import { command } from '../command.ts';
import { operationText } from './operation-text.ts';

export const search = [
  command({
    name: 'search',
    isList: true,
    about: 'Finds actions, wallets, contracts, templates, ledgers, intents, tags and people.',
    more: `Ids, addresses and transaction hashes match by their first six characters or more, names by any part. Prints at most five
records of each kind.
ledger-ops search 0x52908400098527886e0f7030069857d2e4169ee7
ledger-ops search rent --json`,
    arguments: { text: { about: 'An id, address, transaction hash, name, intent or tag.' } },
    async run({ client, output }, { text }) {
      const params = { query: { q: text } };
      const { items } = await answer((await client()).http.GET('/v1/search', { params }));
      output.table(
        items,
        {
          ...{ kind: 'kind', id: 'id' },
          name: ({ id, name, action }) => {
            if (action !== undefined) return operationText(action);
            return name === id ? null : name;
          },
          detail: ({ detail, action }) => (action === undefined ? detail : statusText(action)),
        },
        `Nothing found for ${text}.`,
      );
    },
  }),
];

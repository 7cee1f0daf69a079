import { answer, type LedgerClient } from '@ledger-ops/client';
import { clientOf } from '../client-of.ts';
import { type Command, type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { changeProfiles } from '../profiles.ts';
import { keepSecret, outFile, tellKept } from './secret-file.ts';
import { limit, taken } from './taken.ts';

const accountId = { accountId: { about: 'Id of the account.' } } as const;

/** The token takes the place of the former one in profiles here: they would be of no use with it. */
async function renewProfiles(
  { profile, terminal }: Context,
  appId: string,
  applicationToken: string,
): Promise<void> {
  const { baseUrl } = await profile();
  await changeProfiles(terminal.environment, ({ current, profiles }) => ({
    current,
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([name, one]) => [
        name,
        one.clientId === appId && one.baseUrl === baseUrl ? { ...one, applicationToken } : one,
      ]),
    ),
  }));
}

export const tokens = [
  command({
    name: 'token account',
    about: 'Makes an API token of a service account.',
    arguments: accountId,
    options: outFile,
    async run(context, { accountId: id, outFile: file }) {
      const { http } = await context.client();
      const params = { path: { accountId: id } };
      const issue = () => answer(http.POST('/v1/admin/accounts/{accountId}/tokens', { params }));
      const { tokenId } = await keepSecret(file, issue, ({ apiToken }) => apiToken);
      tellKept(context, file, { tokenId });
    },
  }),
  command({
    name: 'token list',
    about: 'Lists the API tokens of a service account, the oldest first.',
    arguments: accountId,
    options: limit,
    async run({ client, output, terminal }, { accountId: id, limit: most }) {
      const list = (await client()).each('/v1/admin/accounts/{accountId}/tokens', {
        ...{ path: { accountId: id }, signal: terminal.signal },
      });
      output.table(
        await taken(list, most),
        { token: (one) => one.tokenId, status: (one) => one.status, made: (one) => one.createdAt },
        `There is no token: ledger-ops token account ${id} --out-file <file>`,
      );
    },
  }),
  ...switches('token', 'an API token of a service account', async (client, id, tokenId, status) => {
    const params = { path: { accountId: id, tokenId } };
    const path = '/v1/admin/accounts/{accountId}/tokens/{tokenId}';
    return await answer(client.http.PUT(path, { params, body: { status } }));
  }),
  command({
    name: 'token app',
    about: 'Makes the token of an application; the one before counts until the new one is kept.',
    more: 'Profiles of the application have the new one then. What else runs with the one before takes both where --keep-former is given.',
    arguments: { appId: { about: 'Id of the application.' } },
    options: {
      ...outFile,
      keepFormer: { about: 'Leaves the one before: ledger-ops token end-former <application> ends it.' },
    },
    async run(context, { appId, outFile: file, keepFormer }) {
      const { http } = await context.client();
      const path = { appId };
      // Whoever is killed before the new one is kept has one that counts, which the next try leaves.
      const params = { path, query: { keepFormer: true } };
      const issue = () => answer(http.POST('/v1/admin/apps/{appId}/token', { params }));
      const { appToken } = await keepSecret(file, issue, (issued) => issued.appToken);
      await renewProfiles(context, appId, appToken);
      if (!keepFormer) {
        const renewed = clientOf(await context.profile(), await context.profileName(), context.terminal);
        await renewed.http.DELETE('/v1/admin/apps/{appId}/former-token', { params: { path } });
      }
      tellKept(context, file, { appId });
    },
  }),
  command({
    name: 'token end-former',
    about: 'Ends the token of an application before the last one.',
    arguments: { appId: { about: 'Id of the application.' } },
    async run({ client, output }, { appId }) {
      const params = { path: { appId } };
      await (await client()).http.DELETE('/v1/admin/apps/{appId}/former-token', { params });
      output.said(`Of the tokens of ${appId} the last one alone counts.`, { appId });
    },
  }),
  command({
    name: 'key list',
    about: 'Lists the keys by which a service account signs in, the oldest first.',
    arguments: accountId,
    options: limit,
    async run({ client, output, terminal }, { accountId: id, limit: most }) {
      const list = (await client()).each('/v1/admin/accounts/{accountId}/keys', {
        ...{ path: { accountId: id }, signal: terminal.signal },
      });
      output.table(
        await taken(list, most),
        { key: (one) => one.keyId, status: (one) => one.status, made: (one) => one.createdAt },
        `There is no key: ledger-ops key create ${id} --out-file <file>`,
      );
    },
  }),
  command({
    name: 'key create',
    about: 'Makes a key of a service account; its private part stands in the file, and nowhere else.',
    arguments: accountId,
    options: outFile,
    async run(context, { accountId: id, outFile: file }) {
      const { http } = await context.client();
      const params = { path: { accountId: id } };
      const issue = () => answer(http.POST('/v1/admin/accounts/{accountId}/keys', { params }));
      const { keyId } = await keepSecret(file, issue, (issued) => JSON.stringify(issued));
      tellKept(context, file, { keyId: String(keyId) });
    },
  }),
  ...switches('key', 'a key of a service account', async (client, id, keyId, status) => {
    if (!/^\d{1,15}$/.test(keyId))
      throw new CliError('usage', `${keyId} is no id of a key.`, `ledger-ops key list ${id}`);
    const params = { path: { accountId: id, keyId: Number(keyId) } };
    const path = '/v1/admin/accounts/{accountId}/keys/{keyId}';
    return await answer(client.http.PUT(path, { params, body: { status } }));
  }),
];

/** Two commands: credentials that leaked are switched off, and on again where they did not. */
function switches(
  word: string,
  kind: string,
  set: (client: LedgerClient, accountId: string, id: string, to: 'ENABLED' | 'DISABLED') => Promise<unknown>,
): Command[] {
  const given = { ...accountId, id: { about: `As ledger-ops ${word} list shows it.` } } as const;
  return [
    command({
      name: `${word} disable`,
      about: `Switches ${kind} off: nobody signs in by it any more.`,
      arguments: given,
      async run({ client, output }, { accountId: account, id }) {
        output.said(`${id} is off.`, await set(await client(), account, id, 'DISABLED'));
      },
    }),
    command({
      name: `${word} enable`,
      about: `Switches ${kind} on.`,
      arguments: given,
      async run({ client, output }, { accountId: account, id }) {
        output.said(`${id} is on.`, await set(await client(), account, id, 'ENABLED'));
      },
    }),
  ];
}

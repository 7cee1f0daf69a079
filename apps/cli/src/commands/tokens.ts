import { answer, type LedgerClient } from '@ledger-ops/client';
import { clientOf } from '../client-of.ts';
import { type Command, type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { changeProfiles } from '../profiles.ts';
import { limit, printList } from './lists.ts';
import { keepSecret, outFile, reportKept } from './secret-file.ts';

const accountId = { accountId: { about: 'Id of the service account.' } } as const;

/** Stores the new token in local profiles of the application, because the former token stops working. */
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
    about: 'Creates an API token of a service account.',
    arguments: accountId,
    options: outFile,
    async run(context, { outFile: file, ...path }) {
      const { http } = await context.client();
      const issue = () => answer(http.POST('/v1/admin/accounts/{accountId}/tokens', { params: { path } }));
      const { tokenId } = await keepSecret(file, issue, ({ apiToken }) => apiToken);
      reportKept(context, `API token ${tokenId} of ${path.accountId}`, file, { tokenId });
    },
  }),
  command({
    name: 'token list',
    isList: true,
    about: 'Lists the API tokens of a service account, oldest first.',
    arguments: accountId,
    options: limit,
    run: (context, { limit, ...path }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/accounts/{accountId}/tokens', { path, signal }),
        { token: 'tokenId', status: 'status', created: 'createdAt' },
        `No tokens. To create one: ledger-ops token account ${path.accountId} --out-file <file>`,
      ),
  }),
  ...switches('token', 'an API token of a service account', async (client, id, tokenId, status) => {
    const params = { path: { accountId: id, tokenId } };
    const path = '/v1/admin/accounts/{accountId}/tokens/{tokenId}';
    return await answer(client.http.PUT(path, { params, body: { status } }));
  }),
  command({
    name: 'token app',
    about: 'Replaces the token of an application. The former token is revoked once the new token is stored.',
    more: 'Profiles of the application get the new token. If other programs use the former token, keep both valid with --keep-former.',
    arguments: { appId: { about: 'Id of the application.' } },
    options: {
      ...outFile,
      keepFormer: {
        about: 'Keeps the former token valid until you run: ledger-ops token end-former <application>',
      },
    },
    async run(context, { appId, outFile: file, keepFormer }) {
      const { http } = await context.client();
      const path = { appId };
      // The former token stays valid until the new one is stored, so that a killed command can be repeated.
      const params = { path, query: { keepFormer: true } };
      const issue = () => answer(http.POST('/v1/admin/apps/{appId}/token', { params }));
      const { appToken } = await keepSecret(file, issue, (issued) => issued.appToken);
      await renewProfiles(context, appId, appToken);
      if (!keepFormer) {
        const renewed = clientOf(await context.profile(), await context.profileName(), context.terminal);
        await renewed.http.DELETE('/v1/admin/apps/{appId}/former-token', { params: { path } });
      }
      reportKept(context, `The token of the application ${appId}`, file, { appId });
    },
  }),
  command({
    name: 'token end-former',
    about: 'Revokes the former token of an application.',
    arguments: { appId: { about: 'Id of the application.' } },
    async run({ client, output }, path) {
      await (await client()).http.DELETE('/v1/admin/apps/{appId}/former-token', { params: { path } });
      output.said(`Only the newest token of ${path.appId} is valid.`, path);
    },
  }),
  command({
    name: 'key list',
    isList: true,
    about: 'Lists the keys of a service account, oldest first.',
    arguments: accountId,
    options: limit,
    run: (context, { limit, ...path }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/accounts/{accountId}/keys', { path, signal }),
        { key: 'keyId', status: 'status', created: 'createdAt' },
        `No keys. To create one: ledger-ops key create ${path.accountId} --out-file <file>`,
      ),
  }),
  command({
    name: 'key create',
    about: 'Creates a key of a service account; its private part is only in the file.',
    arguments: accountId,
    options: outFile,
    async run(context, { outFile: file, ...path }) {
      const { http } = await context.client();
      const issue = () => answer(http.POST('/v1/admin/accounts/{accountId}/keys', { params: { path } }));
      const { keyId } = await keepSecret(file, issue, (issued) => JSON.stringify(issued));
      reportKept(context, `Key ${keyId} of ${path.accountId}`, file, { keyId: String(keyId) });
    },
  }),
  ...switches('key', 'a key of a service account', async (client, id, keyId, status) => {
    if (!/^\d{1,15}$/.test(keyId))
      throw new CliError('usage', `${keyId} is not a key id.`, `ledger-ops key list ${id}`);
    const params = { path: { accountId: id, keyId: Number(keyId) } };
    const path = '/v1/admin/accounts/{accountId}/keys/{keyId}';
    return await answer(client.http.PUT(path, { params, body: { status } }));
  }),
];

/** Returns the commands that disable leaked credentials and enable them again. */
function switches(
  word: string,
  kind: string,
  set: (client: LedgerClient, accountId: string, id: string, to: 'ENABLED' | 'DISABLED') => Promise<unknown>,
): Command[] {
  const change = (verb: 'disable' | 'enable', about: string) =>
    command({
      name: `${word} ${verb}`,
      about,
      arguments: { ...accountId, id: { about: `Id of the ${word}, as shown by ledger-ops ${word} list.` } },
      async run({ client, output }, { accountId: account, id }) {
        const isEnabled = verb === 'enable';
        const changed = await set(await client(), account, id, isEnabled ? 'ENABLED' : 'DISABLED');
        output.said(`${isEnabled ? 'Enabled' : 'Disabled'} ${id}.`, changed);
      },
    });
  return [
    change('disable', `Disables ${kind}: nobody can sign in with it.`),
    change('enable', `Enables ${kind} again.`),
  ];
}

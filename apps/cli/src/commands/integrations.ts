import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { keepSecret, outFile } from './access.ts';
import { taken } from './taken.ts';

const limit = { limit: { value: 'number', about: 'How many at most; 20.' } } as const;
const webhookId = { webhookId: { about: 'Id of the webhook.' } } as const;

export const integrations = [
  command({
    name: 'plugin list',
    about: 'Lists the plugins that a project may use.',
    options: { ...limit, project: { value: 'project', form: 'required', about: 'Id of the project.' } },
    async run({ client, output, terminal }, { limit: most, project }) {
      const list = (await client()).each('/v1/plugins', { query: { project }, signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          plugin: (one) => one.id,
          name: (one) => one.name,
          active: (one) => one.active,
          tags: (one) => one.tags,
          url: (one) => one.url,
        },
        'There is no plugin of the project; the built-in ones need no record.',
      );
    },
  }),
  command({
    name: 'plugin add',
    about: 'Registers a plugin.',
    arguments: { url: { about: 'npm:package@version, file:… or https://…, as the deployer allows.' } },
    options: {
      project: { value: 'project', form: 'required', about: 'Whose it is.' },
      name: { value: 'text', form: 'required', about: 'For people.' },
      tag: {
        value: 'tag',
        form: 'list',
        about: 'The technology that it serves, and what ledgers choose it by.',
      },
    },
    async run({ client, output }, { url, project, name, tag }) {
      const body = { url, projectId: project, name, tags: [...tag] };
      const made = await answer((await client()).http.POST('/v1/plugins', { body }));
      output.said(`${made.id} is registered. ledger-ops plugin check ${made.id}`, made);
    },
  }),
  command({
    name: 'plugin check',
    about: 'Tells how a plugin is doing; ends with 3 where it is not loaded.',
    arguments: { pluginId: { about: 'Id of the plugin.' } },
    async run({ client, output }, { pluginId }) {
      const params = { path: { pluginId } };
      const { health, name } = await answer((await client()).http.GET('/v1/plugins/{pluginId}', { params }));
      if (health.loaded)
        return output.said(`${name} is loaded, version ${health.version ?? 'unknown'}.`, health);
      const why = health.lastError?.detail ?? 'nothing has used it yet';
      throw new CliError('found', `${name} is not loaded: ${why}`, 'the log of the server says more');
    },
  }),
  command({
    name: 'webhook list',
    about: 'Lists the webhooks of the project.',
    async run({ client, output }) {
      const { webhooks } = await answer((await client()).http.GET('/v1/webhooks'));
      output.table(
        webhooks,
        {
          webhook: (one) => one.id,
          status: (one) => one.status,
          url: (one) => one.url,
          types: (one) => one.types ?? 'all',
        },
        'There is no webhook: ledger-ops webhook add <url>',
      );
    },
  }),
  command({
    name: 'webhook add',
    about: 'Has events sent to a URL.',
    more: 'Its secret, by which receivers verify what is sent, is written to a file: it is shown once.',
    arguments: { url: { about: 'https, and public; or what the deployer opened.' } },
    options: outFile,
    async run(context, { url, outFile: file }) {
      const { http } = await context.client();
      const issue = () => answer(http.POST('/v1/webhooks', { body: { url, format: 'standard' } }));
      await keepSecret(context, file, issue, ({ secret }) => secret);
    },
  }),
  command({
    name: 'webhook test',
    about: 'Sends a test to a webhook at once; ends with 3 where it is not taken.',
    arguments: webhookId,
    async run({ client, output }, { webhookId: id }) {
      const params = { path: { webhookId: id } };
      const told = await answer((await client()).http.POST('/v1/webhooks/{webhookId}/test', { params }));
      if (told.delivered) return output.said(`Taken, with status ${told.status}.`, told);
      throw new CliError(
        'found',
        `Not taken: ${told.error ?? `status ${told.status}`}.`,
        `ledger-ops webhook list`,
      );
    },
  }),
  command({
    name: 'webhook remove',
    about: 'Removes a webhook, with what it was still to be told.',
    arguments: webhookId,
    async run({ client, output }, { webhookId: id }) {
      await (await client()).http.DELETE('/v1/webhooks/{webhookId}', { params: { path: { webhookId: id } } });
      output.said(`${id} is removed.`, { webhookId: id });
    },
  }),
  command({
    name: 'contract list',
    about: 'Lists the contracts of a group, or the groups of a project.',
    options: {
      ...limit,
      project: { value: 'project', about: 'The groups of this project.' },
      group: { value: 'group', about: 'The contracts of this group.' },
    },
    async run({ client, output, terminal }, { limit: most, project, group }) {
      const ledger = await client();
      const { signal } = terminal;
      if (group === undefined) {
        if (project === undefined) throw new CliError('usage', '--project or --group is missing.');
        const groups = await taken(ledger.each('/v1/contract-groups', { query: { project }, signal }), most);
        const columns = { group: (one: (typeof groups)[number]) => one.groupId };
        return output.table(groups, { ...columns, name: (one) => one.name }, 'There is no group.');
      }
      const path = { contractGroupId: group };
      const list = ledger.each('/v1/contract-groups/{contractGroupId}/instances', { path, signal });
      output.table(
        await taken(list, most),
        {
          contract: (one) => one.contractId,
          name: (one) => one.name,
          ledger: (one) => one.ledgerReference.ledgerId,
          address: (one) => one.ledgerReference.nativeReference,
        },
        'There is no contract in the group.',
      );
    },
  }),
];

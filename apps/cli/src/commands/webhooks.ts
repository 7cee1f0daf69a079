import { answer } from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { limit, printList } from './lists.ts';
import { keepSecret, outFile, reportKept } from './secret-file.ts';

const webhookId = { webhookId: { about: 'Id of the webhook.' } } as const;
const states = ['PENDING', 'DELIVERED', 'DEAD'] as const;
const formats = ['standard', 'cloudevents'] as const;
const types = [
  ...(['action.accepted', 'action.sent', 'action.continued', 'action.cancel_requested'] as const),
  ...(['action.hurry_requested', 'action.succeeded', 'action.failed', 'action.cancelled'] as const),
  ...(['action.retracted', 'action.reinstated', 'contract.event'] as const),
];

async function switchWebhook({ client, output }: Context, id: string, status: 'ENABLED' | 'DISABLED') {
  const params = { path: { webhookId: id } };
  const webhook = await answer(
    (await client()).http.PUT('/v1/webhooks/{webhookId}', { params, body: { status } }),
  );
  const next =
    status === 'ENABLED'
      ? `To replay missed events: ledger-ops webhook replay ${id} --since <time>`
      : `To enable it again: ledger-ops webhook enable ${id}`;
  output.said(`${status === 'ENABLED' ? 'Enabled' : 'Disabled'} ${id}. ${next}`, webhook);
}

export const webhooks = [
  command({
    name: 'webhook list',
    isList: true,
    about: 'Lists the webhooks of the project.',
    async run({ client, output }) {
      const { webhooks } = await answer((await client()).http.GET('/v1/webhooks'));
      output.table(
        webhooks,
        { webhook: 'id', status: 'status', url: 'url', types: (one) => one.types ?? 'all' },
        'No webhooks. To add one: ledger-ops webhook add <url> --out-file <file>',
      );
    },
  }),
  command({
    name: 'webhook add',
    about: 'Creates a webhook that sends events to a URL.',
    more: 'Receivers verify events with the webhook’s secret. It is shown only once, so the command writes it to a file.',
    arguments: {
      url: { about: 'An https URL with a public address, or with an address that the deployer allows.' },
    },
    options: {
      ...outFile,
      type: {
        value: 'type',
        form: 'list',
        values: types,
        about: 'Only events of this type; can be given several times. Default: all.',
      },
      ledger: {
        value: 'ledger',
        form: 'list',
        about: 'Only events on this ledger; can be given several times. Default: all.',
      },
      wallet: {
        value: 'wallet',
        form: 'list',
        about: 'Only actions of this wallet; can be given several times. Default: all.',
      },
      format: {
        value: 'format',
        values: formats,
        about: 'Signature format. Default: standard (Standard Webhooks).',
      },
      description: { value: 'text', about: 'Display name.' },
    },
    async run(context, { url, outFile: file, type, ledger, wallet, format, description }) {
      const { http } = await context.client();
      const body = {
        url,
        ...(type.length > 0 && { types: types.filter((one) => type.includes(one)) }),
        ...(ledger.length > 0 && { ledgers: [...ledger] }),
        ...(wallet.length > 0 && { wallets: [...wallet] }),
        ...formats.flatMap((one) => (one === format ? [{ format: one }] : []))[0],
        ...given({ description }),
      };
      const issue = () => answer(http.POST('/v1/webhooks', { body }));
      const { id: webhookId } = await keepSecret(file, issue, ({ secret }) => secret);
      reportKept(context, `The secret of the webhook ${webhookId}`, file, { webhookId });
    },
  }),
  command({
    name: 'webhook show',
    about: 'Shows a webhook with its filters and its last failures.',
    arguments: webhookId,
    async run({ client, output }, path) {
      const { http } = await client();
      output.record(await answer(http.GET('/v1/webhooks/{webhookId}', { params: { path } })));
    },
  }),
  command({
    name: 'webhook enable',
    about: 'Enables a webhook, even if the service disabled it because of failures.',
    arguments: webhookId,
    run: async (context, given) => await switchWebhook(context, given.webhookId, 'ENABLED'),
  }),
  command({
    name: 'webhook disable',
    about: 'Disables a webhook and abandons its pending deliveries.',
    arguments: webhookId,
    run: async (context, given) => await switchWebhook(context, given.webhookId, 'DISABLED'),
  }),
  command({
    name: 'webhook test',
    about: 'Sends a test event to a webhook; exits with 3 if the receiver does not accept it.',
    arguments: webhookId,
    async run({ client, output }, { webhookId: id }) {
      const params = { path: { webhookId: id } };
      const told = await answer((await client()).http.POST('/v1/webhooks/{webhookId}/test', { params }));
      if (told.delivered) return output.said(`Accepted, with status ${told.status}.`, told);
      throw new CliError(
        'found',
        `Not accepted: ${(told.error ?? `status ${told.status}`).replace(/[.]?$/, '.')}`,
        `ledger-ops webhook deliveries ${id}`,
      );
    },
  }),
  command({
    name: 'webhook remove',
    about: 'Removes a webhook with its pending deliveries.',
    arguments: webhookId,
    async run({ client, output }, path) {
      await (await client()).http.DELETE('/v1/webhooks/{webhookId}', { params: { path } });
      output.said(`Removed ${path.webhookId}.`, path);
    },
  }),
  command({
    name: 'webhook deliveries',
    isList: true,
    about: 'Lists the deliveries of a webhook, newest first.',
    arguments: webhookId,
    options: {
      status: {
        value: 'status',
        values: states,
        about: 'Only deliveries with this status. DEAD means that the service stopped retrying.',
      },
      ...limit,
    },
    run: (context, { status, limit, ...path }) =>
      printList(
        context,
        limit,
        (ledger, signal) =>
          ledger.each('/v1/webhooks/{webhookId}/deliveries', { path, signal, query: given({ status }) }),
        {
          ...{ event: 'eventId', type: 'type', action: 'actionId', status: 'status', tries: 'attempts' },
          'last response': (one) => one.lastStatus ?? one.lastError,
          'next try': 'nextAt',
        },
        'No matching deliveries.',
      ),
  }),
  command({
    name: 'webhook replay',
    about: 'Replays events to a webhook: one, or all since a time.',
    arguments: webhookId,
    options: {
      event: { value: 'event', about: 'Id of the event, as shown by ledger-ops webhook deliveries.' },
      since: { value: 'time', about: 'A time within the last seven days: 2026-11-20T12:30:05Z' },
    },
    async run({ client, output }, { webhookId: id, event, since }) {
      if ((event === undefined) === (since === undefined))
        throw new CliError(
          'usage',
          'Either --event or --since is required.',
          `ledger-ops webhook deliveries ${id}`,
        );
      const body = event === undefined ? { from: since ?? '' } : { eventId: event };
      const { http } = await client();
      await http.POST('/v1/webhooks/{webhookId}/replay', { params: { path: { webhookId: id } }, body });
      output.said(`Queued. Next: ledger-ops webhook deliveries ${id}`, { webhookId: id, ...body });
    },
  }),
  command({
    name: 'webhook rotate',
    about: 'Replaces the secret of a webhook, and writes the new one to a file. It is not shown again.',
    arguments: webhookId,
    options: outFile,
    async run(context, { webhookId: id, outFile: file }) {
      const { http } = await context.client();
      const params = { path: { webhookId: id } };
      const issue = () => answer(http.POST('/v1/webhooks/{webhookId}/secret', { params }));
      await keepSecret(file, issue, ({ secret }) => secret);
      reportKept(context, `The new secret of the webhook ${id}`, file, { webhookId: id });
    },
  }),
];

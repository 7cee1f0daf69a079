import { answer } from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { keepSecret, outFile, tellKept } from './secret-file.ts';
import { limit, taken } from './taken.ts';

const webhookId = { webhookId: { about: 'Id of the webhook.' } } as const;
const states = ['PENDING', 'DELIVERED', 'DEAD'] as const;
const formats = ['standard', 'cloudevents'] as const;
const actionTypes = [
  ...([
    'accepted',
    'sent',
    'continued',
    'cancel_requested',
    'hurry_requested',
    'succeeded',
    'failed',
  ] as const),
  ...(['cancelled', 'retracted', 'reinstated'] as const),
].map((name) => `action.${name}` as const);
const types = [...actionTypes, 'contract.event' as const];

async function switchWebhook({ client, output }: Context, id: string, status: 'ENABLED' | 'DISABLED') {
  const params = { path: { webhookId: id } };
  const webhook = await answer(
    (await client()).http.PUT('/v1/webhooks/{webhookId}', { params, body: { status } }),
  );
  const next =
    status === 'ENABLED'
      ? `What it missed: ledger-ops webhook replay ${id} --since <time>`
      : `Nothing is sent to it. ledger-ops webhook enable ${id}`;
  output.said(`${id} is switched ${status === 'ENABLED' ? 'on' : 'off'}. ${next}`, webhook);
}

export const webhooks = [
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
    options: {
      ...outFile,
      type: {
        value: 'type',
        form: 'list',
        values: types,
        about: 'Events of this type; else all. May be repeated.',
      },
      ledger: {
        value: 'ledger',
        form: 'list',
        about: 'Events on this ledger; else on all. May be repeated.',
      },
      wallet: {
        value: 'wallet',
        form: 'list',
        about: 'Actions of this wallet; else of all. May be repeated.',
      },
      format: { value: 'format', values: formats, about: 'Else standard: as Standard Webhooks has it.' },
      description: { value: 'text', about: 'For people.' },
    },
    async run(context, { url, outFile: file, type, ledger, wallet, format, description }) {
      const { http } = await context.client();
      const body = {
        url,
        ...(type.length > 0 && { types: types.filter((one) => type.includes(one)) }),
        ...(ledger.length > 0 && { ledgers: [...ledger] }),
        ...(wallet.length > 0 && { wallets: [...wallet] }),
        ...formats.flatMap((one) => (one === format ? [{ format: one }] : []))[0],
        ...(description !== undefined && { description }),
      };
      const issue = () => answer(http.POST('/v1/webhooks', { body }));
      const { id: webhookId } = await keepSecret(file, issue, ({ secret }) => secret);
      tellKept(context, file, { webhookId });
    },
  }),
  command({
    name: 'webhook show',
    about: 'Shows a webhook: what it is told, and since when and why it fails.',
    arguments: webhookId,
    async run({ client, output }, { webhookId: id }) {
      const params = { path: { webhookId: id } };
      output.record(await answer((await client()).http.GET('/v1/webhooks/{webhookId}', { params })));
    },
  }),
  command({
    name: 'webhook enable',
    about: 'Switches a webhook on, also one that the service switched off since it failed too long.',
    arguments: webhookId,
    run: async (context, given) => await switchWebhook(context, given.webhookId, 'ENABLED'),
  }),
  command({
    name: 'webhook disable',
    about: 'Switches a webhook off; what it was still to be told is given up.',
    arguments: webhookId,
    run: async (context, given) => await switchWebhook(context, given.webhookId, 'DISABLED'),
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
        `Not taken: ${(told.error ?? `status ${told.status}`).replace(/[.]?$/, '.')}`,
        `ledger-ops webhook deliveries ${id}`,
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
    name: 'webhook deliveries',
    about: 'Lists what a webhook was told, or is to be told, the newest first.',
    arguments: webhookId,
    options: {
      status: { value: 'status', values: states, about: 'Those of this state; DEAD ones were given up.' },
      ...limit,
    },
    async run({ client, output, terminal }, { webhookId: id, status, limit: most }) {
      const list = (await client()).each('/v1/webhooks/{webhookId}/deliveries', {
        ...{ path: { webhookId: id }, signal: terminal.signal },
        query: states.flatMap((one) => (one === status ? [{ status: one }] : []))[0] ?? {},
      });
      output.table(
        await taken(list, most),
        {
          event: (one) => one.eventId,
          type: (one) => one.type,
          action: (one) => one.actionId,
          status: (one) => one.status,
          tries: (one) => one.attempts,
          'last answer': (one) => one.lastStatus ?? one.lastError,
          'next try': (one) => one.nextAt,
        },
        'There is no such delivery.',
      );
    },
  }),
  command({
    name: 'webhook replay',
    about: 'Has a webhook told again: one event, or all since an instant.',
    arguments: webhookId,
    options: {
      event: { value: 'event', about: 'As webhook deliveries lists it.' },
      since: { value: 'time', about: 'Such as 2026-11-20T12:30:05Z, of the last seven days.' },
    },
    async run({ client, output }, { webhookId: id, event, since }) {
      if ((event === undefined) === (since === undefined))
        throw new CliError(
          'usage',
          'Either --event or --since is needed.',
          `ledger-ops webhook deliveries ${id}`,
        );
      const body = event === undefined ? { from: since ?? '' } : { eventId: event };
      const { http } = await client();
      await http.POST('/v1/webhooks/{webhookId}/replay', { params: { path: { webhookId: id } }, body });
      output.said(`It is told again. ledger-ops webhook deliveries ${id}`, { webhookId: id, ...body });
    },
  }),
  command({
    name: 'webhook rotate',
    about: 'Makes a new secret of a webhook, and writes it to a file: it is shown once.',
    arguments: webhookId,
    options: outFile,
    async run(context, { webhookId: id, outFile: file }) {
      const { http } = await context.client();
      const params = { path: { webhookId: id } };
      const issue = () => answer(http.POST('/v1/webhooks/{webhookId}/secret', { params }));
      await keepSecret(file, issue, ({ secret }) => secret);
      tellKept(context, file, { webhookId: id });
    },
  }),
];

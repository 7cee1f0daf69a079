import { answer, type ContractEvent } from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { localTime } from '../output.ts';
import { announceWatching, demandService } from '../progress.ts';

const subscriptionId = {
  subscriptionId: { about: 'Id of the subscription, as shown by ledger-ops contract events list.' },
} as const;

/** @throws CliError */
function blockOf(text: string): number {
  const block = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(block))
    throw new CliError('usage', `--from-block must be a block height, not ${text}.`);
  return block;
}

/** Returns the event's arguments as `name=value`, in the order of the contract's interface. */
function argumentsOf({ data: { args } }: ContractEvent): string {
  return Object.entries(args ?? {})
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

async function change({ client }: Context, subscriptionId: string, status: 'ACTIVE' | 'PAUSED') {
  const params = { path: { subscriptionId } };
  const path = '/v1/contract-subscriptions/{subscriptionId}';
  return await answer((await client()).http.PUT(path, { params, body: { status } }));
}

export const contractEvents = [
  command({
    name: 'contract events list',
    isList: true,
    about:
      'Lists the subscriptions to contract events, with the last block read and the number of blocks behind.',
    async run({ client, output }) {
      const { subscriptions } = await answer((await client()).http.GET('/v1/contract-subscriptions'));
      output.table(
        subscriptions,
        {
          ...{ subscription: 'id', contract: 'contractId', ledger: 'ledgerId' },
          events: (one) => one.events ?? 'all',
          ...{ status: 'status', block: 'blockHeight', behind: 'blocksBehind' },
          'last error': (one) => one.reason ?? one.lastError,
        },
        'No subscriptions. To add one: ledger-ops contract events add <contract>',
      );
    },
  }),
  command({
    name: 'contract events add',
    about: 'Subscribes to the events of a contract, from the next block or an earlier one.',
    more: 'The project’s webhooks also receive the events. To follow them: ledger-ops contract events watch',
    arguments: { contractId: { about: 'Id of a registered contract.' } },
    options: {
      event: {
        value: 'name',
        form: 'list',
        about: 'Events of this name; can be given several times. Default: all.',
      },
      fromBlock: { value: 'height', about: 'The first block to read. Default: the next block.' },
    },
    async run({ client, output }, { contractId, event, fromBlock }) {
      const body = {
        contractId,
        ...(event.length > 0 && { events: [...event] }),
        ...(fromBlock !== undefined && { fromBlock: blockOf(fromBlock) }),
      };
      const made = await answer((await client()).http.POST('/v1/contract-subscriptions', { body }));
      output.said(`Created ${made.id}. Next: ledger-ops contract events watch ${contractId}`, made);
    },
  }),
  command({
    name: 'contract events pause',
    about: 'Pauses reading the events of a contract.',
    arguments: subscriptionId,
    async run(context, { subscriptionId: id }) {
      const paused = await change(context, id, 'PAUSED');
      const next = `To continue from there: ledger-ops contract events resume ${id}`;
      context.output.said(`Paused ${id} at block ${paused.blockHeight}. ${next}`, paused);
    },
  }),
  command({
    name: 'contract events resume',
    about: 'Resumes reading the events of a contract from the block at which it was paused.',
    more: 'Events of the blocks that were added during the pause are also delivered.',
    arguments: subscriptionId,
    async run(context, { subscriptionId: id }) {
      const resumed = await change(context, id, 'ACTIVE');
      const next = 'To see how far it is behind: ledger-ops contract events list';
      context.output.said(`Resumed ${id} after block ${resumed.blockHeight}. ${next}`, resumed);
    },
  }),
  command({
    name: 'contract events remove',
    about: 'Stops reading the events of a contract.',
    arguments: subscriptionId,
    async run({ client, output }, path) {
      const { http } = await client();
      await http.DELETE('/v1/contract-subscriptions/{subscriptionId}', { params: { path } });
      output.said(`Removed ${path.subscriptionId}. Events that were already read are still delivered.`, path);
    },
  }),
  command({
    name: 'contract events watch',
    about: 'Follows the events of contracts, until interrupted.',
    more: 'Only contracts with a subscription are included. To add one: ledger-ops contract events add <contract>',
    arguments: { contractId: { form: 'optional', about: 'Id of a registered contract. Default: all.' } },
    options: {
      after: { value: 'place', about: 'Resumes after the event with this id, as printed with --json.' },
    },
    async run({ client, output, terminal }, { contractId, after }) {
      const service = await client();
      await demandService(service);
      const opened = announceWatching(terminal, `the events of ${contractId ?? 'all contracts'}`);
      const follow = { signal: terminal.signal, opened, ...given({ after }) };
      for await (const { place, event } of service.events({ types: ['contract.event'] }, follow)) {
        if (event.type !== 'contract.event') continue;
        const { timestamp, data } = event;
        if (contractId !== undefined && data.contractId !== contractId) continue;
        const words = [
          localTime(timestamp, terminal.timeZone),
          data.contractId,
          data.name ?? 'unknown',
          argumentsOf(event),
        ];
        output.line([...words, data.transactionId].join('  '), { place, ...event });
      }
    },
  }),
];

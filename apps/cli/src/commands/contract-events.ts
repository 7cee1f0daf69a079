import { answer, type ContractEvent } from '@ledger-ops/client';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { watchingTeller } from '../progress.ts';

const subscriptionId = {
  subscriptionId: { about: 'As contract events list shows it.' },
} as const;

/** @throws CliError */
function blockOf(text: string): number {
  const block = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(block))
    throw new CliError('usage', `--from-block takes the height of a block, and not ${text}.`);
  return block;
}

/** Its arguments by their names, in the order of the contract. */
function argumentsOf({ data: { args } }: ContractEvent): string {
  return Object.entries(args ?? {})
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}

/** Has it read, or no longer. */
async function change({ client }: Context, id: string, status: 'ACTIVE' | 'PAUSED') {
  const params = { path: { subscriptionId: id } };
  const path = '/v1/contract-subscriptions/{subscriptionId}';
  return await answer((await client()).http.PUT(path, { params, body: { status } }));
}

export const contractEvents = [
  command({
    name: 'contract events list',
    about: 'Lists the contracts whose events are read, how far, and how many blocks are still to be read.',
    async run({ client, output }) {
      const { subscriptions } = await answer((await client()).http.GET('/v1/contract-subscriptions'));
      output.table(
        subscriptions,
        {
          subscription: (one) => one.id,
          contract: (one) => one.contractId,
          ledger: (one) => one.ledgerId,
          events: (one) => one.events ?? 'all',
          status: (one) => one.status,
          block: (one) => one.blockHeight,
          behind: (one) => one.blocksBehind,
          trouble: (one) => one.reason ?? one.lastError,
        },
        'Events of no contract are read: ledger-ops contract events add <contract>',
      );
    },
  }),
  command({
    name: 'contract events add',
    about: 'Has the events of a contract read: from now on, or from a block.',
    more: 'Webhooks of the project are told them too; ledger-ops contract events watch follows them.',
    arguments: { contractId: { about: 'Id of a registered contract.' } },
    options: {
      event: { value: 'name', form: 'list', about: 'Those of this name; may be repeated. Absent: all.' },
      fromBlock: { value: 'height', about: 'The first block to read; absent: what comes from now on.' },
    },
    async run({ client, output }, { contractId, event, fromBlock }) {
      const body = {
        contractId,
        ...(event.length > 0 && { events: [...event] }),
        ...(fromBlock !== undefined && { fromBlock: blockOf(fromBlock) }),
      };
      const made = await answer((await client()).http.POST('/v1/contract-subscriptions', { body }));
      output.said(`${made.id} is there. ledger-ops contract events watch ${contractId}`, made);
    },
  }),
  command({
    name: 'contract events pause',
    about: 'Has the events of a contract not read until it is resumed.',
    arguments: subscriptionId,
    async run(context, { subscriptionId: id }) {
      const paused = await change(context, id, 'PAUSED');
      const next = `ledger-ops contract events resume ${id} goes on from there.`;
      context.output.said(`${id} is paused, at block ${paused.blockHeight}. ${next}`, paused);
    },
  }),
  command({
    name: 'contract events resume',
    about: 'Has the events of a contract read again, from where it was paused.',
    more: 'What the contract told meanwhile is told then.',
    arguments: subscriptionId,
    async run(context, { subscriptionId: id }) {
      const resumed = await change(context, id, 'ACTIVE');
      const next = 'ledger-ops contract events list shows how far it is behind.';
      context.output.said(`${id} is read again, behind block ${resumed.blockHeight}. ${next}`, resumed);
    },
  }),
  command({
    name: 'contract events remove',
    about: 'Has the events of a contract read no more.',
    arguments: subscriptionId,
    async run({ client, output }, { subscriptionId: id }) {
      const params = { path: { subscriptionId: id } };
      await (await client()).http.DELETE('/v1/contract-subscriptions/{subscriptionId}', { params });
      output.said(`${id} is removed. Events that were read already are still told.`, { subscriptionId: id });
    },
  }),
  command({
    name: 'contract events watch',
    about: 'Follows the events of contracts, until it is stopped.',
    more: 'Those that are read: ledger-ops contract events add <contract>',
    arguments: { contractId: { form: 'optional', about: 'Id of a registered contract; absent: of all.' } },
    options: {
      after: { value: 'place', about: 'Goes on behind the event at this place, as --json tells it.' },
    },
    async run({ client, output, terminal }, { contractId, after }) {
      const opened = watchingTeller(terminal, `the events of ${contractId ?? 'all contracts'}`);
      const follow = { signal: terminal.signal, opened, ...(after !== undefined && { after }) };
      for await (const { place, event } of (await client()).events({ types: ['contract.event'] }, follow)) {
        if (event.type !== 'contract.event') continue;
        const { timestamp, data } = event;
        if (contractId !== undefined && data.contractId !== contractId) continue;
        const words = [timestamp, data.contractId, data.name ?? 'unknown', argumentsOf(event)];
        output.line([...words, data.transactionId].join('  '), { place, ...event });
      }
    },
  }),
];

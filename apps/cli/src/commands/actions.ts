import {
  type ActionEvent,
  answer,
  type ContractEvent,
  type components,
  type ListParameters,
} from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { waitWithProgress, watchingTeller } from '../progress.ts';
import { walletPassword } from './operations.ts';
import { taken } from './taken.ts';

type Overview = components['schemas']['ActionOverview'];
type Reason = NonNullable<NonNullable<ListParameters<'/v1/ledger-ops/actions'>['query']>['reason']>;
const statuses = ['PENDING', 'SUCCEEDED', 'FAILED'] as const;
const stages = ['blocked', 'ready', 'signed'] as const;
const types = ['transfer', 'contract_call', 'contract_deploy'] as const;

/** In whole units where the ledger has one. */
function amountText({ amount, unit }: Pick<Overview, 'amount' | 'unit'>): string {
  if (amount === null) return '';
  if (unit === null || !/^\d+$/.test(amount)) return amount;
  const digits = amount.padStart(unit.decimals + 1, '0');
  const whole = digits.slice(0, digits.length - unit.decimals);
  const part = digits.slice(digits.length - unit.decimals).replace(/0+$/, '');
  return `${whole}${part === '' ? '' : `.${part}`} ${unit.symbol}`;
}

/** For changes that nothing is kept for that could sign them. */
const password = {
  wallet: { value: 'wallet', about: 'Id of the wallet, where its password is needed: the refusal says so.' },
  passwordFile: {
    value: 'file',
    about: 'File with the password; else LEDGER_OPS_WALLET_PASSWORD, else it is asked for.',
  },
} as const;

const actionId = { actionId: { about: 'Id of the action.' } } as const;
const follow = (id: string) => `ledger-ops action watch ${id} follows it.`;

export const actions = [
  command({
    name: 'action list',
    about: 'Lists actions, the newest first.',
    options: {
      status: { value: 'status', values: statuses, about: 'Those of this state.' },
      stage: { value: 'stage', values: stages, about: 'Those that are pending and stand here.' },
      reason: {
        value: 'code',
        about: 'Those that are pending for this reason, as action counts lists them.',
      },
      pendingFor: { value: 'seconds', about: 'Those that have been pending for so long, or longer.' },
      type: { value: 'type', values: types, about: 'Those of this kind.' },
      wallet: { value: 'wallet', about: 'Those of a wallet.' },
      contract: {
        value: 'contract',
        about: 'Those that call a contract, or deployed it: its id or address.',
      },
      ledger: { value: 'ledger', about: 'Those on a ledger.' },
      project: { value: 'project', about: 'Those of a project; else of all that you may see.' },
      caller: { value: 'identity', about: 'Those that somebody sent.' },
      tag: { value: 'text', about: 'Those with a tag.' },
      intent: { value: 'uuid', about: 'Those of a group.' },
      from: { value: 'time', about: 'Those that were accepted then or later: 2026-11-20T12:30:00Z' },
      to: { value: 'time', about: 'Those that were accepted then or before.' },
      limit: { value: 'number', about: 'How many at most; 20.' },
    },
    async run({ client, output, terminal }, { limit, ledger, pendingFor, reason, ...rest }) {
      if (pendingFor !== undefined && !/^\d{1,9}$/.test(pendingFor))
        throw new CliError('usage', '--pending-for takes a whole number of seconds.');
      const query = given({
        ...rest,
        ledgerId: ledger,
        pendingFor: pendingFor === undefined ? undefined : Number(pendingFor),
        // The service says which there are.
        reason: reason as Reason | undefined,
      });
      const list = (await client()).each('/v1/ledger-ops/actions', { query, signal: terminal.signal });
      output.table(
        await taken(list, limit),
        {
          action: (one) => one.actionId,
          status: (one) => one.status,
          type: (one) => one.method ?? one.type,
          wallet: (one) => one.walletId,
          to: (one) => one.recipient ?? one.contract,
          amount: amountText,
          created: (one) => one.createdAt.slice(0, 19),
          why: (one) => one.pending?.code ?? one.problem?.type.split(':').at(-1),
        },
        'There is no such action.',
      );
    },
  }),
  command({
    name: 'action counts',
    about: 'Counts actions by what became of them, and of those that are pending why.',
    options: {
      ledger: { value: 'ledger', about: 'Those on a ledger.' },
      project: { value: 'project', about: 'Those of a project; else of all that you may see.' },
    },
    async run({ client, output }, { ledger, project }) {
      const params = { query: given({ ledgerId: ledger, project }) };
      const counts = await answer((await client()).http.GET('/v1/ledger-ops/actions/counts', { params }));
      if (output.isJson) return output.record(counts);
      const { status, stage, pending, oldestPendingAt, complete } = counts;
      const rows = Object.entries({ status, stage, reason: pending }).flatMap(([by, numbers]) =>
        Object.entries(numbers).map(([name, count]) => ({ by, name, count })),
      );
      output.table(
        rows,
        { by: (one) => one.by, value: (one) => one.name, actions: (one) => one.count },
        'There is no action.',
      );
      if (oldestPendingAt !== null)
        output.said(`The oldest of those that are pending: ${oldestPendingAt}`, counts);
      if (!complete)
        output.said('Very many are pending: stages and reasons are of the newest 10,000.', counts);
    },
  }),
  command({
    name: 'action show',
    about: 'Shows all that is known of an action.',
    arguments: actionId,
    async run({ client, output }, { actionId: id }) {
      const params = { path: { actionId: id } };
      const details = await answer(
        (await client()).http.GET('/v1/ledger-ops/actions/{actionId}', { params }),
      );
      output.record(details);
    },
  }),
  command({
    name: 'action explain',
    about: 'Tells in sentences what an action is, what it waits for, and what helps.',
    arguments: actionId,
    async run({ client, output }, { actionId: id }) {
      const params = { path: { actionId: id } };
      const told = await answer(
        (await client()).http.GET('/v1/ledger-ops/actions/{actionId}/explain', { params }),
      );
      const next = told.next.map(({ action, request, permission }) => {
        const needs = permission === null ? '' : `, needs ${permission}`;
        return `  ${action}${request === null ? '' : ` (${request.method} ${request.path}${needs})`}`;
      });
      const lines = [
        told.summary,
        '',
        ...told.sentences.map(({ text }) => text),
        ...(next.length > 0 ? ['', 'Next:', ...next] : []),
      ];
      output.said(lines.join('\n'), told);
    },
  }),
  command({
    name: 'action watch',
    about: 'Follows an action to its end, or the events of all that you may see.',
    arguments: {
      actionId: { form: 'optional', about: 'Id of the action; absent: all, until it is stopped.' },
    },
    options: { after: { value: 'place', about: 'Of all: goes on behind the event at this place.' } },
    async run(context, { actionId: id, after }) {
      const { client, output, terminal } = context;
      if (id !== undefined) {
        const action = await waitWithProgress(context, id);
        return output.said(`SUCCEEDED: ${id}, transaction ${action.locator}`, action);
      }
      const opened = watchingTeller(terminal, 'all events that you may see');
      const follow = { signal: terminal.signal, opened, ...(after !== undefined && { after }) };
      for await (const { place, event } of (await client()).events({}, follow)) {
        const { timestamp, type } = event;
        output.line(`${timestamp}  ${type}  ${wordsOf(event)}`.trimEnd(), { place, ...event });
      }
    },
  }),
  command({
    name: 'action cancel',
    about: 'Takes an action back, where the ledger has not done it yet.',
    arguments: actionId,
    options: password,
    async run(context, { actionId: id, wallet, passwordFile }) {
      const body =
        wallet === undefined ? {} : { walletPassword: await walletPassword(context, wallet, passwordFile) };
      const params = { path: { actionId: id } };
      const ledger = await context.client();
      const action = await answer(
        ledger.http.POST('/v1/ledger-ops/actions/{actionId}/cancel', { params, body }),
      );
      const sentence =
        action.status === 'PENDING'
          ? `Asked for; the ledger decides. ${follow(id)}`
          : `${action.status}: ${id}`;
      context.output.said(sentence, action);
    },
  }),
  command({
    name: 'action hurry',
    about: 'Offers the ledger more for an action, so that it comes sooner.',
    arguments: actionId,
    options: {
      ...password,
      maxFee: {
        value: 'amount',
        about: 'The most for a unit of the fee, in the smallest unit; the ledger’s caps hold besides.',
      },
    },
    async run(context, { actionId: id, wallet, passwordFile, maxFee }) {
      const body = {
        ...(wallet === undefined
          ? {}
          : { walletPassword: await walletPassword(context, wallet, passwordFile) }),
        ...(maxFee !== undefined && { maxFee }),
      };
      const params = { path: { actionId: id } };
      const ledger = await context.client();
      const action = await answer(
        ledger.http.POST('/v1/ledger-ops/actions/{actionId}/hurry', { params, body }),
      );
      context.output.said(`Asked for. ${follow(id)}`, action);
    },
  }),
];

function wordsOf(event: ActionEvent | ContractEvent): string {
  if (event.type === 'contract.event') {
    const { contractId, name, transactionId } = event.data;
    return `${contractId}  ${name ?? 'unknown'}  ${transactionId}`;
  }
  const { actionId, walletId, problem } = event.data;
  return `${actionId}  ${walletId}  ${problem?.detail ?? ''}`;
}

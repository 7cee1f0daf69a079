import {
  type Action,
  type ActionEvent,
  answer,
  type ContractEvent,
  type CurrencyUnit,
  type components,
  type ListParameters,
} from '@ledger-ops/client';
import { actionCsv, statusText } from '@ledger-ops/client/text';
import { amountText, readAmount } from '../amounts.ts';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { localTime, withLocalTimes } from '../output.ts';
import { announceWatching, demandService, waitWithProgress } from '../progress.ts';
import { commandOfRequest } from './advice.ts';
import { identityNames, withNames } from './identity-names.ts';
import { limit, printList } from './lists.ts';
import { operationOfWallet, reasonCode } from './operation-text.ts';
import { walletPassword } from './operations.ts';

type Reason = NonNullable<NonNullable<ListParameters<'/v1/ledger-ops/actions'>['query']>['reason']>;
const statuses = ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;
const stages = ['blocked', 'ready', 'signed'] as const;
const types = ['transfer', 'contract_call', 'contract_deploy'] as const;

/** Options of commands that sign a replacement transaction. */
const password = {
  wallet: {
    value: 'wallet',
    about: 'Id of the wallet that signs. Required only if the service requests its password.',
  },
  passwordFile: {
    value: 'file',
    about: 'File with the password. Default: LEDGER_OPS_WALLET_PASSWORD, then a prompt.',
  },
} as const;

/** Parses a price. Without a unit, it is in the smallest unit. @throws CliError */
async function readPrice(text: string, currencyOf: () => Promise<CurrencyUnit | null>): Promise<string> {
  return await readAmount(text, /[a-z]/i.test(text) ? undefined : 'smallest', currencyOf);
}

const actionId = { actionId: { about: 'Id of the action.' } } as const;
const followHint = (id: string) => `To follow it: ledger-ops action watch ${id}`;

export const actions = [
  command({
    name: 'action list',
    isList: true,
    about: 'Lists actions, newest first.',
    options: {
      status: {
        value: 'status',
        values: statuses,
        about: 'Only actions with this status; FAILED includes CANCELED.',
      },
      stage: { value: 'stage', values: stages, about: 'Only pending actions at this stage.' },
      reason: {
        value: 'code',
        about: 'Only actions pending for this reason. To list the reasons: ledger-ops action counts',
      },
      pendingFor: { value: 'seconds', about: 'Only actions pending for this long or longer.' },
      type: { value: 'type', values: types, about: 'Only actions of this type.' },
      wallet: { value: 'wallet', about: 'Only actions of a wallet.' },
      contract: {
        value: 'contract',
        about: 'Only actions that call or deploy this contract: id or address.',
      },
      ledger: { value: 'ledger', about: 'Only actions on a ledger.' },
      project: {
        value: 'project',
        about: 'Only actions of a project. Default: all actions that you can see.',
      },
      caller: { value: 'identity', about: 'Only actions sent by this person or service account.' },
      tag: { value: 'text', about: 'Only actions with this tag.' },
      intent: { value: 'uuid', about: 'Only actions with this intent (an id that groups actions).' },
      from: { value: 'time', about: 'Only actions accepted at or after this time: 2026-11-20T12:30:00Z' },
      to: { value: 'time', about: 'Only actions accepted at or before this time.' },
      ...limit,
    },
    async run(context, { limit, ledger, pendingFor, reason, ...rest }) {
      if (pendingFor !== undefined && !/^\d{1,9}$/.test(pendingFor))
        throw new CliError('usage', '--pending-for must be a whole number of seconds.');
      const query = given({
        ...rest,
        ledgerId: ledger,
        pendingFor: pendingFor === undefined ? undefined : Number(pendingFor),
        // The service validates the reason.
        reason: reason as Reason | undefined,
      });
      await printList(
        context,
        limit,
        (client, signal) => client.each('/v1/ledger-ops/actions', { query, signal }),
        {
          action: 'actionId',
          status: (one) => statusText(one),
          wallet: 'walletId',
          operation: (one) => operationOfWallet(one),
          created: 'createdAt',
          why: (one) => reasonCode(one),
        },
        'No matching actions.',
        actionCsv,
      );
    },
  }),
  command({
    name: 'action counts',
    isList: true,
    about: 'Counts actions by status, and pending ones by reason.',
    options: {
      ledger: { value: 'ledger', about: 'Only actions on a ledger.' },
      project: {
        value: 'project',
        about: 'Only actions of a project. Default: all actions that you can see.',
      },
    },
    async run({ client, output, terminal }, { ledger, project }) {
      const params = { query: given({ ledgerId: ledger, project }) };
      const counts = await answer((await client()).http.GET('/v1/ledger-ops/actions/counts', { params }));
      if (output.isJson) return output.record(counts);
      const { status, stage, pending, oldestPendingAt, complete } = counts;
      const rows = Object.entries({ status, stage, reason: pending }).flatMap(([by, numbers]) =>
        Object.entries(numbers).map(([name, count]) => ({ by, name, count })),
      );
      output.table(rows, { by: 'by', value: 'name', actions: 'count' }, 'No actions.');
      if (oldestPendingAt !== null)
        output.said(`The oldest pending action: ${localTime(oldestPendingAt, terminal.timeZone)}`, counts);
      if (!complete)
        output.said(
          'More than 10,000 actions are pending: stages and reasons cover only the newest 10,000.',
          counts,
        );
    },
  }),
  command({
    name: 'action show',
    about: 'Shows all details of an action.',
    arguments: actionId,
    async run({ client, output }, path) {
      const { http } = await client();
      const action = await answer(http.GET('/v1/ledger-ops/actions/{actionId}', { params: { path } }));
      if (output.isJson) return output.record(action);
      output.record(shownAction(action, await identityNames(http)));
    },
  }),
  command({
    name: 'action explain',
    about: 'Explains an action: what it does, what it waits for, and what you can do.',
    arguments: actionId,
    async run({ client, output, terminal }, path) {
      const { http } = await client();
      const explanation = await answer(
        http.GET('/v1/ledger-ops/actions/{actionId}/explain', { params: { path } }),
      );
      const next = explanation.next.map(({ action, request, permission }) => {
        const needs = permission === null ? '' : ` (needs ${permission})`;
        const how = request === null ? undefined : commandOfRequest(request);
        return `  ${action}${how === undefined ? '' : `\n    ${how}${needs}`}`;
      });
      const lines = [
        ...explanation.sentences.map(({ text }) => text),
        ...(next.length > 0 ? ['', 'Next:', ...next] : []),
      ];
      const text = withNames(lines.join('\n'), await identityNames(http));
      output.said(withLocalTimes(text, terminal.timeZone), explanation);
    },
  }),
  command({
    name: 'action watch',
    about: 'Follows an action to its final state, or the events of all actions that you can see.',
    arguments: {
      actionId: { form: 'optional', about: 'Id of the action. Default: all actions, until interrupted.' },
    },
    options: { after: { value: 'place', about: 'For all actions: resumes after the event with this id.' } },
    async run(context, { actionId: id, after }) {
      const { client, output, terminal } = context;
      if (id !== undefined) {
        const action = await waitWithProgress(context, id, { isSent: false });
        return output.said(`SUCCEEDED: ${id}, transaction ${action.locator}`, action);
      }
      const service = await client();
      await demandService(service);
      const opened = announceWatching(terminal, 'all events that you can see');
      const follow = { signal: terminal.signal, opened, ...given({ after }) };
      for await (const { place, event } of service.events({}, follow)) {
        const { timestamp, type } = event;
        output.line(`${localTime(timestamp, terminal.timeZone)}  ${type}  ${detailsOf(event)}`.trimEnd(), {
          place,
          ...event,
        });
      }
    },
  }),
  command({
    name: 'action cancel',
    about: 'Cancels an action that the ledger has not executed yet.',
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
      context.output.said(cancellationText(action), action);
    },
  }),
  command({
    name: 'action executed',
    about: 'Marks an action as executed by an unknown transaction (ledger-ops wallet unknown).',
    more: 'The service checks that the transaction is final, comes from the action’s wallet, and has the action’s recipient, amount and data. To list the unknown transactions: ledger-ops wallet unknown <wallet>',
    arguments: { ...actionId, txId: { about: 'Id of the transaction.' } },
    async run({ client, output }, { actionId: id, txId }) {
      const params = { path: { actionId: id } };
      const action = await answer(
        (await client()).http.POST('/v1/ledger-ops/actions/{actionId}/executed', { params, body: { txId } }),
      );
      output.said(`${statusText(action)}: ${id}, transaction ${txId}`, action);
    },
  }),
  command({
    name: 'action hurry',
    about: 'Raises the fee of an action, so that the ledger executes it sooner.',
    arguments: actionId,
    options: {
      ...password,
      maxFee: {
        value: 'amount',
        about:
          'Maximum price per unit of the ledger’s fee, such as gas or a byte: "30 gwei", or a number in the smallest unit; the ledger’s caps also apply.',
      },
    },
    async run(context, { actionId: id, wallet, passwordFile, maxFee }) {
      const params = { path: { actionId: id } };
      const ledger = await context.client();
      const currencyOf = async () =>
        (await answer(ledger.http.GET('/v1/ledger-ops/actions/{actionId}', { params }))).unit;
      const body = {
        ...(wallet === undefined
          ? {}
          : { walletPassword: await walletPassword(context, wallet, passwordFile) }),
        ...(maxFee !== undefined && { maxFee: await readPrice(maxFee, currencyOf) }),
      };
      const action = await answer(
        ledger.http.POST('/v1/ledger-ops/actions/{actionId}/hurry', { params, body }),
      );
      context.output.said(`Higher fee requested. ${followHint(id)}`, action);
    },
  }),
];

function cancellationText(action: Action): string {
  if (action.status === 'PENDING')
    return `Cancellation requested; the ledger may still execute the action. ${followHint(action.actionId)}`;
  return statusText(action) === 'CANCELED'
    ? `Canceled ${action.actionId}.`
    : `Not canceled: ${action.actionId} was already ${action.status}.`;
}

/** Returns the members of an action that the table shows, in reading order. `--json` prints all members. */
function shownAction(
  action: components['schemas']['ActionDetails'],
  names: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { steps, creator, unit, problem, pending, fee, argumentsPreview, dependsOn, dependents } = action;
  // Some plugins report fewer figures about an executed transaction.
  const unreported = action.status === 'SUCCEEDED' ? 'not reported' : null;
  const nameOf = (serviceId: string) => names.get(serviceId) ?? serviceId;
  return {
    ...{ action: action.actionId, status: statusText(action), operation: operationOfWallet(action) },
    arguments: textList(argumentsPreview ?? []),
    error: problem?.detail,
    'waiting for': pending && withNames(pending.detail, names),
    retracted: action.retracted?.detail,
    ...{ wallet: action.walletId, ledger: action.ledgerId, project: action.projectId },
    ...{ accepted: steps.accepted, signed: steps.signed, sent: steps.sent, completed: steps.ended },
    ...{
      transaction: action.locator,
      explorer: action.explorerUrl,
      contract: action.contractAddress,
      block: action.blockHeight ?? unreported,
    },
    // Without a currency there are no fees.
    fee: fee === null ? unit && unreported : amountText(fee, unit),
    ...{ tag: action.tag, intent: action.intent || null, deadline: action.deadline, trace: action.traceId },
    'sent by': `${nameOf(creator.serviceId)} with ${creator.appId}`,
    'depends on': textList(dependsOn.map((one) => `${one.actionId} (${one.status})`)),
    'needed by': textList(dependents),
  };
}

/** Returns null for an empty list, so that its line is omitted. */
const textList = (texts: readonly string[]) => (texts.length === 0 ? null : texts.join(', '));

function detailsOf(event: ActionEvent | ContractEvent): string {
  if (event.type === 'contract.event') {
    const { contractId, name, transactionId } = event.data;
    return `${contractId}  ${name ?? 'unknown'}  ${transactionId}`;
  }
  const { actionId, walletId, problem } = event.data;
  return `${actionId}  ${walletId}  ${problem?.detail ?? ''}`;
}

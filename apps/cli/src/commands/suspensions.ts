import { answer, type components, type LedgerClient, ProblemError } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { identityNames } from './identity-names.ts';
import { limit, printList } from './lists.ts';

/** Options of commands on a ledger, a wallet or a project. */
const subject = {
  ledger: { value: 'ledger', about: 'Id of the ledger.' },
  wallet: { value: 'wallet', about: 'Id of the wallet.' },
  project: { value: 'project', about: 'Id of the project.' },
} as const;

type Suspension = components['schemas']['Suspension'];

type Subject = Pick<Suspension, 'ledgerId' | 'walletId' | 'projectId'>;

/** Returns the suspension of one record. @throws ProblemError `not-found` if the user may not see the record */
async function findSuspension({ http }: LedgerClient, query: Subject): Promise<Suspension | undefined> {
  const { suspensions } = await answer(http.GET('/v1/ledger-ops/suspensions', { params: { query } }));
  return suspensions[0];
}

/**
 * Returns the `suspended` field of a record: one line per suspension that applies to it; absent if none does.
 *
 * @param subjects the records whose suspensions apply; those that the user may not see are omitted
 */
export async function suspendedField(
  service: LedgerClient,
  subjects: readonly Subject[],
): Promise<{ suspended?: string[] }> {
  const found = await Promise.all(
    subjects.map((subject) =>
      findSuspension(service, subject).catch((error: unknown) => {
        if (error instanceof ProblemError && error.is('not-found')) return undefined;
        throw error;
      }),
    ),
  );
  const held = found.filter((one) => one !== undefined);
  if (held.length === 0) return {};
  return {
    suspended: held.map((one) => {
      const kind = one.walletId !== undefined ? 'wallet' : one.ledgerId !== undefined ? 'ledger' : 'project';
      return `${kind} ${one.walletId ?? one.ledgerId ?? one.projectId}: ${one.reason}`;
    }),
  };
}

/** Returns the suspension of a ledger, a wallet or a project. @throws CliError if it is not suspended */
async function suspensionOf(service: LedgerClient, subject: Subject): Promise<string> {
  const found = await findSuspension(service, subject);
  if (found !== undefined) return found.suspensionId;
  const id = subject.ledgerId ?? subject.walletId ?? subject.projectId ?? '';
  throw new CliError('failed', `${id} is not suspended.`, '`ledger-ops suspended` lists suspensions');
}

/**
 * Declares that the matching transactions did not execute these actions. If one of the actions has no
 * matching transaction, releases none of them, because the user may have meant another action.
 *
 * @returns a sentence for each released action
 * @throws CliError
 */
async function releaseAll(
  { http }: LedgerClient,
  walletId: string,
  actionIds: readonly string[],
): Promise<string[]> {
  if (actionIds.length === 0) return [];
  const params = { path: { walletId } };
  const { transactions } = await answer(
    http.GET('/v1/cloud-wallet/wallets/{walletId}/unknown-transactions', { params }),
  );
  const matching = actionIds.map((actionId) => ({
    actionId,
    found: transactions.filter(({ matches }) => matches.includes(actionId)),
    isReleased: transactions.some(({ released }) => released.includes(actionId)),
  }));
  const other = matching.find(({ found, isReleased }) => found.length === 0 && !isReleased);
  if (other !== undefined) {
    const message = `No unknown transaction matches the action ${other.actionId}, so it does not need to be released. Nothing was released or resumed.`;
    throw new CliError('failed', message, `ledger-ops wallet unknown ${walletId}`);
  }
  const said: string[] = [];
  for (const { actionId, found } of matching) {
    if (found.length === 0) continue;
    const body = { transactions: found.map(({ id }) => id) };
    await answer(
      http.POST('/v1/ledger-ops/actions/{actionId}/release', { params: { path: { actionId } }, body }),
    );
    const named = found.map(({ txId, sequence }) => txId ?? `nonce ${sequence}`).join(', ');
    said.push(`Released ${actionId}: it was not executed by ${named}.`);
  }
  return said;
}

export const suspensions = [
  command({
    name: 'suspend',
    about: 'Suspends signing for a ledger, a wallet or a project; accepted actions wait.',
    more: 'ledger-ops suspend --ledger main --reason "maintenance of the node"',
    options: {
      ...subject,
      reason: { value: 'text', form: 'required', about: 'Reason, which is shown for waiting actions.' },
    },
    async run({ client, output }, { ledger, wallet, project, reason }) {
      const named = given({ ledgerId: ledger, walletId: wallet, projectId: project });
      if (Object.keys(named).length !== 1)
        throw new CliError('usage', 'Exactly one of --ledger, --wallet and --project is required.');
      const body = { ...named, reason };
      const made = await answer((await client()).http.POST('/v1/ledger-ops/suspensions', { body }));
      output.said(
        `Suspended ${Object.values(named).join('')}. To resume it: ledger-ops resume ${made.suspensionId}`,
        made,
      );
    },
  }),
  command({
    name: 'suspended',
    isList: true,
    about: 'Lists suspensions: what is suspended, by whom and why.',
    options: limit,
    async run(context, { limit }) {
      const names = context.output.isJson
        ? new Map<string, string>()
        : await identityNames((await context.client()).http);
      await printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/ledger-ops/suspensions', { signal }),
        {
          ...{ suspension: 'suspensionId', ledger: 'ledgerId', wallet: 'walletId', project: 'projectId' },
          ...{ reason: 'reason', since: 'createdAt' },
          by: ({ createdBy }) => (createdBy === null ? '' : (names.get(createdBy) ?? createdBy)),
        },
        'Nothing is suspended.',
      );
    },
  }),
  command({
    name: 'resume',
    about: 'Ends a suspension, so that waiting actions are signed.',
    more: 'ledger-ops resume --ledger main\nledger-ops resume --wallet payer --release 019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11\nA wallet is not resumed while unknown transactions may have executed its pending actions: ledger-ops wallet unknown <wallet> lists both. Mark each of these actions as executed (ledger-ops action executed), cancel it (ledger-ops action cancel), or release it with --release if none of the transactions executed it.',
    arguments: {
      suspensionId: { form: 'optional', about: 'Id of the suspension, as shown by ledger-ops suspended.' },
    },
    options: {
      ...subject,
      release: {
        ...{ value: 'action', form: 'list' },
        about:
          'With --wallet: releases this action to be signed. Use it only if no unknown transaction executed the action. Can be given several times.',
      },
    },
    async run({ client, output }, { suspensionId, ledger, wallet, project, release }) {
      const named = given({ ledgerId: ledger, walletId: wallet, projectId: project });
      if (Object.keys({ ...named, ...given({ suspensionId }) }).length !== 1)
        throw new CliError(
          'usage',
          'Exactly one of <suspensionId>, --ledger, --wallet and --project is required.',
        );
      if (release.length > 0 && wallet === undefined)
        throw new CliError('usage', '--release requires --wallet.');
      const service = await client();
      const released = wallet === undefined ? [] : await releaseAll(service, wallet, release);
      const path = { suspensionId: suspensionId ?? (await suspensionOf(service, named)) };
      await service.http.DELETE('/v1/ledger-ops/suspensions/{suspensionId}', { params: { path } });
      const resumed = `Resumed${Object.values(named).map((id) => ` ${id}`)}.`;
      output.said([...released, resumed].join('\n'), path);
    },
  }),
];

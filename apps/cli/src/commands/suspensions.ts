import { answer, type components, type LedgerClient } from '@ledger-ops/client';
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

/** The suspension of a ledger, a wallet or a project. @throws CliError if it is not suspended */
async function suspensionOf(
  service: LedgerClient,
  { ledgerId, walletId, projectId }: Pick<Suspension, 'ledgerId' | 'walletId' | 'projectId'>,
): Promise<string> {
  for await (const one of service.each('/v1/ledger-ops/suspensions')) {
    if (one.ledgerId === ledgerId && one.walletId === walletId && one.projectId === projectId)
      return one.suspensionId;
  }
  const id = ledgerId ?? walletId ?? projectId ?? '';
  throw new CliError('failed', `${id} is not suspended.`, 'ledger-ops suspended lists suspensions');
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
    more: 'ledger-ops resume --ledger main',
    arguments: { suspensionId: { form: 'optional', about: 'As shown by ledger-ops suspended.' } },
    options: subject,
    async run({ client, output }, { suspensionId, ledger, wallet, project }) {
      const named = given({ ledgerId: ledger, walletId: wallet, projectId: project });
      if (Object.keys({ ...named, ...given({ suspensionId }) }).length !== 1)
        throw new CliError(
          'usage',
          'Exactly one of <suspensionId>, --ledger, --wallet and --project is required.',
        );
      const service = await client();
      const path = { suspensionId: suspensionId ?? (await suspensionOf(service, named)) };
      await service.http.DELETE('/v1/ledger-ops/suspensions/{suspensionId}', { params: { path } });
      output.said(`Resumed${Object.values(named).map((id) => ` ${id}`)}.`, path);
    },
  }),
];

import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { limit, taken } from './taken.ts';

export const suspensions = [
  command({
    name: 'suspend',
    about: 'Has nothing more signed for a ledger, a wallet or a project; what was accepted waits.',
    more: 'ledger-ops suspend --ledger main --reason "the node is looked into"',
    options: {
      ledger: { value: 'ledger', about: 'Id of the ledger.' },
      wallet: { value: 'wallet', about: 'Id of the wallet.' },
      project: { value: 'project', about: 'Id of the project.' },
      reason: { value: 'text', form: 'required', about: 'Actions that wait say it.' },
    },
    async run({ client, output }, { ledger, wallet, project, reason }) {
      const named = {
        ...(ledger !== undefined && { ledgerId: ledger }),
        ...(wallet !== undefined && { walletId: wallet }),
        ...(project !== undefined && { projectId: project }),
      };
      if (Object.keys(named).length !== 1)
        throw new CliError('usage', 'One of --ledger, --wallet and --project is needed.');
      const body = { ...named, reason };
      const made = await answer((await client()).http.POST('/v1/ledger-ops/suspensions', { body }));
      output.said(
        `${Object.values(named).join('')} is suspended. ledger-ops resume ${made.suspensionId}`,
        made,
      );
    },
  }),
  command({
    name: 'suspended',
    about: 'Lists what is suspended, and why.',
    options: limit,
    async run({ client, output, terminal }, { limit: most }) {
      const list = (await client()).each('/v1/ledger-ops/suspensions', { signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          suspension: (one) => one.suspensionId,
          ledger: (one) => one.ledgerId,
          wallet: (one) => one.walletId,
          project: (one) => one.projectId,
          reason: (one) => one.reason,
          since: (one) => one.createdAt,
        },
        'Nothing is suspended.',
      );
    },
  }),
  command({
    name: 'resume',
    about: 'Ends a suspension: what waited for it is signed.',
    arguments: { suspensionId: { about: 'As ledger-ops suspended lists it.' } },
    async run({ client, output }, { suspensionId }) {
      const params = { path: { suspensionId } };
      await (await client()).http.DELETE('/v1/ledger-ops/suspensions/{suspensionId}', { params });
      output.said('It goes on.', { suspensionId });
    },
  }),
];

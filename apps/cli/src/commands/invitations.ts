import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { given } from '../given.ts';
import { localTime } from '../output.ts';
import { firstOf, limit } from './lists.ts';

const invitationStates = ['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELED', 'EXPIRED'] as const;

/** Removes the invitation token, which only the invited person may know. */
function withoutToken<T extends { invitationToken: string }>({ invitationToken: _, ...rest }: T) {
  return rest;
}

function deliveryHint(initLink: string | undefined): string[] {
  if (initLink === undefined) return [];
  return [
    'The server has no mail server (SMTP_URL), so no mail is delivered. Send the person this link:',
    initLink,
    'The link sets the first password and works once. Anyone who has the link can open the account.',
  ];
}

export const invitations = [
  command({
    name: 'invite send',
    about: 'Invites a person to an organization, by mail.',
    arguments: { email: { about: 'E-mail address of the person.' } },
    options: {
      org: { value: 'organization', form: 'required', about: 'Id of the organization.' },
      role: {
        ...{ value: 'role@resource', form: 'list' },
        about:
          'A role for the person: transactor@till; can be given several times. Without a role the person sees nothing.',
      },
      message: { value: 'text', about: 'A message to include in the mail.' },
    },
    async run({ client, output, terminal }, { email, org, role, message }) {
      const roles = role.map(readRole);
      const body = { email, organizationId: org, roles, ...given({ message }) };
      const made = await answer((await client()).http.POST('/v1/admin/invitations', { body }));
      output.said(
        [
          `Invited ${email}. The invitation expires at ${localTime(made.expiresAt, terminal.timeZone)}.`,
          ...deliveryHint(made.initLink),
        ].join('\n'),
        withoutToken(made),
      );
    },
  }),
  command({
    name: 'invite list',
    isList: true,
    about: 'Lists the invitations that you can manage or have received.',
    options: {
      ...limit,
      state: {
        ...{ value: 'state', values: invitationStates },
        about: 'Only invitations in this state. Default: PENDING.',
      },
      org: { value: 'organization', about: 'Only invitations to this organization.' },
    },
    async run({ client, output, terminal }, { limit: most, state, org }) {
      const query = given({ state, resourceId: org });
      const list = (await client()).each('/v1/admin/invitations', { query, signal: terminal.signal });
      output.table(
        (await firstOf(list, most)).map(withoutToken),
        {
          ...{ invitation: 'invitationId', email: 'email', organization: 'organizationId' },
          ...{ state: 'state', expires: 'expiresAt' },
        },
        'No matching invitations. To send one: ledger-ops invite send <email> --org <organization>',
      );
    },
  }),
  command({
    name: 'invite cancel',
    about: 'Cancels an invitation.',
    arguments: { invitationId: { about: 'Id of the invitation, as shown by ledger-ops invite list.' } },
    async run({ client, output }, { invitationId }) {
      if (!/^\d{1,15}$/.test(invitationId))
        throw new CliError('usage', `${invitationId} is not an invitation id.`, 'ledger-ops invite list');
      const params = { path: { invitationId: Number(invitationId) } };
      await (await client()).http.DELETE('/v1/admin/invitations/{invitationId}', { params });
      output.said(`Canceled the invitation ${invitationId}.`, { invitationId });
    },
  }),
];

/** @throws CliError */
function readRole(text: string): { role: string; resourceId: string } {
  const at = text.indexOf('@');
  const [role, resourceId] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || resourceId === '')
    throw new CliError('usage', `--role must be role@resource, such as transactor@till, not ${text}.`);
  return { role, resourceId };
}

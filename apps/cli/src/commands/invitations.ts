import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { limit, taken } from './taken.ts';

const invitationStates = ['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELED', 'EXPIRED'] as const;

/** It names the invitation to who was invited, and to nobody else. */
function withoutHandle<T extends { invitationToken: string }>({ invitationToken: _, ...rest }: T) {
  return rest;
}

export const invitations = [
  command({
    name: 'invite send',
    about: 'Invites a person into an organization, by mail.',
    arguments: { email: { about: 'Address of the person.' } },
    options: {
      org: { value: 'organization', form: 'required', about: 'Id of the organization.' },
      role: {
        ...{ value: 'role@resource', form: 'list' },
        about: 'What the person may do then: transactor@till; may be repeated. Without one nothing is seen.',
      },
      message: { value: 'text', about: 'Stands in the mail.' },
    },
    async run({ client, output }, { email, org, role, message }) {
      const roles = role.map(readRole);
      const body = { email, organizationId: org, roles, ...(message !== undefined && { message }) };
      const made = await answer((await client()).http.POST('/v1/admin/invitations', { body }));
      output.said(`${email} is invited, until ${made.expiresAt}.`, withoutHandle(made));
    },
  }),
  command({
    name: 'invite list',
    about: 'Lists invitations that you may make, or were sent.',
    options: {
      ...limit,
      state: {
        ...{ value: 'state', values: invitationStates },
        about: 'Those of this state; else those that wait for an answer.',
      },
      org: { value: 'organization', about: 'Those into this organization.' },
    },
    async run({ client, output, terminal }, { limit: most, state, org }) {
      const query = {
        ...invitationStates.flatMap((one) => (one === state ? [{ state: one }] : []))[0],
        ...(org !== undefined && { resourceId: org }),
      };
      const list = (await client()).each('/v1/admin/invitations', { query, signal: terminal.signal });
      output.table(
        (await taken(list, most)).map(withoutHandle),
        {
          invitation: (one) => one.invitationId,
          email: (one) => one.email,
          organization: (one) => one.organizationId,
          state: (one) => one.state,
          expires: (one) => one.expiresAt,
        },
        'There is no such invitation: ledger-ops invite send <email> --org <organization>',
      );
    },
  }),
  command({
    name: 'invite cancel',
    about: 'Takes an invitation back.',
    arguments: { invitationId: { about: 'As invite list shows it.' } },
    async run({ client, output }, { invitationId }) {
      if (!/^\d{1,15}$/.test(invitationId))
        throw new CliError('usage', `${invitationId} is no id of an invitation.`, 'ledger-ops invite list');
      const params = { path: { invitationId: Number(invitationId) } };
      await (await client()).http.DELETE('/v1/admin/invitations/{invitationId}', { params });
      output.said('Nobody can accept it any more.', { invitationId });
    },
  }),
];

/** @throws CliError */
function readRole(text: string): { role: string; resourceId: string } {
  const at = text.indexOf('@');
  const [role, resourceId] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || resourceId === '')
    throw new CliError('usage', `--role takes role@resource, such as transactor@till, and not ${text}.`);
  return { role, resourceId };
}

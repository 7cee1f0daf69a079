import { answer, type components } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { limit, printList } from './lists.ts';

export const roles = [
  command({
    name: 'role list',
    isList: true,
    about: 'Lists the available roles.',
    async run({ client, output }) {
      const { items } = await answer((await client()).http.GET('/v1/admin/roles'));
      const holder = ({ heldBy }: (typeof items)[number]) =>
        heldBy === 'APP' ? 'application' : 'person or service account';
      output.table(items, { role: 'role', 'held by': holder, description: 'description' }, 'No roles.');
    },
  }),
  command({
    name: 'role grants',
    isList: true,
    about: 'Lists the roles on a resource, or of an identity.',
    options: {
      ...limit,
      resource: { value: 'resource', about: 'Id or uid of an organization, a project, a wallet, …' },
      identity: {
        value: 'identity',
        about:
          'Identity of a person or of a service account. To list those of service accounts: ledger-ops account list',
      },
    },
    async run(context, { limit, resource, identity }) {
      if ((resource === undefined) === (identity === undefined))
        throw new CliError('usage', 'Either --resource or --identity is required.');
      const query = resource === undefined ? { serviceId: identity ?? '' } : { resourceId: resource };
      await printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/role-grants', { query, signal }),
        { who: 'identifier', role: 'role', on: 'resourceId', kind: 'resourceType', identity: 'serviceId' },
        'No matching roles. To grant one: ledger-ops role grant <identity> <role> <resource>',
      );
    },
  }),
  command({
    name: 'role grant',
    about: 'Grants an identity a role on a resource and everything below it.',
    arguments: {
      serviceId: {
        about:
          'Identity of a person or of a service account. To list those of service accounts: ledger-ops account list',
      },
      role: { about: 'Name of the role, as shown by ledger-ops role list.' },
      resourceId: { about: 'Id or uid of an organization, a project, a wallet, …' },
    },
    async run({ client, output }, { serviceId, role, resourceId }) {
      const body = { serviceId, role, resourceId };
      const made = await answer((await client()).http.POST('/v1/admin/role-grants', { body }));
      output.said(
        `${made.identifier} now has the role ${role} on ${made.resourceType} ${made.resourceId}.`,
        made,
      );
    },
  }),
  command({
    name: 'role revoke',
    about:
      'Revokes a role, and lists the identity’s remaining roles on the resource and below it; --all also revokes those.',
    arguments: {
      serviceId: { about: 'The identity.' },
      role: { about: 'The role.' },
      resourceId: { about: 'Id or uid of the resource.' },
    },
    options: { all: { about: 'Revokes every role of the identity on the resource and below it.' } },
    async run({ client, output }, { serviceId, role, resourceId, all }) {
      const { http } = await client();
      if (all) {
        const done = await answer(
          http.DELETE('/v1/admin/role-grants/{resourceId}/{serviceId}', {
            params: { path: { resourceId, serviceId } },
          }),
        );
        return output.said(revokedText(done, identityHolder(serviceId)), done);
      }
      const path = { resourceId, serviceId, role };
      const left = await answer(
        http.DELETE('/v1/admin/role-grants/{resourceId}/{serviceId}/{role}', { params: { path } }),
      );
      output.said(remainingText(left, path, identityHolder(serviceId)), { ...path, ...left });
    },
  }),
  command({
    name: 'role revoke-app',
    about:
      'Revokes a role of an application, and lists its remaining roles on the resource and below it; --all also revokes those.',
    arguments: {
      appId: { about: 'Id of the application.' },
      role: { about: 'The role.' },
      resourceId: { about: 'Id or uid of the resource.' },
    },
    options: { all: { about: 'Revokes every role of the application on the resource and below it.' } },
    async run({ client, output }, { appId, role, resourceId, all }) {
      const { http } = await client();
      if (all) {
        const done = await answer(
          http.DELETE('/v1/admin/app-role-grants/{resourceId}/{appId}', {
            params: { path: { resourceId, appId } },
          }),
        );
        return output.said(revokedText(done, appHolder(appId)), done);
      }
      const path = { resourceId, appId, role };
      const left = await answer(
        http.DELETE('/v1/admin/app-role-grants/{resourceId}/{appId}/{role}', { params: { path } }),
      );
      output.said(remainingText(left, path, appHolder(appId)), { ...path, ...left });
    },
  }),
  command({
    name: 'role check',
    about: 'Checks whether you have a permission on a resource; exits with 3 if not.',
    arguments: {
      resourceId: { about: 'Id or uid of the resource.' },
      permissions: { form: 'rest', about: 'Permissions, for example wallet:transact.' },
    },
    async run({ client, output }, { resourceId, permissions }) {
      const query = { resourceId, permissions: [...permissions] };
      const told = await answer(
        (await client()).http.GET('/v1/admin/permission-check', { params: { query } }),
      );
      if (told.allowed) return output.said('Allowed.', told);
      const missing = [...new Set([...told.missingOfIdentity, ...told.missingOfApp])].join(', ');
      throw new CliError(
        'found',
        `You do not have ${missing} on ${resourceId}.`,
        '`ledger-ops role list` shows which role has it',
      );
    },
  }),
  command({
    name: 'role permissions',
    about:
      'Lists the permissions that an identity’s roles grant on a resource. A request also needs each permission from the roles of its application.',
    arguments: {
      serviceId: {
        about:
          'Identity of a person or of a service account. To list those of service accounts: ledger-ops account list',
      },
      resourceId: { about: 'Id or uid of the resource.' },
    },
    async run({ client, output }, { serviceId, resourceId }) {
      const query = { serviceId, resourceId };
      const { http } = await client();
      const told = await answer(http.GET('/v1/admin/identity-permissions', { params: { query } }));
      output.said(
        told.permissions.length > 0
          ? told.permissions.join('\n')
          : `No permissions. Next: ledger-ops role grant ${serviceId} <role> ${resourceId}`,
        told,
      );
    },
  }),
];

const mostLines = 20;

type Grant = Pick<components['schemas']['AdminRoleGrant'], 'role' | 'resourceType' | 'resourceId'>;

/** The holder of a revoked role, and the command that revokes its roles. */
interface Holder {
  readonly noun: 'identity' | 'application';
  readonly command: string;
}

const identityHolder = (serviceId: string): Holder => ({
  noun: 'identity',
  command: `ledger-ops role revoke ${serviceId}`,
});
const appHolder = (appId: string): Holder => ({
  noun: 'application',
  command: `ledger-ops role revoke-app ${appId}`,
});

/** Applications are not invited, so their responses have no invitations. */
interface Remaining {
  readonly remaining: number;
  readonly remainingGrants: readonly Grant[];
  readonly openInvitations?: number;
  readonly inheritedGrants: readonly Grant[];
}

function remainingText(
  { remaining, remainingGrants, openInvitations = 0, inheritedGrants }: Remaining,
  { role, resourceId }: { role: string; resourceId: string },
  holder: Holder,
): string {
  if (remaining === 0 && openInvitations === 0)
    return ['The role is revoked.', ...inheritedLines(inheritedGrants, holder)].join('\n');
  const named = remainingGrants.slice(0, mostLines);
  return [
    remaining === 0
      ? 'The role is revoked.'
      : `The role is revoked, but the ${holder.noun} still has ${remaining} on ${resourceId} and below it:`,
    ...named.map((one) => `  ${one.role} on ${one.resourceType} ${one.resourceId}`),
    ...(remaining > named.length ? [`  and ${remaining - named.length} more`] : []),
    ...(openInvitations === 0
      ? []
      : ['An open invitation still offers the person roles on this resource or below it.']),
    `Revoke them all: ${holder.command} ${role} ${resourceId} --all`,
    ...inheritedLines(inheritedGrants, holder),
  ].join('\n');
}

interface Revoked {
  readonly revoked: number;
  readonly withdrawnInvitations?: number;
  readonly inheritedGrants: readonly Grant[];
}

function revokedText(
  { revoked, withdrawnInvitations = 0, inheritedGrants }: Revoked,
  holder: Holder,
): string {
  const withdrawn =
    withdrawnInvitations === 0 ? '' : ' An open invitation no longer offers roles on the resource.';
  const first = `Revoked ${revoked} ${revoked === 1 ? 'role' : 'roles'}.${withdrawn}`;
  return [first, ...inheritedLines(inheritedGrants, holder)].join('\n');
}

/** Names the roles on parent resources, each with the command that revokes it. */
function inheritedLines(grants: readonly Grant[], { command }: Holder): string[] {
  if (grants.length === 0) return [];
  return [
    'Roles on parent resources still apply there:',
    ...grants.map(
      ({ role, resourceType, resourceId }) =>
        `  ${role} on ${resourceType} ${resourceId}: ${command} ${role} ${resourceId}`,
    ),
  ];
}

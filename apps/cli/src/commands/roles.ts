import { answer } from '@ledger-ops/client';
import { command } from '../command.ts';
import { CliError } from '../errors.ts';
import { limit, taken } from './taken.ts';

export const roles = [
  command({
    name: 'role list',
    about: 'Lists the roles that there are.',
    async run({ client, output }) {
      const { items } = await answer((await client()).http.GET('/v1/admin/roles'));
      output.table(
        items,
        { role: (one) => one.role, 'held by': (one) => one.heldBy, description: (one) => one.description },
        'There is no role.',
      );
    },
  }),
  command({
    name: 'role grants',
    about: 'Lists who has which role on a resource, or which roles an identity has.',
    options: {
      ...limit,
      resource: { value: 'resource', about: 'Id or uid of an organization, a project, a wallet, …' },
      identity: { value: 'identity', about: 'Of an account, as account list shows it, or of a person.' },
    },
    async run({ client, output, terminal }, { limit: most, resource, identity }) {
      if ((resource === undefined) === (identity === undefined))
        throw new CliError('usage', 'Either --resource or --identity is needed.');
      const query = resource === undefined ? { serviceId: identity ?? '' } : { resourceId: resource };
      const list = (await client()).each('/v1/admin/role-grants', { query, signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          who: (one) => one.identifier,
          role: (one) => one.role,
          on: (one) => one.resourceId,
          kind: (one) => one.resourceType,
          identity: (one) => one.serviceId,
        },
        'There is no such role: ledger-ops role grant <identity> <role> <resource>',
      );
    },
  }),
  command({
    name: 'role grant',
    about: 'Gives an identity a role on a resource, and on all below it.',
    arguments: {
      serviceId: { about: 'The identity: of an account, as account list shows it.' },
      role: { about: 'As role list shows it.' },
      resourceId: { about: 'Id or uid of an organization, a project, a wallet, …' },
    },
    async run({ client, output }, { serviceId, role, resourceId }) {
      const body = { serviceId, role, resourceId };
      const made = await answer((await client()).http.POST('/v1/admin/role-grants', { body }));
      output.said(`${made.identifier} is ${role} on ${made.resourceType} ${made.resourceId}.`, made);
    },
  }),
  command({
    name: 'role revoke',
    about: 'Takes a role away.',
    arguments: {
      serviceId: { about: 'The identity.' },
      role: { about: 'The role.' },
      resourceId: { about: 'Id or uid of the resource.' },
    },
    async run({ client, output }, { serviceId, role, resourceId }) {
      const path = { resourceId, serviceId, role };
      await (await client()).http.DELETE('/v1/admin/role-grants/{resourceId}/{serviceId}/{role}', {
        params: { path },
      });
      output.said('The role is taken away.', path);
    },
  }),
  command({
    name: 'role check',
    about: 'Tells whether you may do something on a resource; ends with 3 where not.',
    arguments: {
      resourceId: { about: 'Id or uid of the resource.' },
      permissions: { form: 'rest', about: 'Such as wallet:transact.' },
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
        `Not allowed: ${missing} is missing.`,
        'ledger-ops role list shows which role has it',
      );
    },
  }),
  command({
    name: 'role permissions',
    about:
      'Tells what the roles of an identity let it do on a resource; what its application may is another half.',
    arguments: {
      serviceId: { about: 'The identity: of an account, as account list shows it, or of a person.' },
      resourceId: { about: 'Id or uid of the resource.' },
    },
    async run({ client, output }, { serviceId, resourceId }) {
      const query = { serviceId, resourceId };
      const { http } = await client();
      const told = await answer(http.GET('/v1/admin/identity-permissions', { params: { query } }));
      output.said(
        told.permissions.length > 0
          ? told.permissions.join('\n')
          : `Nothing. ledger-ops role grant ${serviceId} <role> ${resourceId}`,
        told,
      );
    },
  }),
];

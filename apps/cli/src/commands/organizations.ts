import { answer, type LedgerClient } from '@ledger-ops/client';
import { type Command, command } from '../command.ts';
import { given } from '../given.ts';
import { displayName, limit, printList } from './lists.ts';

const listed = { ...limit, archived: { about: 'Lists archived records instead.' } } as const;
const org = { org: { value: 'organization', form: 'required', about: 'Id of the organization.' } } as const;
const project = { project: { value: 'project', form: 'required', about: 'Id of the project.' } } as const;

export const organizations = [
  command({
    name: 'org list',
    isList: true,
    about: 'Lists organizations.',
    options: listed,
    run: (context, { limit, archived }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/organizations', { query: { archived }, signal }),
        { organization: 'organizationId', name: 'name', uid: 'uid' },
        'No organizations are visible to you. To create one: ledger-ops org create <organization>',
      ),
  }),
  command({
    name: 'org create',
    about: 'Creates an organization.',
    arguments: { organizationId: { about: 'Id of the new organization.' } },
    options: displayName,
    async run({ client, output }, { organizationId, name = organizationId }) {
      const body = { organizationId, name };
      const made = await answer((await client()).http.POST('/v1/admin/organizations', { body }));
      output.said(`Created ${organizationId}, ${made.uid}.`, made);
    },
  }),
  command({
    name: 'project list',
    isList: true,
    about: 'Lists projects.',
    options: { ...listed, ...org },
    run: (context, { limit, archived, org: organizationId }) =>
      printList(
        context,
        limit,
        (ledger, signal) =>
          ledger.each('/v1/admin/projects', { query: { organizationId, archived }, signal }),
        { project: 'projectId', organization: 'organizationId', name: 'name', uid: 'uid' },
        'No projects are visible to you. To list archived projects, add --archived.',
      ),
  }),
  command({
    name: 'project create',
    about: 'Creates a project in an organization.',
    arguments: { projectId: { about: 'Id of the new project.' } },
    options: { ...org, ...displayName },
    async run({ client, output }, { projectId, org: organizationId, name = projectId }) {
      const body = { projectId, organizationId, name };
      const made = await answer((await client()).http.POST('/v1/admin/projects', { body }));
      output.said(`Created ${projectId}, ${made.uid}.`, made);
    },
  }),
  command({
    name: 'app list',
    isList: true,
    about: 'Lists applications.',
    options: { ...listed, ...project },
    run: (context, { limit, archived, project: projectId }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/apps', { query: { projectId, archived }, signal }),
        { app: 'appId', project: 'projectId', name: 'name' },
        'No applications are visible to you. To list archived applications, add --archived.',
      ),
  }),
  command({
    name: 'app create',
    about: 'Creates an application in a project, and grants it a role on the project.',
    arguments: { appId: { about: 'Id of the new application.' } },
    options: {
      ...project,
      ...displayName,
      redirectUri: {
        value: 'url',
        form: 'list',
        about: 'A URL to which people are redirected after signing in; can be given several times.',
      },
    },
    async run({ client, output }, { appId, project: projectId, name = appId, redirectUri }) {
      const { http } = await client();
      const body = { appId, projectId, name, redirectUris: [...redirectUri] };
      const made = await answer(http.POST('/v1/admin/apps', { body }));
      await http.PUT('/v1/admin/app-role-grants/{resourceId}/{appId}', {
        params: { path: { resourceId: projectId, appId } },
        body: { role: 'application' },
      });
      output.said(`Created ${appId}. Next: ledger-ops token app ${appId} --out-file <file>`, made);
    },
  }),
  command({
    name: 'app change',
    about: 'Changes the name or the redirect URLs of an application.',
    arguments: { appId: { about: 'Id of the application.' } },
    options: {
      name: { value: 'text', about: 'Display name.' },
      redirectUri: {
        value: 'url',
        form: 'list',
        about: 'All redirect URLs; they replace the existing ones.',
      },
    },
    async run({ client, output }, { appId, name, redirectUri }) {
      const body = {
        ...given({ name }),
        ...(redirectUri.length > 0 && { redirectUris: [...redirectUri] }),
      };
      const params = { path: { appId } };
      const app = await answer((await client()).http.PUT('/v1/admin/apps/{appId}', { params, body }));
      output.said(`Changed ${appId}.`, app);
    },
  }),
  command({
    name: 'account list',
    isList: true,
    about: 'Lists service accounts.',
    options: { ...listed, ...project },
    run: (context, { limit, archived, project: projectId }) =>
      printList(
        context,
        limit,
        (ledger, signal) => ledger.each('/v1/admin/accounts', { query: { projectId, archived }, signal }),
        { account: 'accountId', project: 'projectId', name: 'name', identity: 'serviceId' },
        'No service accounts are visible to you. To list archived service accounts, add --archived.',
      ),
  }),
  command({
    name: 'account create',
    about: 'Creates a service account in a project.',
    more: 'The new service account cannot see anything until it has a role: ledger-ops role grant <identity> <role> <resource>',
    arguments: { accountId: { about: 'Id of the new service account.' } },
    options: { ...project, ...displayName },
    async run({ client, output }, { accountId, project: projectId, name = accountId }) {
      const body = { accountId, projectId, name };
      const made = await answer((await client()).http.POST('/v1/admin/accounts', { body }));
      const { serviceId } = made;
      output.said(
        `Created ${accountId}, identity ${serviceId}. Next: ledger-ops role grant ${serviceId} <role> ${projectId}`,
        made,
      );
    },
  }),
  ...archiving('org', 'an organization', 'organization', (http, organizationId, change) =>
    http.POST(`/v1/admin/organizations/{organizationId}/${change}`, { params: { path: { organizationId } } }),
  ),
  ...archiving('project', 'a project', 'project', (http, projectId, change) =>
    http.POST(`/v1/admin/projects/{projectId}/${change}`, { params: { path: { projectId } } }),
  ),
  ...archiving('app', 'an application', 'application', (http, appId, change) =>
    http.POST(`/v1/admin/apps/{appId}/${change}`, { params: { path: { appId } } }),
  ),
  ...archiving('account', 'a service account', 'account', (http, accountId, change) =>
    http.POST(`/v1/admin/accounts/{accountId}/${change}`, { params: { path: { accountId } } }),
  ),
];

/** Returns the archive and restore commands of one kind of record. */
function archiving(
  word: string,
  kind: string,
  noun: string,
  send: (
    http: LedgerClient['http'],
    id: string,
    change: 'archive' | 'restore',
  ) => Promise<{ data?: unknown }>,
): Command[] {
  const id = { id: { about: `Id of the ${noun}.` } } as const;
  return [
    command({
      name: `${word} archive`,
      about: `Archives ${kind}. It and everything in it become read-only; accepted operations continue.`,
      arguments: id,
      async run({ client, output }, { id }) {
        const { data } = await send((await client()).http, id, 'archive');
        output.said(`Archived ${id}. To restore: ledger-ops ${word} restore ${id}`, data);
      },
    }),
    command({
      name: `${word} restore`,
      about: `Restores ${kind} from the archive.`,
      arguments: id,
      async run({ client, output }, { id }) {
        const { data } = await send((await client()).http, id, 'restore');
        output.said(`Restored ${id}.`, data);
      },
    }),
  ];
}

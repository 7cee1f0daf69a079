import { answer, type LedgerClient } from '@ledger-ops/client';
import { type Command, command } from '../command.ts';
import { limit, taken } from './taken.ts';

const listed = {
  ...limit,
  archived: { about: 'Those that are archived, in the place of the others.' },
} as const;

export const organizations = [
  command({
    name: 'org list',
    about: 'Lists organizations.',
    options: listed,
    async run({ client, output, terminal }, { limit: most, archived }) {
      const query = { archived };
      const list = (await client()).each('/v1/admin/organizations', { query, signal: terminal.signal });
      const columns = { organization: (one: { organizationId: string }) => one.organizationId };
      output.table(
        await taken(list, most),
        { ...columns, name: (one) => one.name, uid: (one) => one.uid },
        'There is no organization that you may see: ledger-ops org create <organization>',
      );
    },
  }),
  command({
    name: 'org create',
    about: 'Makes an organization.',
    arguments: { organizationId: { about: 'Its id.' } },
    options: { name: { value: 'text', about: 'For people; else its id.' } },
    async run({ client, output }, { organizationId, name }) {
      const body = { organizationId, name: name ?? organizationId };
      const made = await answer((await client()).http.POST('/v1/admin/organizations', { body }));
      output.said(`${organizationId} is there, ${made.uid}.`, made);
    },
  }),
  command({
    name: 'project list',
    about: 'Lists projects.',
    options: { ...listed, org: { value: 'organization', form: 'required', about: 'Of this organization.' } },
    async run({ client, output, terminal }, { limit: most, archived, org }) {
      const query = { organizationId: org, archived };
      const list = (await client()).each('/v1/admin/projects', { query, signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          project: (one) => one.projectId,
          organization: (one) => one.organizationId,
          name: (one) => one.name,
          uid: (one) => one.uid,
        },
        'There is no project that you may see.',
      );
    },
  }),
  command({
    name: 'project create',
    about: 'Makes a project of an organization.',
    arguments: { projectId: { about: 'Its id.' } },
    options: {
      org: { value: 'organization', form: 'required', about: 'Id of the organization.' },
      name: { value: 'text', about: 'For people; else its id.' },
    },
    async run({ client, output }, { projectId, org, name }) {
      const body = { projectId, organizationId: org, name: name ?? projectId };
      const made = await answer((await client()).http.POST('/v1/admin/projects', { body }));
      output.said(`${projectId} is there, ${made.uid}.`, made);
    },
  }),
  command({
    name: 'app list',
    about: 'Lists applications.',
    options: { ...listed, project: { value: 'project', form: 'required', about: 'Of this project.' } },
    async run({ client, output, terminal }, { limit: most, archived, project }) {
      const query = { projectId: project, archived };
      const list = (await client()).each('/v1/admin/apps', { query, signal: terminal.signal });
      output.table(
        await taken(list, most),
        { app: (one) => one.appId, project: (one) => one.projectId, name: (one) => one.name },
        'There is no application that you may see.',
      );
    },
  }),
  command({
    name: 'app create',
    about: 'Makes an application of a project, and lets it act there.',
    arguments: { appId: { about: 'Its id.' } },
    options: {
      project: { value: 'project', form: 'required', about: 'Id of the project.' },
      name: { value: 'text', about: 'For people; else its id.' },
      redirectUri: { value: 'url', form: 'list', about: 'Where people come back to; may be repeated.' },
    },
    async run({ client, output }, { appId, project, name, redirectUri }) {
      const { http } = await client();
      const body = { appId, projectId: project, name: name ?? appId, redirectUris: [...redirectUri] };
      const made = await answer(http.POST('/v1/admin/apps', { body }));
      const path = { resourceId: project, appId };
      await http.PUT('/v1/admin/app-role-grants/{resourceId}/{appId}', {
        ...{ params: { path }, body: { role: 'application' } },
      });
      output.said(`${appId} is there. ledger-ops token app ${appId} --out-file <file>`, made);
    },
  }),
  command({
    name: 'app change',
    about: 'Changes the name of an application, or where people come back to.',
    arguments: { appId: { about: 'Id of the application.' } },
    options: {
      name: { value: 'text', about: 'For people.' },
      redirectUri: { value: 'url', form: 'list', about: 'All of them, in the place of those before.' },
    },
    async run({ client, output }, { appId, name, redirectUri }) {
      const body = {
        ...(name !== undefined && { name }),
        ...(redirectUri.length > 0 && { redirectUris: [...redirectUri] }),
      };
      const params = { path: { appId } };
      const app = await answer((await client()).http.PUT('/v1/admin/apps/{appId}', { params, body }));
      output.said(`${appId} is changed.`, app);
    },
  }),
  command({
    name: 'account list',
    about: 'Lists service accounts.',
    options: { ...listed, project: { value: 'project', form: 'required', about: 'Of this project.' } },
    async run({ client, output, terminal }, { limit: most, archived, project }) {
      const query = { projectId: project, archived };
      const list = (await client()).each('/v1/admin/accounts', { query, signal: terminal.signal });
      output.table(
        await taken(list, most),
        {
          account: (one) => one.accountId,
          project: (one) => one.projectId,
          name: (one) => one.name,
          identity: (one) => one.serviceId,
        },
        'There is no account that you may see.',
      );
    },
  }),
  command({
    name: 'account create',
    about: 'Makes a service account of a project.',
    more: 'Without a role it sees nothing: ledger-ops role grant <identity> <role> <resource>',
    arguments: { accountId: { about: 'Its id.' } },
    options: {
      project: { value: 'project', form: 'required', about: 'Id of the project.' },
      name: { value: 'text', about: 'For people; else its id.' },
    },
    async run({ client, output }, { accountId, project, name }) {
      const body = { accountId, projectId: project, name: name ?? accountId };
      const made = await answer((await client()).http.POST('/v1/admin/accounts', { body }));
      const { serviceId } = made;
      output.said(
        `${accountId} is there, identity ${serviceId}. ledger-ops role grant ${serviceId} <role> ${project}`,
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

/** Two commands for each kind of record that can be archived. */
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
  const given = { id: { about: `Id of the ${noun}.` } } as const;
  return [
    command({
      name: `${word} archive`,
      about: `Archives ${kind}: nobody acts by it or below it any more; what was accepted goes on, and all stays to be read.`,
      arguments: given,
      async run({ client, output }, { id }) {
        const { data } = await send((await client()).http, id, 'archive');
        output.said(`${id} is archived. ledger-ops ${word} restore ${id}`, data);
      },
    }),
    command({
      name: `${word} restore`,
      about: `Takes ${kind} out of the archive.`,
      arguments: given,
      async run({ client, output }, { id }) {
        const { data } = await send((await client()).http, id, 'restore');
        output.said(`${id} is in use again.`, data);
      },
    }),
  ];
}

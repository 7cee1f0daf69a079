import { link, open, rm, stat } from 'node:fs/promises';
import { answer } from '@ledger-ops/client';
import { clientOf } from '../client-of.ts';
import { type Context, command } from '../command.ts';
import { CliError } from '../errors.ts';
import { changeProfiles } from '../profiles.ts';
import { taken } from './taken.ts';

const limit = { limit: { value: 'number', about: 'How many at most; 20.' } } as const;
const invitationStates = ['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELED', 'EXPIRED'] as const;
export const outFile = {
  outFile: { value: 'file', form: 'required', about: 'New file for it, which its owner alone can read.' },
} as const;

/**
 * Runs `issue` only when its secret has a place: it is shown once. The file is there with the secret in it, or not at all,
 * so that whoever was killed can do the same again.
 * @throws CliError
 */
export async function keepSecret<T>(
  file: string,
  issue: () => Promise<T>,
  secretOf: (issued: T) => string,
): Promise<T> {
  const next = 'name a file that does not exist';
  const draft = `${file}.${process.pid}`;
  const place = await open(draft, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `${file} cannot be written (${error.code}).`, next);
  });
  let isKept = false;
  try {
    if (await stat(file).then(Boolean, () => false))
      throw new CliError('usage', `${file} is there already.`, next);
    const issued = await issue();
    await place.writeFile(`${secretOf(issued)}\n`);
    await place.sync();
    isKept = true;
    // Unlike a renaming it replaces nothing.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      throw new CliError('failed', `It stands in ${draft}: ${file} cannot be made (${error.code}).`);
    });
    await rm(draft);
    return issued;
  } finally {
    await place.close();
    if (!isKept) await rm(draft, { force: true });
  }
}

/** Ends a command that kept a secret. `record` names that to which it belongs. */
export function tellKept({ output }: Context, file: string, record: Readonly<Record<string, string>>): void {
  const names = Object.values(record).map((id) => `${id}: `);
  output.said(`${names.join('')}its secret stands in ${file}, and is shown nowhere else.`, {
    ...record,
    file,
  });
}

/** It names the invitation to who was invited, and to nobody else. */
function withoutHandle<T extends { invitationToken: string }>({ invitationToken: _, ...rest }: T) {
  return rest;
}

/** The token takes the place of the former one in profiles here: they would be of no use with it. */
async function renewProfiles(
  { profile, terminal }: Context,
  appId: string,
  applicationToken: string,
): Promise<void> {
  const { baseUrl } = await profile();
  await changeProfiles(terminal.environment, ({ current, profiles }) => ({
    current,
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([name, one]) => [
        name,
        one.clientId === appId && one.baseUrl === baseUrl ? { ...one, applicationToken } : one,
      ]),
    ),
  }));
}

export const access = [
  command({
    name: 'org list',
    about: 'Lists organizations.',
    options: limit,
    async run({ client, output, terminal }, given) {
      const list = (await client()).each('/v1/admin/organizations', { signal: terminal.signal });
      const columns = { organization: (one: { organizationId: string }) => one.organizationId };
      output.table(
        await taken(list, given.limit),
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
    options: { ...limit, org: { value: 'organization', form: 'required', about: 'Of this organization.' } },
    async run({ client, output, terminal }, { limit: most, org }) {
      const query = { organizationId: org };
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
    options: { ...limit, project: { value: 'project', form: 'required', about: 'Of this project.' } },
    async run({ client, output, terminal }, { limit: most, project }) {
      const query = { projectId: project };
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
    name: 'account list',
    about: 'Lists service accounts.',
    options: { ...limit, project: { value: 'project', form: 'required', about: 'Of this project.' } },
    async run({ client, output, terminal }, { limit: most, project }) {
      const query = { projectId: project };
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
  command({
    name: 'token account',
    about: 'Makes an API token of a service account.',
    arguments: { accountId: { about: 'Id of the account.' } },
    options: outFile,
    async run(context, { accountId, outFile: file }) {
      const { http } = await context.client();
      const params = { path: { accountId } };
      const issue = () => answer(http.POST('/v1/service-accounts/{accountId}/api-tokens', { params }));
      const { handle } = await keepSecret(file, issue, ({ apiToken }) => apiToken);
      tellKept(context, file, { handle });
    },
  }),
  command({
    name: 'token app',
    about: 'Makes the token of an application; the one before counts until the new one is kept.',
    more: 'Profiles of the application have the new one then. What else runs with the one before takes both where --keep-former is given.',
    arguments: { appId: { about: 'Id of the application.' } },
    options: {
      ...outFile,
      keepFormer: { about: 'Leaves the one before: ledger-ops token end-former <application> ends it.' },
    },
    async run(context, { appId, outFile: file, keepFormer }) {
      const { http } = await context.client();
      const path = { appId };
      // Whoever is killed before the new one is kept has one that counts, which the next try leaves.
      const params = { path, query: { keepFormer: true } };
      const issue = () => answer(http.POST('/v1/admin/apps/{appId}/token', { params }));
      const { appToken } = await keepSecret(file, issue, (issued) => issued.appToken);
      await renewProfiles(context, appId, appToken);
      if (!keepFormer) {
        const renewed = clientOf(await context.profile(), await context.profileName(), context.terminal);
        await renewed.http.DELETE('/v1/admin/apps/{appId}/former-token', { params: { path } });
      }
      tellKept(context, file, { appId });
    },
  }),
  command({
    name: 'token end-former',
    about: 'Ends the token of an application before the last one.',
    arguments: { appId: { about: 'Id of the application.' } },
    async run({ client, output }, { appId }) {
      const params = { path: { appId } };
      await (await client()).http.DELETE('/v1/admin/apps/{appId}/former-token', { params });
      output.said(`Of the tokens of ${appId} the last one alone counts.`, { appId });
    },
  }),
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
    name: 'invite send',
    about: 'Invites a person into an organization, by mail.',
    arguments: { email: { about: 'Address of the person.' } },
    options: {
      org: { value: 'organization', form: 'required', about: 'Id of the organization.' },
      message: { value: 'text', about: 'Stands in the mail.' },
    },
    async run({ client, output }, { email, org, message }) {
      const body = { email, organizationId: org, ...(message !== undefined && { message }) };
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

// Tests administration over HTTP, at paths that are not deprecated.
import { systemUid } from '@ledger-ops/auth';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { successors, withoutSuccessor } from '../../src/routes/legacy/successors.ts';
import {
  type Api,
  addTenant,
  headersOf,
  type Installation,
  install,
  logIn,
  openApi,
  type Texts,
} from '../stage/api.ts';
import { documentOf } from '../stage/document-of-routes.ts';

let here: Installation;
let admin: Api;
beforeAll(async () => {
  here = await install();
  admin = await logIn(here.url, here.administrator);
});
afterAll(() => here?.close());

interface Items {
  items: Texts[];
  next: string | null;
}

/** Creates a record, and reads it at the returned location. */
async function create(api: Api, path: string, body: object): Promise<Texts> {
  const answer = await api.call<Texts>('POST', path, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  const location = answer.headers.get('location') ?? '';
  const found = await api.expect<Texts | Items>(200, 'GET', location);
  // Only the creation of an invitation returns its link, and only without a mail server.
  const { initLink: _, ...stored } = answer.body;
  expect('items' in found ? found.items : [found]).toEqual([stored]);
  return stored;
}

test('an administrator creates everything that an account needs to use the service', async () => {
  const organizationId = 'current-organization';
  const projectId = 'current-project';
  const organization = await create(admin, '/v1/admin/organizations', { organizationId, name: 'Current' });
  const common = { uid: expect.any(String), archivedAt: null };
  expect(organization).toEqual({ ...common, organizationId, name: 'Current', imageUrl: null });
  expect(await create(admin, '/v1/admin/projects', { projectId, name: 'Project', organizationId })).toEqual({
    ...{ ...common, projectId, name: 'Project', organizationId },
  });
  const app = await create(admin, '/v1/admin/apps', { appId: 'current-app', name: 'App', projectId });
  expect(app).toMatchObject({ appId: 'current-app', projectId, redirectUris: [] });
  const account = await create(admin, '/v1/admin/accounts', {
    ...{ accountId: 'current-account', name: 'Account', projectId },
  });
  const issued = await admin.call<Texts>('POST', '/v1/admin/apps/current-app/token');
  expect([issued.status, issued.headers.get('location')]).toEqual([201, '/v1/admin/apps/current-app']);
  const { appToken = '' } = issued.body;
  const credentials = '/v1/service-accounts/current-account/api-tokens';
  const { apiToken = '' } = await admin.expect(201, 'POST', credentials);
  const headers = await headersOf(here.url, {
    ...{ applicationToken: appToken, appId: 'current-app', accountId: 'current-account', apiToken },
  });
  const api = openApi(here.url, headers);

  const refused = await api.call<{ detail: string }>('GET', `/v1/admin/projects/${projectId}`);
  expect(refused.status).toBe(404);
  expect(refused.body.detail).toContain('Your identity has no role yet');
  expect(refused.body.detail).toContain('POST /v1/admin/role-grants');

  const grant = { serviceId: account.serviceId, resourceId: projectId, role: 'operator' };
  await admin.expect(201, 'POST', '/v1/admin/role-grants', grant);
  await admin.expect(200, 'PUT', `/v1/admin/app-role-grants/${projectId}/current-app`, {
    role: 'application',
  });
  await api.expect(200, 'GET', `/v1/admin/projects/${projectId}`);
  const check = '/v1/admin/permission-check?resourceId=current-project&permissions=';
  expect(await api.expect(200, 'GET', `${check}wallet:create,project:delete`)).toEqual({
    ...{ allowed: false, missingOfIdentity: ['project:delete'], missingOfApp: [] },
  });
  const me = await api.expect(200, 'GET', '/v1/admin/me');
  expect(me).toEqual({
    ...{ serviceId: account.serviceId, type: 'SERVICE', identifier: expect.any(String), name: 'Account' },
  });
  const { items: seen } = await api.expect<Items>(200, 'GET', '/v1/admin/projects');
  expect(seen.map((one) => one.projectId)).toEqual([projectId]);
  const held = `/v1/admin/identity-permissions?resourceId=${projectId}&serviceId=${account.serviceId}`;
  const granted = await admin.expect<{ permissions: string[] }>(200, 'GET', held);
  expect(granted.permissions).toContain('wallet:transact');
  expect(granted.permissions).not.toContain('project:delete');
  // Roles above a resource are shown only to callers who may grant roles there.
  expect((await api.call('GET', held)).status).toBe(403);
  const mine = await admin.expect<Items>(
    200,
    'GET',
    `/v1/admin/role-grants?resourceId=${projectId}&serviceId=${account.serviceId}`,
  );
  expect(mine.items).toMatchObject([{ ...grant, resourceType: 'project' }]);
  await admin.expect(202, 'DELETE', `/v1/admin/role-grants/${projectId}/${account.serviceId}/operator`);
  expect((await api.call('GET', `/v1/admin/projects/${projectId}`)).status).toBe(404);
  expect(await api.expect(200, 'GET', '/v1/admin/projects')).toMatchObject({ items: [] });
  expect(await admin.expect(200, 'GET', held)).toMatchObject({ permissions: [] });
});

test('revoking a role on an organization returns the roles that its projects still grant, and one call revokes all of them', async () => {
  const organization = await admin.expect(201, 'POST', '/v1/admin/organizations', { name: 'Leaving' });
  const { organizationId = '' } = organization;
  const projects = [];
  for (const name of ['one', 'two'])
    projects.push(await admin.expect(201, 'POST', '/v1/admin/projects', { name, organizationId }));
  const [{ projectId = '' } = {}] = projects;
  const account = { name: 'Leaver', projectId };
  const { serviceId = '' } = await admin.expect(201, 'POST', '/v1/admin/accounts', account);
  const grants = '/v1/admin/role-grants';
  for (const resourceId of [organizationId, ...projects.map(({ uid }) => uid ?? '')])
    await admin.expect(201, 'POST', grants, { serviceId, resourceId, role: 'owner' });
  const elsewhere = await admin.expect(201, 'POST', '/v1/admin/organizations', { name: 'Elsewhere' });
  await admin.expect(201, 'POST', grants, { serviceId, resourceId: elsewhere.uid, role: 'viewer' });

  const left = await admin.expect(202, 'DELETE', `${grants}/${organizationId}/${serviceId}/owner`);
  expect(left).toMatchObject({
    remaining: 2,
    openInvitations: 0,
    remainingGrants: projects.map(({ uid }) => ({ resourceUid: uid, role: 'owner', serviceId })),
    inheritedGrants: [],
  });
  const all = `${grants}/${organizationId}/${serviceId}`;
  expect(await admin.expect(202, 'DELETE', all)).toMatchObject({ revoked: 2, withdrawnInvitations: 0 });
  expect(await admin.expect(202, 'DELETE', all)).toMatchObject({ revoked: 0, withdrawnInvitations: 0 });
  const held = await admin.expect<Items>(200, 'GET', `${grants}?serviceId=${serviceId}`);
  expect(held.items).toMatchObject([{ role: 'viewer', resourceUid: elsewhere.uid }]);
});

test('revoking a role returns the roles on parent resources that still apply, if the caller may read them', async () => {
  const { organizationId = '' } = await admin.expect(201, 'POST', '/v1/admin/organizations', {
    name: 'Above',
  });
  const { projectId = '' } = await admin.expect(201, 'POST', '/v1/admin/projects', {
    name: 'Below',
    organizationId,
  });
  const account = { name: 'Twice', projectId };
  const { serviceId = '' } = await admin.expect(201, 'POST', '/v1/admin/accounts', account);
  const grants = '/v1/admin/role-grants';
  const above = { serviceId, resourceId: organizationId, role: 'operator' };
  await admin.expect(201, 'POST', grants, above);
  const grant = async (role: string) =>
    await admin.expect(201, 'POST', grants, { serviceId, resourceId: projectId, role });
  await grant('operator');
  const one = `${grants}/${projectId}/${serviceId}`;
  const inherited = { inheritedGrants: [{ ...above, resourceType: 'organization' }] };
  expect(await admin.expect(202, 'DELETE', `${one}/operator`)).toMatchObject({ remaining: 0, ...inherited });
  await grant('viewer');
  expect(await admin.expect(202, 'DELETE', one)).toMatchObject({ revoked: 1, ...inherited });

  const tenant = await addTenant(here.url, here.administrator, 'blind');
  const left = { serviceId, role: 'viewer' };
  await admin.expect(201, 'POST', grants, { ...left, resourceId: systemUid });
  await admin.expect(201, 'POST', grants, { ...left, resourceId: tenant.projectId });
  const hidden = await tenant.api.expect(202, 'DELETE', `${grants}/${tenant.projectId}/${serviceId}/viewer`);
  expect(hidden).toMatchObject({ remaining: 0, inheritedGrants: [] });
});

test('revoking a role reports how many open invitations offer roles, and revoking all roles withdraws them', async () => {
  const { organizationId = '' } = await admin.expect(201, 'POST', '/v1/admin/organizations', {
    name: 'Back',
  });
  const email = 'back@example.com';
  const { serviceId = '' } = await admin.expect(201, 'POST', '/v1/admin/identities', { identifier: email });
  const owner = { resourceId: organizationId, role: 'owner' };
  await admin.expect(201, 'POST', '/v1/admin/role-grants', { serviceId, ...owner });
  await admin.expect(201, 'POST', '/v1/admin/invitations', { email, organizationId, roles: [owner] });
  const path = `/v1/admin/role-grants/${organizationId}/${serviceId}`;
  const left = await admin.expect(202, 'DELETE', `${path}/owner`);
  expect(left).toMatchObject({ remaining: 0, remainingGrants: [], openInvitations: 1 });
  expect(await admin.expect(202, 'DELETE', path)).toMatchObject({ revoked: 0, withdrawnInvitations: 1 });
  const open = `/v1/admin/invitations?state=PENDING&resourceId=${organizationId}`;
  expect(await admin.expect(200, 'GET', open)).toMatchObject({ items: [] });
});

test('revoking an application’s role returns its roles on child and parent resources, and one call revokes those on children', async () => {
  const { organizationId = '' } = await admin.expect(201, 'POST', '/v1/admin/organizations', {
    name: 'Selling',
  });
  const project = await admin.expect(201, 'POST', '/v1/admin/projects', { name: 'Shop', organizationId });
  const { projectId = '' } = project;
  const { appId } = await admin.expect(201, 'POST', '/v1/admin/apps', { name: 'Till', projectId });
  const grants = '/v1/admin/app-role-grants';
  const set = async (resourceId: string) =>
    await admin.expect(200, 'PUT', `${grants}/${resourceId}/${appId}`, { role: 'application' });
  await set(systemUid);
  await set(organizationId);
  await set(projectId);
  const below = { appId, name: 'Till', role: 'application', resourceType: 'project', resourceId: projectId };
  const above = { ...below, resourceType: 'organization', resourceId: organizationId };
  const installation = { appId, role: 'application', resourceType: 'system' };
  expect(await admin.expect(200, 'GET', `${grants}/${projectId}`)).toMatchObject({ items: [below] });

  const one = `${grants}/${organizationId}/${appId}`;
  expect(await admin.expect(202, 'DELETE', `${one}/application`)).toMatchObject({
    ...{ remaining: 1, remainingGrants: [below], inheritedGrants: [installation] },
  });
  expect((await admin.call('DELETE', `${one}/application`)).status).toBe(404);
  expect(await admin.expect(202, 'DELETE', one)).toMatchObject({ revoked: 1 });
  expect(await admin.expect(200, 'GET', `${grants}/${projectId}`)).toMatchObject({ items: [] });
  await set(organizationId);
  await set(projectId);
  expect(await admin.expect(202, 'DELETE', `${grants}/${projectId}/${appId}/application`)).toMatchObject({
    ...{
      remaining: 0,
      remainingGrants: [],
      inheritedGrants: [installation, above],
    },
  });

  const tenant = await addTenant(here.url, here.administrator, 'selling-tenant');
  const foreign = await tenant.api.call('DELETE', `${grants}/${organizationId}/${appId}/application`);
  expect(foreign.status).toBe(404);
  expect(await admin.expect(200, 'GET', `${grants}/${organizationId}`)).toMatchObject({ items: [above] });
  await admin.expect(202, 'DELETE', `${grants}/${systemUid}/${appId}`);
});

test('a client that follows the cursors reads a list to its end', async () => {
  const organizationId = 'paged-organization';
  await admin.expect(201, 'POST', '/v1/admin/organizations', { organizationId, name: 'Paged' });
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) await admin.expect(201, 'POST', '/v1/admin/projects', { name, organizationId });
  const path = `/v1/admin/projects?organizationId=${organizationId}`;
  const seen: string[] = [];
  for (let query = '&size=2'; ; ) {
    const { items, next }: Items = await admin.expect(200, 'GET', path + query);
    seen.push(...items.map(({ name = '' }) => name));
    if (next === null) break;
    query = `&cursor=${next}`;
  }
  expect(seen).toEqual(names);
  expect((await admin.call('GET', `${path}&cursor=nothing`)).status).toBe(400);
});

test('an invitation can be created and canceled, and an invalid one is refused with a pointer into the body', async () => {
  const organizationId = 'inviting-organization';
  await admin.expect(201, 'POST', '/v1/admin/organizations', { organizationId, name: 'Inviting' });
  const body = { organizationId, email: 'ada@example.com' };
  const wrong = await admin.call<{ errors: { pointer: string }[] }>('POST', '/v1/admin/invitations', {
    ...{ ...body, roles: [{ resourceId: 'nothing', role: 'viewer' }] },
  });
  expect(wrong.body.errors.map(({ pointer }) => pointer)).toEqual(['/roles/0/resourceId']);
  const { invitationId } = await create(admin, '/v1/admin/invitations', body);
  await admin.expect(204, 'DELETE', `/v1/admin/invitations/${invitationId}`);
  const left = await admin.expect<Items>(
    200,
    'GET',
    `/v1/admin/invitations?state=CANCELED&resourceId=${organizationId}`,
  );
  expect(left.items).toMatchObject([{ email: 'ada@example.com', state: 'CANCELED' }]);
});

test('if a record is deleted between two pages, the second page is not shifted', async () => {
  const organizationId = 'shrinking-organization';
  await admin.expect(201, 'POST', '/v1/admin/organizations', { organizationId, name: 'Shrinking' });
  const named = (prefix: string) => [1, 2, 3].map((n) => `${prefix}-${n}`);
  const body = (one: string) => ({ organizationId, email: `${one}@example.com` });
  const [projects, apps, accounts, people] = ['project', 'app', 'account', 'person'].map(named);
  const invitations: Texts[] = [];
  const grants = '/v1/admin/role-grants';
  for (const projectId of projects ?? [])
    await create(admin, '/v1/admin/projects', { projectId, name: 'P', organizationId });
  for (const appId of apps ?? [])
    await create(admin, '/v1/admin/apps', { appId, name: 'A', projectId: 'project-3' });
  for (const accountId of accounts ?? [])
    await create(admin, '/v1/admin/accounts', { accountId, name: 'A', projectId: 'project-3' });
  const { serviceId } = await admin.expect(200, 'GET', '/v1/admin/accounts/account-1');
  for (const resourceId of projects ?? [])
    await admin.expect(201, 'POST', grants, { serviceId, resourceId, role: 'viewer' });
  for (const one of people ?? []) invitations.push(await create(admin, '/v1/admin/invitations', body(one)));

  /** Reads a page with one record, deletes that record, then reads the rest. */
  const over = async (path: string, take: (first: Texts) => Promise<unknown>) => {
    const one = await admin.expect<Items>(200, 'GET', `${path}&size=1`);
    const [first] = one.items;
    if (first === undefined) throw new TypeError(`${path} has nothing.`);
    await take(first);
    const rest = await admin.expect<Items>(200, 'GET', `${path}&size=50&cursor=${one.next}`);
    expect([path, rest.next]).toEqual([path, null]);
    return [first, ...rest.items];
  };
  const archive = (kind: string, id: string) => async (first: Texts) =>
    await admin.expect(200, 'POST', `/v1/admin/${kind}/${first[id]}/archive`);
  const ids = (found: Texts[], id: string) => found.map((one) => one[id]);
  const of = `projectId=project-3`;
  const held = `${grants}?serviceId=${serviceId}`;
  const before = await admin.expect<Items>(200, 'GET', held);
  const foundGrants = await over(held, async ({ resourceUid, role }) => {
    await admin.expect(202, 'DELETE', `${grants}/${resourceUid}/${serviceId}/${role}`);
    const left = async () => (await admin.expect<Items>(200, 'GET', held)).items;
    const goes = async () => expect((await left()).length).toBeLessThan(before.items.length);
    await vi.waitFor(goes, { timeout: 60_000, interval: 20 });
  });
  expect(foundGrants).toEqual(before.items);
  expect(foundGrants.length).toBeGreaterThanOrEqual(3);
  const foundApps = await over(`/v1/admin/apps?${of}`, archive('apps', 'appId'));
  expect(ids(foundApps, 'appId')).toEqual(apps);
  const foundAccounts = await over(`/v1/admin/accounts?${of}`, archive('accounts', 'accountId'));
  expect(ids(foundAccounts, 'accountId')).toEqual(accounts);
  const foundInvitations = await over(
    `/v1/admin/invitations?resourceId=${organizationId}`,
    ({ invitationId }) => admin.expect(204, 'DELETE', `/v1/admin/invitations/${invitationId}`),
  );
  expect(foundInvitations).toEqual(invitations);
  const inside = `/v1/admin/projects?organizationId=${organizationId}`;
  const foundProjects = await over(inside, archive('projects', 'projectId'));
  expect(ids(foundProjects, 'projectId')).toEqual(projects);
});

test('a request that is repeated with an Idempotency-Key gets the same response, including Location', async () => {
  const headers = { ...(await headersOf(here.url, here.administrator)), 'Idempotency-Key': 'once' };
  const ask = () =>
    fetch(`${here.url}/v1/admin/organizations`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Once' }),
    });
  const [first, second] = [await ask(), await ask()];
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect(await second.json()).toEqual(await first.json());
});

/** Operations whose replacement uses another method. */
const otherMethods: Readonly<Record<string, string>> = { respondToInvitation: 'post' };

test('deprecated operations are unchanged, and their responses contain the path of the replacement', async () => {
  const document = await documentOf();
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  for (const [older, path] of Object.entries(successors)) {
    expect([older, operations.find((one) => one.operationId === older)?.deprecated]).toEqual([older, true]);
    expect([older, operations.find((one) => one.operationId === older)?.['x-successor']]).toEqual([
      older,
      path,
    ]);
  }
  for (const item of Object.values(document.paths)) {
    for (const [method, { operationId, 'x-successor': path }] of Object.entries(item)) {
      if (path === undefined) continue;
      const there = document.paths[path]?.[otherMethods[operationId] ?? method];
      expect([operationId, there?.operationId, there?.deprecated]).toEqual([
        ...[operationId, expect.any(String), undefined],
      ]);
    }
  }
  for (const one of operations) {
    const isSaid = Object.hasOwn(withoutSuccessor, one.operationId);
    const needsIt = one.deprecated === true && one['x-successor'] === undefined;
    expect(
      [one.operationId, isSaid],
      'each operation has a successor, or a reason why there is none',
    ).toEqual([one.operationId, needsIt]);
  }
  const known = new Set(operations.map((one) => one.operationId));
  expect(Object.keys(withoutSuccessor).filter((one) => !known.has(one))).toEqual([]);
  const answer = await admin.call('GET', '/v1/organizations/current-organization');
  expect(answer.headers.get('link')).toBe(
    `<${here.url}/docs#deprecated>; rel="deprecation"; type="text/html", <${here.url}/v1/admin/organizations/current-organization>; rel="successor-version"`,
  );
});

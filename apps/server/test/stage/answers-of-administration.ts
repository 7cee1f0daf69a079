// Calls each administrative operation once, with real ids.
import { join } from 'node:path';
import { mailIn } from '../access/users.ts';
import type { Ground } from './answers.ts';

const image = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  format: 'png',
};

/** Organizations, projects, apps, accounts and identities. */
export async function seeAccounts({ here, tenant, see, hear }: Ground): Promise<void> {
  const { appId, accountId, projectId, organizationId, serviceId, email } = tenant;
  const credentials = { client_id: appId, service_account: accountId, client_secret: tenant.apiToken };
  const answer = await fetch(`${here.url}/v1/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...credentials }),
  });
  hear('POST /v1/auth/token', await answer.json());

  await see('GET /v1/organizations');
  await see('GET /v1/organizations/{organizationId}', { organizationId });
  await see('PUT /v1/organizations/{organizationId}/image', { organizationId }, image);
  const project = { name: 'Another', organization: { organizationID: organizationId } };
  await see('POST /v1/projects', {}, project);
  await see('GET /v1/projects', {}, undefined, `?organization=${organizationId}`);
  await see('GET /v1/projects/{projectId}', { projectId });
  await see('POST /v1/apps', {}, { name: 'Shop', projectId });
  await see('GET /v1/apps/{appId}', { appId });
  await see('PUT /v1/apps/{appId}', { appId }, { name: 'Shop', appURL: 'https://shop.example' });
  await see('PUT /v1/apps/{appId}/image', { appId }, image);
  await see('GET /v1/apps/by-token/{appToken}', { appToken: tenant.applicationToken });
  await see('GET /v1/apps/projects/{project}', { project: projectId });

  const accounts = '/v1/service-accounts';
  await see(`POST ${accounts}`, {}, { name: 'more', project: projectId });
  await see(`GET ${accounts}/{emailOrAccountId}`, { emailOrAccountId: email });
  await see(`GET ${accounts}/projects/{projectId}`, { projectId });
  const secret = { email, secret: tenant.apiToken };
  await see(`POST ${accounts}/validate`, {}, secret, '?authType=apiToken');
  await see(`GET ${accounts}/{accountId}/api-tokens`, { accountId });
  const made = await see(`POST ${accounts}/{accountId}/api-tokens`, { accountId });
  await see(
    `PUT ${accounts}/api-tokens/{apiToken}`,
    { apiToken: made.handle ?? '' },
    undefined,
    '?status=DISABLED',
  );
  const { keyID } = await see(`POST ${accounts}/{accountId}/keys`, { accountId });
  await see(`GET ${accounts}/{accountId}/keys`, { accountId }, undefined, '?status=ENABLED');
  await see(`PUT ${accounts}/{accountId}/keys`, { accountId }, undefined, `?keyId=${keyID}&status=DISABLED`);

  const byService = '?filter_by=SERVICE_ID';
  await see('GET /v1/identities', {}, undefined, `${byService}&identifiers=${serviceId}`);
  await see('GET /v1/identities/me');
  await see('GET /v1/identities/{id}', { id: serviceId }, undefined, byService);
  await see('GET /v1/identities/search/{searchCriteria}', { searchCriteria: email });
  const searchIn = 'GET /v1/identities/search/{searchCriteria}/in-resources';
  await see(searchIn, { searchCriteria: email }, undefined, `?resources=${tenant.projectUuid}`);
  await see('GET /v1/identities/resources/{resourceId}', { resourceId: tenant.projectUuid });
  const items = [{ key: 'language', value: 'en' }];
  await see('PUT /v1/identities/{serviceId}/config', { serviceId }, { items });
  await see('PUT /v1/identities/{serviceId}/profile', { serviceId }, { displayName: 'Table' });
  await see('PUT /v1/identities/{serviceId}/image', { serviceId }, image);
}

/** Resources, permissions and invitations. */
export async function seeAccess({ here, tenant, see, hear }: Ground): Promise<void> {
  const { appUuid, projectUuid, serviceId } = tenant;
  const rm = '/v1/resource-manager';
  const resource = projectUuid;
  const permission = `?resource=${resource}&permission=project:read`;
  await see(`GET ${rm}/permission-evaluations`, {}, undefined, permission);
  await see(`GET ${rm}/permissions`, {}, undefined, `?resource=${resource}`);
  const ids = { resourceId: resource };
  await see(`GET ${rm}/resources/{resourceId}/has-permission`, ids, undefined, '?permission=project:read');
  const evaluation = `GET ${rm}/resources/{resourceId}/permission-evaluation`;
  await see(evaluation, ids, undefined, '?permissions=project:read,wallet:transact');
  const account = { id: 'reserve', type: 'billing-account', properties: { currency: 'EUR' } };
  await see(`POST ${rm}/resources`, {}, account);
  await see(`GET ${rm}/resources/{resourceId}`, ids);
  const byType = `${rm}/types/{type}/resources`;
  const type = 'billing-account';
  await see(`GET ${byType}/containing/{resourceId}`, { type, resourceId: 'eser' });
  await see(`GET ${byType}`, { type });
  await see(`GET ${byType}/mine`, { type });
  await see(`GET ${rm}/types/{type}/identities/{serviceId}/resources`, { type, serviceId });
  const app = { resourceUUID: appUuid, appId: tenant.appId };
  const identity = { serviceId };
  const viewer = { name: 'viewer' };
  await see(`POST ${rm}/app-identity-roles`, {}, { identity, app, role: viewer });
  await see(`GET ${rm}/app-identity-roles`, {}, undefined, `?app=${appUuid}`);
  await see(`PUT ${rm}/resources/{resourceId}/app-roles`, ids, { app, role: { name: 'application' } });
  await see(`GET ${rm}/resources/{resourceId}/app-roles`, ids);
  const role = { identity, resource: { resourceUUID: resource }, role: viewer };
  await see(`POST ${rm}/resource-identity-roles`, {}, role);
  const which = `?resource=${resource}&identity=${serviceId}`;
  await see(`GET ${rm}/resource-identity-roles`, {}, undefined, which);
  await see(`POST ${rm}/resources/{resourceId}/lookup-terms`, ids, { value: 'quarterly' });
  await see(`GET ${rm}/resource-identities`, {}, undefined, `?resource=${resource}`);
  await see(`POST ${rm}/app-identity-properties`, {}, { identity, app, name: 'plan', value: 'basic' });
  await see(`GET ${rm}/app-identity-properties`, {}, undefined, `?app=${appUuid}`);
  await see(`GET ${rm}/roles`);

  const invitations = '/v1/invitations';
  const userEmail = 'grace@example.com';
  const roles = [{ resource: { resourceUUID: resource }, role: viewer }];
  const invitation = { userEmail, organizationId: tenant.organizationUuid, invitationResourceRoles: roles };
  const made = await see(`POST ${invitations}`, {}, invitation);
  await see(`GET ${invitations}`, {}, undefined, '?invitationState=PENDING');
  await see(`PUT ${invitations}`, {}, { ...made, invitationState: 'CANCELED' });
  await see(`POST ${invitations}`, {}, { ...invitation, userEmail: 'ada@example.com' });
  const mail = await mailIn(join(here.folder, 'mail'), 'ada@example.com');
  const password = 'a rather long password';
  const additional = { name: 'Ada', password };
  const init = { acceptTnC: true, additional, initToken: /initToken=([\w-]+)/.exec(mail)?.[1] };
  const who = { username: 'ada@example.com', password };
  for (const [path, body] of [
    ['/v1/auth/init-user', init],
    ['/v1/auth/login', who],
    ['/v1/identities/authenticate', { credentials: 'password', ...who }],
  ] as const)
    hear(`POST ${path}`, await tenant.api.expect(200, 'POST', path, body));
  await see(`GET ${invitations}/organizations`);
  const ofIdentity = `GET ${invitations}/identities/{identityId}/resource-identity-roles`;
  await see(ofIdentity, { identityId: serviceId });
  await see(`GET ${invitations}/identities`, {}, undefined, `?resources=${resource}`);
  await see(`GET ${invitations}/resource-identity-roles`, {}, undefined, `?resource=${resource}`);
  await see(`GET ${invitations}/resources`, {}, undefined, '?resourceType=project');
}

/** Administration at paths that are not deprecated. */
export async function seeCurrentAdministration({ tenant, see }: Ground): Promise<void> {
  const { appId, accountId, projectId, organizationId, projectUuid: resourceId, serviceId } = tenant;
  const ofProject = `?projectId=${projectId}`;
  await see('GET /v1/admin/organizations');
  await see('GET /v1/admin/organizations/{organizationId}', { organizationId });
  await see('POST /v1/admin/projects', {}, { name: 'Current', organizationId });
  await see('GET /v1/admin/projects', {}, undefined, `?organizationId=${organizationId}`);
  await see('GET /v1/admin/projects/{projectId}', { projectId });
  await see('POST /v1/admin/apps', {}, { name: 'Current', projectId });
  await see('GET /v1/admin/apps', {}, undefined, ofProject);
  await see('GET /v1/admin/apps/{appId}', { appId });
  await see('PUT /v1/admin/apps/{appId}', { appId }, { name: 'Current shop' });
  const spare = await see('POST /v1/admin/apps', {}, { name: 'Spare', projectId });
  const spareProject = await see('POST /v1/admin/projects', {}, { name: 'Spare', organizationId });
  const made = await see('POST /v1/admin/accounts', {}, { name: 'current', projectId });
  await see('GET /v1/admin/accounts', {}, undefined, ofProject);
  await see('GET /v1/admin/accounts/{accountId}', { accountId });
  await see('PUT /v1/admin/organizations/{organizationId}/image', { organizationId }, image);
  await see('PUT /v1/admin/apps/{appId}/image', { appId }, image);
  await see('POST /v1/admin/apps/{appId}/token', { appId: spare.appId ?? '' });
  await see('DELETE /v1/admin/apps/{appId}/former-token', { appId: spare.appId ?? '' });
  const account = { accountId };
  const { tokenId = '' } = await see('POST /v1/admin/accounts/{accountId}/tokens', account);
  await see('GET /v1/admin/accounts/{accountId}/tokens', account);
  const disabled = { status: 'DISABLED' };
  const token = { ...account, tokenId };
  await see('PUT /v1/admin/accounts/{accountId}/tokens/{tokenId}', token, disabled);
  const { keyId } = await see('POST /v1/admin/accounts/{accountId}/keys', account);
  await see('GET /v1/admin/accounts/{accountId}/keys', account);
  const key = { ...account, keyId: String(keyId) };
  await see('PUT /v1/admin/accounts/{accountId}/keys/{keyId}', key, disabled);
  await see('GET /v1/admin/identities', {}, undefined, `?search=${accountId}`);
  const identity = '/v1/admin/identities/{serviceId}';
  await see(`GET ${identity}`, { serviceId });
  await see(`PUT ${identity}`, { serviceId }, { name: 'Table' });
  await see(`PUT ${identity}/image`, { serviceId }, image);
  await see(`PUT ${identity}/config`, { serviceId }, { items: [{ key: 'a', value: 'b' }] });
  await see('GET /v1/admin/timeline', {}, undefined, `?resourceId=${resourceId}&size=2`);
  const { appId: spareApp = '' } = spare;
  for (const verb of ['archive', 'restore']) {
    await see(`POST /v1/admin/apps/{appId}/${verb}`, { appId: spareApp });
    await see(`POST /v1/admin/accounts/{accountId}/${verb}`, { accountId: made.serviceId ?? '' });
    await see(`POST /v1/admin/projects/{projectId}/${verb}`, { projectId: spareProject.uid ?? '' });
  }
  await see('GET /v1/admin/me');
  await see('GET /v1/admin/roles');
  const grant = { serviceId: made.serviceId ?? '', resourceId, role: 'viewer' };
  const grants = '/v1/admin/role-grants';
  await see(`POST ${grants}`, {}, grant);
  await see(`GET ${grants}`, {}, undefined, `?resourceId=${resourceId}`);
  await see(`DELETE ${grants}/{resourceId}/{serviceId}/{role}`, grant);
  const app = { resourceId, appId };
  await see('PUT /v1/admin/app-role-grants/{resourceId}/{appId}', app, { role: 'application' });
  await see('GET /v1/admin/app-role-grants/{resourceId}', app);
  const check = `?resourceId=${resourceId}&permissions=project:read,wallet:transact`;
  await see('GET /v1/admin/permission-check', {}, undefined, check);
  await see(`GET ${grants}`, {}, undefined, `?serviceId=${serviceId}`);
  const whose = `?resourceId=${resourceId}&serviceId=${made.serviceId}`;
  await see('GET /v1/admin/identity-permissions', {}, undefined, whose);
  const invitations = '/v1/admin/invitations';
  const body = { organizationId, email: 'joan@example.com', roles: [{ resourceId, role: 'viewer' }] };
  const { invitationId = '' } = await see(`POST ${invitations}`, {}, body);
  const one = { invitationId: String(invitationId) };
  await see(`GET ${invitations}`);
  await see(`GET ${invitations}/{invitationId}`, one);
  await see(`DELETE ${invitations}/{invitationId}`, one);
}

/** Operations that only an administrator may call. */
export async function seeAdministrator({ see }: Pick<Ground, 'see'>): Promise<void> {
  await see('POST /v1/organizations', {}, { name: 'Third' });
  const { uid = '' } = await see('POST /v1/admin/organizations', {}, { name: 'Fourth' });
  for (const verb of ['archive', 'restore'])
    await see(`POST /v1/admin/organizations/{organizationId}/${verb}`, { organizationId: uid });
  const made = { identifier: 'linus@example.com', type: 'USER', identityProfile: { displayName: 'L' } };
  const { serviceId = '' } = await see('POST /v1/identities', {}, made);
  await see('PUT /v1/identities/{id}/status', { id: serviceId }, undefined, '?status=DISABLED');
  const person = { identifier: 'edsger@example.com', name: 'E' };
  const { serviceId: other = '' } = await see('POST /v1/admin/identities', {}, person);
  const status = { status: 'DISABLED' };
  await see('PUT /v1/admin/identities/{serviceId}/status', { serviceId: other }, status);
}

import { addPendingUser, addUser, headersOfUser } from '../access/users.ts';
import { type Api, openApi } from '../stage/api.ts';
import { type Ground, password, type Step, stepKit } from './timeline-steps.ts';

const image = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  format: 'png',
};

/** Calls to operations of the administration, in a valid order. Each uses the results of earlier calls. */
export async function administrationSteps(ground: Ground): Promise<Step[]> {
  const { api, admin, here, tenant, made, step, on, creates } = stepKit(ground);
  const { projectUuid: project, appId, serviceId } = tenant;
  const manager = '/v1/resource-manager';
  const user = await addPendingUser(here.server);
  const person = await addUser(here.server);
  const redirectUri = 'https://client.example/callback';
  const session: { headers?: Record<string, string> } = {};
  const identity = () => made.createIdentity;

  return [
    creates(
      'createOrganization',
      'resourceUUID',
      () => '/v1/organizations',
      () => ({ name: 'New' }),
      admin,
    ),
    on(
      'setOrganizationImage',
      'update-image',
      () => made.createOrganization,
      [200, 'PUT', () => `/v1/organizations/${made.createOrganization}/image`, () => image],
      admin,
    ),
    creates(
      'createProject',
      'resourceUUID',
      () => '/v1/projects',
      () => ({
        ...{ name: 'New', organization: tenant.organizationUuid },
      }),
    ),
    creates(
      'createApp',
      'resourceUUID',
      () => '/v1/apps',
      () => ({ name: 'New' }),
    ),
    on('updateApp', 'update', () => made.createApp, [
      200,
      'PUT',
      () => `/v1/apps/${made.createApp}`,
      () => ({ name: 'Newer' }),
    ]),
    on('setAppImage', 'update-image', () => made.createApp, [
      200,
      'PUT',
      () => `/v1/apps/${made.createApp}/image`,
      () => image,
    ]),
    step('issueAppToken', ['issue-token'], async () => {
      const { appToken } = await api.expect(201, 'POST', `/v1/apps/${made.createApp}/token`);
      return { resource: made.createApp, secrets: [appToken] };
    }),
    on('endFormerAppToken', 'end-former-token', () => made.createApp, [
      204,
      'DELETE',
      () => `/v1/apps/${made.createApp}/former-token`,
    ]),

    creates(
      'createServiceAccount',
      'serviceId',
      () => '/v1/service-accounts',
      () => ({ name: 'New', accountId: 'new-account' }),
    ),
    step('createServiceAccountApiToken', ['create-api-token'], async () => {
      const path = '/v1/service-accounts/new-account/api-tokens';
      const { apiToken, handle = '' } = await api.expect(201, 'POST', path);
      made.handle = handle;
      return { resource: made.createServiceAccount, secrets: [apiToken] };
    }),
    on('updateServiceAccountApiTokenStatus', 'update-api-token', () => 'new-account', [
      ...([200, 'PUT', () => `/v1/service-accounts/api-tokens/${made.handle}?status=DISABLED`] as const),
    ]),
    step('generateServiceAccountKey', ['create-key'], async () => {
      const key = await api.expect(201, 'POST', '/v1/service-accounts/new-account/keys');
      made.key = String(key.keyID);
      return { resource: 'new-account', secrets: [key.privateKey] };
    }),
    on('updateServiceAccountKeyStatus', 'update-key', () => 'new-account', [
      ...([
        200,
        'PUT',
        () => `/v1/service-accounts/new-account/keys?keyId=${made.key}&status=DISABLED`,
      ] as const),
    ]),

    creates(
      'createIdentity',
      'serviceId',
      () => '/v1/identities',
      () => ({ identifier: 'new@example.com', type: 'USER' }),
      admin,
    ),
    on(
      'updateIdentityConfig',
      'update-config',
      identity,
      [
        200,
        'PUT',
        () => `/v1/identities/${identity()}/config`,
        () => ({ items: [{ key: 'a', value: 'of one' }] }),
      ],
      admin,
    ),
    on(
      'updateIdentityProfile',
      'update-profile',
      identity,
      [200, 'PUT', () => `/v1/identities/${identity()}/profile`, () => ({ displayName: 'Ada' })],
      admin,
    ),
    on(
      'setIdentityImage',
      'update-image',
      identity,
      [200, 'PUT', () => `/v1/identities/${identity()}/image`, () => image],
      admin,
    ),
    on(
      'updateIdentityStatus',
      'update-status',
      identity,
      [200, 'PUT', () => `/v1/identities/${identity()}/status?status=DISABLED`],
      admin,
    ),

    step('initUser', ['init-user'], async () => {
      const { initToken } = user;
      const body = { acceptTnC: true, additional: { name: 'Grace', password }, initToken };
      await api.expect(200, 'POST', '/v1/auth/init-user', body);
      return { resource: user.serviceId, secrets: [password, initToken] };
    }),
    step('login', ['login'], async () => {
      const answer = await api.call('POST', '/v1/auth/login', { username: user.email, password });
      const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? [];
      session.headers = { Cookie: cookie };
      return { resource: user.serviceId, secrets: [password, cookie.split('=')[1]] };
    }),
    step('logout', ['logout'], async () => {
      await api.call('POST', '/v1/auth/logout', undefined, session.headers);
      return { resource: user.serviceId };
    }),

    creates(
      'createResource',
      'resourceUUID',
      () => `${manager}/resources`,
      () => ({ type: 'billing-account' }),
    ),
    on('createLookupTerm', 'create-lookup-term', () => project, [
      201,
      'POST',
      () => `${manager}/resources/${project}/lookup-terms`,
      () => ({ value: 'quarterly' }),
    ]),
    on('createAppIdentityRole', 'assign-role', () => appId, [
      201,
      'POST',
      () => `${manager}/app-identity-roles`,
      () => ({
        identity: { serviceId: made.createServiceAccount },
        role: { name: 'viewer' },
        app: { appId },
      }),
    ]),
    on('setAppRole', 'assign-role', () => project, [
      200,
      'PUT',
      () => `${manager}/resources/${project}/app-roles`,
      () => ({ app: { appId: made.createApp }, role: { name: 'viewer' } }),
    ]),
    on('createResourceIdentityRole', 'assign-role', () => project, [
      201,
      'POST',
      () => `${manager}/resource-identity-roles`,
      () => ({
        identity: { serviceId: made.createServiceAccount },
        role: { name: 'viewer' },
        resource: { resourceUUID: project },
      }),
    ]),
    on('deleteResourceIdentityRole', 'revoke-role', () => project, [
      202,
      'DELETE',
      () => `${manager}/resources/${project}/identities/${made.createServiceAccount}/roles/viewer`,
    ]),
    on('createAppIdentityProperty', 'create-property', () => appId, [
      201,
      'POST',
      () => `${manager}/app-identity-properties`,
      () => ({ identity: { serviceId }, app: { appId }, name: 'plan', value: 'basic' }),
    ]),

    ...current(ground, made, step),
    step('inviteUser', ['invite'], async () => {
      const body = { userEmail: person.email, organizationId: tenant.organizationUuid };
      const { invitationToken = '' } = await api.expect(201, 'POST', '/v1/invitations', body);
      made.invitation = invitationToken;
      return { resource: tenant.organizationUuid };
    }),
    step('respondToInvitation', ['reject-invitation'], async () => {
      const { auth, store } = here.server;
      await store.transaction((tx) => auth.setRedirectUris(tx, tenant.appUuid, [redirectUri]));
      const invited = openApi(here.url, await headersOfUser({ auth }, person, tenant, redirectUri));
      const body = { invitationToken: made.invitation, invitationState: 'REJECTED' };
      await invited.expect(200, 'PUT', '/v1/invitations', body);
      return { resource: tenant.organizationUuid };
    }),
    step('adminInvite', ['invite', 'invitations'], async () => {
      const body = { email: person.email, organizationId: tenant.organizationId };
      const invitation = await api.expect(201, 'POST', '/v1/admin/invitations', body);
      made.invitation = invitation.invitationToken ?? '';
      return { resource: tenant.organizationUuid };
    }),
    step('adminAnswerInvitation', ['reject-invitation', 'invitations'], async () => {
      const { auth } = here.server;
      const invited = openApi(here.url, await headersOfUser({ auth }, person, tenant, redirectUri));
      const body = { invitationToken: made.invitation, accept: false };
      await invited.expect(200, 'POST', '/v1/admin/invitations/answer', body);
      return { resource: tenant.organizationUuid };
    }),
    step('adminCancelInvitation', ['cancel-invitation', 'invitations'], async () => {
      const body = { email: 'nobody@example.com', organizationId: tenant.organizationId };
      const invitation = await api.expect(201, 'POST', '/v1/admin/invitations', body);
      await api.expect(204, 'DELETE', `/v1/admin/invitations/${invitation.invitationId}`);
      return { resource: tenant.organizationUuid };
    }),
  ];
}

/**
 * Calls that create records or grant roles at paths that are not deprecated. Their timeline records name the services
 * of the deprecated operations.
 */
function current(
  { tenant, admin }: Ground,
  made: Record<string, string>,
  step: ReturnType<typeof stepKit>['step'],
): Step[] {
  const { api, projectUuid: resourceId } = tenant;
  const root = '/v1/admin';
  return [
    step('adminCreateOrganization', ['create', 'organization-projects'], async () => {
      const { uid = '' } = await admin.expect(201, 'POST', `${root}/organizations`, { name: 'Current' });
      made.currentOrganization = uid;
      return { resource: uid };
    }),
    step('adminCreateProject', ['create', 'organization-projects'], async () => {
      const body = { name: 'Current', organizationId: tenant.organizationId };
      const { uid = '' } = await api.expect(201, 'POST', `${root}/projects`, body);
      made.currentProject = uid;
      return { resource: uid };
    }),
    step('adminCreateApp', ['create', 'apps'], async () => {
      const { uid = '', appId = '' } = await api.expect(201, 'POST', `${root}/apps`, { name: 'Current' });
      made.currentApp = appId;
      made.currentAppUid = uid;
      return { resource: uid };
    }),
    step('adminUpdateApp', ['update', 'apps'], async () => {
      const { uid } = await api.expect(200, 'PUT', `${root}/apps/${made.currentApp}`, { name: 'Newer' });
      return { resource: uid };
    }),
    step('adminCreateAccount', ['create', 'service-accounts'], async () => {
      const { serviceId = '' } = await api.expect(201, 'POST', `${root}/accounts`, { name: 'Current' });
      made.currentAccount = serviceId;
      return { resource: serviceId };
    }),
    step('adminGrantRole', ['assign-role', 'resource-manager'], async () => {
      const body = { serviceId: made.currentAccount, resourceId, role: 'viewer' };
      await api.expect(201, 'POST', `${root}/role-grants`, body);
      return { resource: resourceId };
    }),
    step('adminRevokeRole', ['revoke-role', 'resource-manager'], async () => {
      const path = `${root}/role-grants/${resourceId}/${made.currentAccount}/viewer`;
      await api.expect(202, 'DELETE', path);
      return { resource: resourceId };
    }),
    step('adminRevokeAllRoles', ['revoke-role', 'resource-manager'], async () => {
      const role = { serviceId: made.currentAccount, resourceId, role: 'viewer' };
      await api.expect(201, 'POST', `${root}/role-grants`, role);
      await api.expect(202, 'DELETE', `${root}/role-grants/${resourceId}/${made.currentAccount}`);
      return { resource: resourceId };
    }),
    step('adminSetAppRole', ['assign-role', 'resource-manager'], async () => {
      const path = `${root}/app-role-grants/${resourceId}/${made.currentApp}`;
      await api.expect(200, 'PUT', path, { role: 'viewer' });
      return { resource: resourceId };
    }),
    step('adminRevokeAppRole', ['revoke-role', 'resource-manager'], async () => {
      await api.expect(202, 'DELETE', `${root}/app-role-grants/${resourceId}/${made.currentApp}/viewer`);
      return { resource: resourceId };
    }),
    step('adminRevokeAllAppRoles', ['revoke-role', 'resource-manager'], async () => {
      const path = `${root}/app-role-grants/${resourceId}/${made.currentApp}`;
      await api.expect(200, 'PUT', path, { role: 'viewer' });
      await api.expect(202, 'DELETE', path);
      return { resource: resourceId };
    }),
    step('adminSetOrganizationImage', ['update-image', 'organization-projects'], async () => {
      await admin.expect(200, 'PUT', `${root}/organizations/${made.currentOrganization}/image`, image);
      return { resource: made.currentOrganization };
    }),
    step('adminSetStorageLimit', ['set-storage-limit', 'organization-projects'], async () => {
      await admin.expect(200, 'PUT', `${root}/storage-limits/projects`, { most: 900 });
      return { resource: 'system' };
    }),
    step('adminSetOrganizationStorageLimit', ['set-storage-limit', 'organization-projects'], async () => {
      const path = `${root}/organizations/${made.currentOrganization}/storage-limits/projects`;
      await admin.expect(200, 'PUT', path, { most: 800 });
      return { resource: made.currentOrganization };
    }),
    step('adminSetAppImage', ['update-image', 'apps'], async () => {
      const { uid } = await api.expect(200, 'PUT', `${root}/apps/${made.currentApp}/image`, image);
      return { resource: uid };
    }),
    step('adminIssueAppToken', ['issue-token', 'apps'], async () => {
      const path = `${root}/apps/${made.currentApp}/token`;
      const { appToken } = await api.expect(201, 'POST', path);
      return { resource: made.currentAppUid, secrets: [appToken] };
    }),
    step('adminEndFormerAppToken', ['end-former-token', 'apps'], async () => {
      await api.expect(204, 'DELETE', `${root}/apps/${made.currentApp}/former-token`);
      return { resource: made.currentAppUid };
    }),
    step('adminCreateToken', ['create-api-token', 'service-accounts'], async () => {
      const path = `${root}/accounts/${made.currentAccount}/tokens`;
      const { tokenId = '', apiToken } = await api.expect(201, 'POST', path);
      made.currentToken = tokenId;
      return { resource: made.currentAccount, secrets: [apiToken] };
    }),
    step('adminSetTokenStatus', ['update-api-token', 'service-accounts'], async () => {
      const path = `${root}/accounts/${made.currentAccount}/tokens/${made.currentToken}`;
      await api.expect(200, 'PUT', path, { status: 'DISABLED' });
      return { resource: made.currentAccount };
    }),
    step('adminCreateKey', ['create-key', 'service-accounts'], async () => {
      const path = `${root}/accounts/${made.currentAccount}/keys`;
      const { keyId, privateKey } = await api.expect(201, 'POST', path);
      made.currentKey = String(keyId);
      return { resource: made.currentAccount, secrets: [privateKey] };
    }),
    step('adminSetKeyStatus', ['update-key', 'service-accounts'], async () => {
      const path = `${root}/accounts/${made.currentAccount}/keys/${made.currentKey}`;
      await api.expect(200, 'PUT', path, { status: 'DISABLED' });
      return { resource: made.currentAccount };
    }),
    step('adminCreateIdentity', ['create', 'identities'], async () => {
      const body = { identifier: 'current@example.com' };
      const { serviceId = '' } = await admin.expect(201, 'POST', `${root}/identities`, body);
      made.currentPerson = serviceId;
      return { resource: serviceId };
    }),
    ...(
      [
        ['adminUpdateIdentity', 'update-profile', '', { name: 'Ada' }],
        ['adminSetIdentityImage', 'update-image', '/image', image],
        ['adminSetIdentityConfig', 'update-config', '/config', { items: [{ key: 'a', value: 'of one' }] }],
        ['adminSetIdentityStatus', 'update-status', '/status', { status: 'DISABLED' }],
      ] as const
    ).map(([operationId, action, path, body]) =>
      step(operationId, [action, 'identities'], async () => {
        await admin.expect(200, 'PUT', `${root}/identities/${made.currentPerson}${path}`, body);
        return { resource: made.currentPerson };
      }),
    ),
    ...putAway(
      admin,
      'Organization',
      'organization-projects',
      () => `organizations/${made.currentOrganization}`,
    ),
    ...putAway(api, 'Project', 'organization-projects', () => `projects/${made.currentProject}`),
    ...putAway(api, 'App', 'apps', () => `apps/${made.currentApp}`),
    ...putAway(api, 'Account', 'service-accounts', () => `accounts/${made.currentAccount}`),
  ];

  function putAway(by: Api, kind: string, service: string, path: () => string): Step[] {
    return (['archive', 'restore'] as const).map((verb) =>
      step(`admin${verb === 'archive' ? 'Archive' : 'Restore'}${kind}`, [verb, service], async () => {
        const shown = await by.expect(200, 'POST', `${root}/${path()}/${verb}`);
        return { resource: shown.uid ?? shown.serviceId };
      }),
    );
  }
}

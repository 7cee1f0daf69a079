import { randomBytes } from 'node:crypto';
import { addResource } from '@ledger-ops/auth/testing';
import type { Party, SampleRequest, World } from './world.ts';

/** A party's records, for requests that name them. */
export interface Holdings {
  readonly party: Party;
  readonly wallet: string;
  readonly accountId: string;
  readonly email: string;
  readonly serviceId: string;
  readonly handle: string;
  readonly apiToken: string;
  readonly keyId: number;
  readonly appToken: string;
  readonly invitationId: number;
  readonly invitationToken: string;
  readonly imageId: string;
}

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
const word = () => `w${randomBytes(5).toString('hex')}`;

/** Creates one record of every kind. */
export async function holdingsOf(w: World, party: Party): Promise<Holdings> {
  const { owner, tenant, organizationId } = party;
  const { accountId, email, serviceId } = await w.call('createServiceAccount', owner, {
    body: { name: word() },
  });
  const params = { accountId };
  const { handle, apiToken } = await w.call('createServiceAccountApiToken', owner, { params });
  const { keyID } = await w.call('generateServiceAccountKey', owner, { params });
  const invitation = await w.call('inviteUser', owner, {
    body: { organizationId, userEmail: `${word()}@example.com` },
  });
  await w.call('setIdentityImage', owner, {
    params: { serviceId: owner.serviceId },
    body: { data: svg, format: 'svg' },
  });
  const { imageURL } = (await w.call('getCurrentUser', owner)).identityProfile;
  return {
    party,
    wallet: await addResource(w.here, 'cloud-wallet', tenant.projectUid),
    accountId,
    email,
    serviceId,
    handle,
    apiToken,
    keyId: keyID,
    appToken: tenant.app.token.reveal(),
    invitationId: invitation.id,
    invitationToken: invitation.invitationToken,
    imageId: imageURL.split('/').at(-1) ?? '',
  };
}

/** Returns a request to each operation with the party's ids and every possible member. */
export function samples(holdings: Holdings): Record<string, SampleRequest> {
  const { party, wallet, accountId, serviceId } = holdings;
  const { tenant, organizationId, projectId } = party;
  const { appId } = tenant.app;
  const paging = { page: '0', size: '20', sort: [] };
  const filters = { resourceId: wallet, project: projectId, organization: organizationId };
  const terms = { lookupTerm: [], lookupTermStrategy: 'OR' };
  const identity = { serviceId };
  const image = { data: svg, format: 'svg' };
  const listing = (type: string) => ({ params: { type }, query: { ...filters, ...terms, ...paging } });
  return {
    listPermissionsEvaluatorResults: { query: { resource: [wallet], permission: ['wallet:read'] } },
    listPermissions: { query: { resource: wallet } },
    identityOnAppHasPermissionOnResource: {
      params: { resourceId: wallet },
      query: { permission: ['wallet:read'] },
    },
    getPermissionsEvaluatorResult: {
      params: { resourceId: wallet },
      query: { permissions: ['wallet:read'] },
    },
    createResource: { body: { id: word(), type: 'node', properties: { key: 'value' }, parentId: projectId } },
    listResourcesContainingResourceIdForResourceType: {
      params: { type: 'cloud-wallet', resourceId: wallet.slice(0, -1) },
      query: { ...terms, ...paging },
    },
    getResource: { params: { resourceId: wallet } },
    listAllResourcesByType: listing('cloud-wallet'),
    listResourceOfType: listing('cloud-wallet'),
    listResourcesForIdentity: {
      params: { type: 'service-account', serviceId: party.owner.serviceId },
      query: { ...terms, ...paging },
    },
    createLookupTerm: { params: { resourceId: wallet }, body: { value: word() } },
    listAppIdentityRoles: { query: { app: appId } },
    createAppIdentityRole: { body: { identity, app: { appId }, role: { name: 'viewer' } } },
    listAppRoles: { params: { resourceId: projectId } },
    setAppRole: { params: { resourceId: wallet }, body: { app: appId, role: 'viewer' } },
    listResourceIdentityRoles: { query: { resource: wallet, identity: serviceId, ...paging } },
    createResourceIdentityRole: { body: { identity, resource: { resourceUUID: wallet }, role: 'viewer' } },
    deleteResourceIdentityRole: { params: { resourceId: wallet, serviceId, name: 'viewer' } },
    listRoles: { query: { names: ['viewer'], roleType: 'IDENTITY' } },
    listIdentitiesOnResources: { query: { resource: [projectId, organizationId], ...paging } },
    listAppIdentityProperties: { query: { app: appId } },
    createAppIdentityProperty: { body: { identity, app: appId, name: word(), value: 'v' } },

    listIdentities: { query: { filter_by: 'SERVICE_ID', identifiers: [serviceId] } },
    createIdentity: {
      body: { identifier: `${word()}@example.com`, type: 'SAML', identityProfile: { displayName: 'N' } },
    },
    getCurrentUser: {},
    getIdentity: { params: { id: serviceId }, query: { filter_by: 'SERVICE_ID' } },
    updateIdentityStatus: { params: { id: serviceId }, query: { status: 'ENABLED' } },
    searchIdentities: { params: { searchCriteria: accountId } },
    searchIdentitiesInResources: { params: { searchCriteria: accountId }, query: { resources: [projectId] } },
    listIdentitiesOfResource: { params: { resourceId: projectId } },
    updateIdentityConfig: { params: { serviceId }, body: { items: [{ key: 'k', value: 'v' }] } },
    updateIdentityProfile: { params: { serviceId }, body: { displayName: 'N' } },
    setIdentityImage: { params: { serviceId }, body: image },

    createServiceAccount: {
      body: {
        name: 'N',
        accountId: word(),
        email: `${word()}@example.com`,
        project: { projectID: projectId },
      },
    },
    getServiceAccount: {
      params: { emailOrAccountId: accountId },
      query: { filter_by: 'SERVICE_ACCOUNT_ID' },
    },
    listServiceAccountsOfProject: { params: { projectId }, query: { resourceId: '', ...paging } },
    validateServiceAccountCredentials: {
      query: { authType: 'apiToken' },
      body: { email: holdings.email, keyID: holdings.keyId, secret: holdings.apiToken, signature: 'AAAA' },
    },
    listServiceAccountApiTokens: { params: { accountId }, query: { status: 'ENABLED' } },
    createServiceAccountApiToken: { params: { accountId } },
    updateServiceAccountApiTokenStatus: {
      params: { apiToken: holdings.handle },
      query: { status: 'ENABLED' },
    },
    generateServiceAccountKey: { params: { accountId } },
    updateServiceAccountKeyStatus: {
      params: { accountId },
      query: { keyId: String(holdings.keyId), status: 'ENABLED' },
    },
    listServiceAccountKeys: { params: { accountId }, query: { status: 'ENABLED' } },

    listOrganizations: { query: { resourceId: organizationId, all: 'true', ...paging } },
    createOrganization: {
      query: { assignAuthenticatedUser: 'true' },
      body: { name: 'N', organizationID: word() },
    },
    getOrganization: { params: { organizationId } },
    setOrganizationImage: { params: { organizationId }, body: image },
    listProjects: { query: { organization: organizationId, resourceId: projectId, ...paging } },
    createProject: {
      body: { name: 'N', projectID: word(), organization: { organizationID: organizationId } },
    },
    getProject: { params: { projectId } },
    createApp: {
      body: {
        name: 'N',
        appId: word(),
        projectId,
        appURL: 'https://a.example',
        redirectUris: ['https://a.example/cb'],
      },
    },
    updateApp: {
      params: { appId },
      body: { name: 'N', appURL: 'https://a.example', redirectUris: ['https://a.example/cb'] },
    },
    setAppImage: { params: { appId }, body: image },
    getAppByToken: { params: { appToken: holdings.appToken } },
    getApp: { params: { appId } },
    listAppsOfProject: { params: { project: projectId }, query: { resourceId: appId, ...paging } },
    issueAppToken: { params: { appId } },
    endFormerAppToken: { params: { appId } },

    listInvitations: { query: { invitationState: 'PENDING', resourceId: organizationId } },
    inviteUser: {
      query: { saml: 'false', organizationId },
      body: {
        userEmail: `${word()}@example.com`,
        emailSubject: 'S',
        message: 'M',
        organizationId,
        invitationResourceRoles: [{ resource: { resourceID: projectId }, role: { name: 'viewer' } }],
      },
    },
    respondToInvitation: {
      query: {},
      body: { id: holdings.invitationId, invitationState: 'CANCELED' },
    },
    listOrganizationsForInvitation: { query: { resourceId: organizationId, all: 'true', ...paging } },
    listResourceIdentityRolesOfIdentityForInvitation: {
      params: { identityId: party.owner.serviceId },
      query: { resource: organizationId, ...paging },
    },
    listIdentitiesForInvitation: { query: { resources: [organizationId], ...paging } },
    listResourceIdentityRolesForInvitation: { query: { resource: organizationId, ...paging } },
    listResourcesForInvitation: {
      query: { resourceType: 'project', ...filters, resourceId: projectId, ...paging },
    },

    getImage: { params: { imageId: holdings.imageId } },
  };
}

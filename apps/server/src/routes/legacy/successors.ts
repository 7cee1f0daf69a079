import type { Route } from '../../http/route.ts';

const grants = '/v1/admin/role-grants';

/** Current paths that replace deprecated operations, with the same method. Shared parameters are carried over. */
export const successors: Readonly<Record<string, string>> = {
  listOrganizations: '/v1/admin/organizations',
  createOrganization: '/v1/admin/organizations',
  getOrganization: '/v1/admin/organizations/{organizationId}',
  listProjects: '/v1/admin/projects',
  createProject: '/v1/admin/projects',
  getProject: '/v1/admin/projects/{projectId}',
  createApp: '/v1/admin/apps',
  updateApp: '/v1/admin/apps/{appId}',
  getApp: '/v1/admin/apps/{appId}',
  listAppsOfProject: '/v1/admin/apps',
  issueAppToken: '/v1/admin/apps/{appId}/token',
  endFormerAppToken: '/v1/admin/apps/{appId}/former-token',
  createServiceAccount: '/v1/admin/accounts',
  getServiceAccount: '/v1/admin/accounts',
  listServiceAccountsOfProject: '/v1/admin/accounts',
  listRoles: '/v1/admin/roles',
  listResourceIdentityRoles: grants,
  createResourceIdentityRole: grants,
  deleteResourceIdentityRole: `${grants}/{resourceId}/{serviceId}/{role}`,
  listAppRoles: '/v1/admin/app-role-grants/{resourceId}',
  setAppRole: '/v1/admin/app-role-grants/{resourceId}/{appId}',
  listInvitations: '/v1/admin/invitations',
  inviteUser: '/v1/admin/invitations',
  respondToInvitation: '/v1/admin/invitations/answer',
  listPermissionsEvaluatorResults: '/v1/admin/permission-check',
  listPermissions: '/v1/admin/permission-check',
  identityOnAppHasPermissionOnResource: '/v1/admin/permission-check',
  getPermissionsEvaluatorResult: '/v1/admin/permission-check',
  getCurrentUser: '/v1/admin/me',
  listIdentitiesOfResource: grants,
  listIdentitiesOnResources: grants,
  listActiveLedgers: '/v1/admin/ledgers',
  listFeaturedLedgers: '/v1/admin/ledgers',
  createLedger: '/v1/admin/ledgers',
  getLedger: '/v1/admin/ledgers/{ledgerId}',
  listNodes: '/v1/admin/nodes',
  listNodesOfLedger: '/v1/admin/nodes',
  getDefaultNode: '/v1/admin/ledgers/{ledgerId}/default-node',
  createNode: '/v1/admin/nodes',
  getNode: '/v1/admin/nodes/{nodeId}',
  listExplorers: '/v1/admin/explorers',
  getExplorer: '/v1/admin/explorers/{explorerId}',
  getDefaultExplorer: '/v1/admin/ledgers/{ledgerId}/default-explorer',
  listActivitiesOfResource: '/v1/admin/timeline',
  listActivitiesOfAction: '/v1/admin/timeline',
  listActivitiesOfType: '/v1/admin/timeline',
  listIdentities: '/v1/admin/identities',
  createIdentity: '/v1/admin/identities',
  getIdentity: '/v1/admin/identities',
  searchIdentities: '/v1/admin/identities',
  searchIdentitiesInResources: '/v1/admin/identities',
  updateIdentityStatus: '/v1/admin/identities/{serviceId}/status',
  updateIdentityConfig: '/v1/admin/identities/{serviceId}/config',
  updateIdentityProfile: '/v1/admin/identities/{serviceId}',
  setIdentityImage: '/v1/admin/identities/{serviceId}/image',
  setOrganizationImage: '/v1/admin/organizations/{organizationId}/image',
  setAppImage: '/v1/admin/apps/{appId}/image',
  listServiceAccountApiTokens: '/v1/admin/accounts/{accountId}/tokens',
  updateServiceAccountApiTokenStatus: '/v1/admin/accounts/{accountId}/tokens/{tokenId}',
  generateServiceAccountKey: '/v1/admin/accounts/{accountId}/keys',
  listServiceAccountKeys: '/v1/admin/accounts/{accountId}/keys',
  updateServiceAccountKeyStatus: '/v1/admin/accounts/{accountId}/keys/{keyId}',
  listSmartContracts: '/v1/contracts',
  registerSmartContract: '/v1/contract-groups/{contractGroupId}/instances',
  getSmartContract: '/v1/contracts/{smartContractId}',
  createTemplate: '/v1/contract-templates',
  listTemplates: '/v1/contract-templates',
  createSpecification: '/v1/contract-templates/{templateId}/versions',
  listSpecifications: '/v1/contract-templates/{templateId}/versions',
  getSpecification: '/v1/contract-templates/{templateId}/versions/{version}',
};

const invited =
  'Only the older invitation page uses this operation. `GET /v1/admin/invitations` shows what an invitation offers.';
const ofOthers =
  'Store your own records, and permissions of applications for single people, in your application: this service does not use them. `GET /v1/admin/projects` and similar paths return the service’s own records, and `GET /v1/admin/role-grants` the roles.';

/** Deprecated operations without a direct replacement, and what to do instead. */
export const withoutSuccessor: Readonly<Record<string, string>> = {
  ...reasons('`DELETE /v1/plugins/{pluginId}/tags` removes tags from one plugin.', ['legacyRemovePluginTag']),
  ...reasons('`GET /v1/plugins` returns each plugin with its tags.', ['legacyListPluginTags']),
  ...reasons(
    '`GET /v1/ledger-ops/actions/{actionId}` returns actions; query the nodes of the ledger for other transactions.',
    ['gatewaySearchTransaction'],
  ),
  ...reasons(
    'Store notes on a contract in your application: this service does not use these properties. `PUT /v1/contract-groups/{contractGroupId}/instances/{smartContractId}` changes name and interface.',
    ['updateSmartContractProperties'],
  ),
  ...reasons(
    'Call the token’s contract by its id, and store name and ticker in your application: this service does not use them.',
    ['registerToken'],
  ),
  ...reasons('`POST /v1/auth/token` shows whether the credentials are valid.', [
    'validateServiceAccountCredentials',
  ]),
  ...reasons(
    'This operation needs a secret in the URL. `GET /v1/admin/apps` finds applications by their ids.',
    ['getAppByToken'],
  ),
  ...reasons(ofOthers, [
    'createResource',
    'getResource',
    'createLookupTerm',
    'listResourcesContainingResourceIdForResourceType',
    'listAllResourcesByType',
    'listResourceOfType',
    'listResourcesForIdentity',
    'listAppIdentityRoles',
    'createAppIdentityRole',
    'listAppIdentityProperties',
    'createAppIdentityProperty',
  ]),
  ...reasons(invited, [
    'listOrganizationsForInvitation',
    'listResourceIdentityRolesOfIdentityForInvitation',
    'listIdentitiesForInvitation',
    'listResourceIdentityRolesForInvitation',
    'listResourcesForInvitation',
  ]),
};

function reasons(why: string, operations: readonly string[]): Record<string, string> {
  return Object.fromEntries(operations.map((operation) => [operation, why]));
}

/**
 * Operations that resemble deprecated ones but are not in the specification. They are not deprecated; their
 * descriptions name the equivalent operation.
 */
const likenesses: Readonly<Record<string, string>> = {
  updateLedger: '/v1/admin/ledgers/{ledgerId}',
  deleteLedger: '/v1/admin/ledgers/{ledgerId}',
  updateNode: '/v1/admin/nodes/{nodeId}',
  deleteNode: '/v1/admin/nodes/{nodeId}',
  createExplorer: '/v1/admin/explorers',
  updateExplorer: '/v1/admin/explorers/{explorerId}',
  deleteExplorer: '/v1/admin/explorers/{explorerId}',
  createServiceAccountApiToken: '/v1/admin/accounts/{accountId}/tokens',
};

/** Adds the successor, or a note about the equivalent, to each route that has one. */
export function withSuccessors(routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    const successor = successors[route.operationId];
    if (successor !== undefined) return { ...route, successor };
    const like = likenesses[route.operationId];
    if (like === undefined) return route;
    const note = `Call \`${route.method.toUpperCase()} ${like}\`, which has the same effect.`;
    return { ...route, description: [route.description, note].join(' ').trim() };
  });
}

import type { Admin } from '@ledger-ops/auth';
import type { LedgerNodes, Timeline } from '@ledger-ops/registry';
import type { Route } from '../../http/route.ts';
import { accessRoutes } from './access.ts';
import { accountRoutes, appRoutes } from './clients.ts';
import { credentialRoutes } from './credentials.ts';
import { explorerRoutes } from './explorers.ts';
import { identityRoutes } from './identities.ts';
import { invitationRoutes } from './invitations.ts';
import { ledgerRoutes } from './ledgers.ts';
import { nodeRoutes } from './nodes.ts';
import { organizationRoutes, projectRoutes } from './organizations.ts';
import { timelineRoutes } from './timeline.ts';

const grants = '/v1/admin/role-grants';

/** The paths of ours that stand in the place of deprecated operations, with the same method; of their parameters those go over that they share. */
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
  'Made for the older page of invitations. `GET /v1/admin/invitations` tells what an invitation offers.';
const ofOthers =
  'Keep records of your own, and what applications may do for single people, with yourself: nothing here heeds them. Ours are read by the paths of their kinds, such as `GET /v1/admin/projects`, and roles by `GET /v1/admin/role-grants`.';

/** Deprecated operations in whose place nothing stands, with how to go on without them. */
export const withoutSuccessor: Readonly<Record<string, string>> = {
  ...reasons('`DELETE /v1/plugins/{pluginId}/tags` takes tags from one plugin.', ['legacyRemovePluginTag']),
  ...reasons('Each plugin of `GET /v1/plugins` has its tags.', ['legacyListPluginTags']),
  ...reasons(
    'Of actions `GET /v1/ledger-ops/actions/{actionId}` tells; any other transaction tell the nodes of its ledger.',
    ['gatewaySearchTransaction'],
  ),
  ...reasons(
    'Keep notes on a contract with yourself: nothing here reads these properties. `PUT /v1/contract-groups/{contractGroupId}/instances/{smartContractId}` changes name and interface.',
    ['updateSmartContractProperties'],
  ),
  ...reasons(
    'Call the token’s contract by its id, and keep name and ticker with yourself: nothing here reads them.',
    ['registerToken'],
  ),
  ...reasons('Whoever asks `POST /v1/auth/token` for a token learns whether the credentials count.', [
    'validateServiceAccountCredentials',
  ]),
  ...reasons('A secret in a URL: `GET /v1/admin/apps` finds applications by their ids.', ['getAppByToken']),
  ...reasons(ofOthers, [
    ...[
      'createResource',
      'getResource',
      'createLookupTerm',
      'listResourcesContainingResourceIdForResourceType',
    ],
    ...['listAllResourcesByType', 'listResourceOfType', 'listResourcesForIdentity'],
    ...['listAppIdentityRoles', 'createAppIdentityRole'],
    ...['listAppIdentityProperties', 'createAppIdentityProperty'],
  ]),
  ...reasons(invited, [
    ...['listOrganizationsForInvitation', 'listResourceIdentityRolesOfIdentityForInvitation'],
    ...[
      'listIdentitiesForInvitation',
      'listResourceIdentityRolesForInvitation',
      'listResourcesForInvitation',
    ],
  ]),
};

function reasons(why: string, operations: readonly string[]): Record<string, string> {
  return Object.fromEntries(operations.map((operation) => [operation, why]));
}

/** Operations of ours beside deprecated ones. The specification, which deprecates those, does not have these: they stay, and name their like. */
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

/** The same operations, which name their successors, or their like. */
export function withSuccessors(routes: readonly Route[]): Route[] {
  return routes.map((route) => {
    const successor = successors[route.operationId];
    if (successor !== undefined) return { ...route, successor };
    const like = likenesses[route.operationId];
    if (like === undefined) return route;
    const note = `New programs call \`${route.method.toUpperCase()} ${like}\`, which does the same.`;
    return { ...route, description: [route.description, note].join(' ').trim() };
  });
}

/** Records that others keep than people and their rights. */
interface Records {
  readonly ledgerNodes: LedgerNodes;
  readonly timeline: Timeline;
}

/** Administration by current paths, over the same functions as the older services. */
export function administrationRoutes(admin: Admin, records: Records): Route[] {
  const { ledgerNodes, timeline } = records;
  return [
    ...organizationRoutes(admin),
    ...projectRoutes(admin),
    ...appRoutes(admin),
    ...accountRoutes(admin),
    ...credentialRoutes(admin),
    ...identityRoutes(admin),
    ...accessRoutes(admin),
    ...invitationRoutes(admin),
    ...ledgerRoutes(ledgerNodes),
    ...nodeRoutes(ledgerNodes),
    ...explorerRoutes(ledgerNodes),
    ...timelineRoutes(timeline),
  ];
}

/**
 * The tables of the service interface, transcribed: what each operation answers, and the fields of the records.
 *
 * A type is a JSON type (`int` is an integer), `any` where the interface gives none, or the name of a record; `[]`
 * makes an array, `|null` lets it be null, and `?` behind a field's name lets it be absent.
 */
export type Fields = Readonly<Record<string, string>>;

/** Sections 2.1 to 2.9. */
export const records: Readonly<Record<string, Fields>> = {
  Action: {
    actionId: 'string',
    'contractAddress?': 'string|null',
    dateUpdated: 'string',
    'dependencies?': 'string[]',
    intent: 'string',
    ledgerId: 'string|null',
    locator: 'string|null',
    status: 'string',
    'txId?': 'string|null',
    walletId: 'string',
  },
  // `intent` echoes the request's, which may be null.
  ActionCreation: { actionId: 'string', intent: 'string|null', status: 'string' },
  OlderActionCreation: { id: 'string', state: 'string' },
  ContractGroup: { groupId: 'string', name: 'string' },
  Contract: {
    contractId: 'string',
    groupId: 'string',
    interface: 'string',
    ledgerReference: 'LedgerReference',
    name: 'string|null',
  },
  LedgerReference: { ledgerId: 'string', nativeReference: 'string' },
  Plugin: {
    active: 'boolean',
    id: 'string',
    implementationVersion: 'string',
    name: 'string',
    pluginType: 'string',
    projectId: 'string',
    tags: 'string[]',
    url: 'string',
  },
  LegacyPlugin: {
    id: 'int',
    name: 'any',
    pluginId: 'any',
    pluginURL: 'any',
    project: 'any',
    resourceId: 'any',
    tags: 'LegacyTag[]',
  },
  LegacyTag: { id: 'int', name: 'string' },
  Problem: { detail: 'string', status: 'int', title: 'string', type: 'string' },
  TransactionSent: { problem: 'Problem|null', status: 'string', txId: 'string' },
  TransactionStatus: { details: 'TransactionDetails', problem: 'Problem|null', status: 'string' },
  TransactionDetails: { contractAddress: 'string|null', locator: 'string|null' },
  WalletCreated: { walletAddress: 'string' },
  Token: { access_token: 'string', expires_in: 'int', token_type: 'string' },
  KeySet: { keys: 'Key[]' },
  Key: { e: 'string', kid: 'string', kty: 'string', n: 'string', use: 'string' },
  InitializedUser: { email: 'string' },
  ApiToken: { apiToken: 'string', status: 'string' },
  Resource: {
    properties: 'ResourceProperty[]',
    resourceID: 'any',
    resourceUUID: 'any',
    type: 'NumberedName',
  },
  ResourceProperty: { id: 'int', name: 'string', value: 'string' },
  NumberedName: { id: 'int', name: 'string' },
  PermissionEvaluation: {
    identity: 'IdentityReference',
    appId: 'any',
    missingAppPermissions: 'any[]',
    missingResourcePermissions: 'any[]',
    resourceId: 'any',
    result: 'boolean',
  },
  IdentityReference: { serviceId: 'any' },
  PermissionListing: {
    identity: 'any',
    identityPermissions: 'any[]',
    appPermissions: 'any[]',
    resourceID: 'any',
  },
  AppIdentityRole: { id: 'int', identity: 'any', app: 'any', role: 'any' },
  ResourceIdentityRole: { id: 'int', identity: 'any', resource: 'any', role: 'any' },
  LookupTerm: { id: 'int', value: 'any' },
  AppIdentityProperty: { id: 'int', identity: 'IdentityReference', app: 'any', name: 'any', value: 'any' },
  Role: { description: 'any', id: 'any', name: 'any', permissions: 'RolePermission[]', roleType: 'any' },
  RolePermission: { action: 'string', id: 'int' },
  Identity: {
    dateCreated: 'int',
    dateUpdated: 'int',
    id: 'int',
    identifier: 'any',
    identityProfile: 'IdentityProfile',
    serviceId: 'any',
    status: 'string',
    type: 'string',
  },
  IdentityProfile: { displayName: 'any' },
  IdentityConfig: { items: 'ConfigItem[]' },
  ConfigItem: { key: 'any', value: 'any' },
  ServiceAccount: {
    accountId: 'any',
    createdBy: 'any',
    dateCreated: 'int',
    dateUpdated: 'int',
    email: 'any',
    id: 'int',
    name: 'any',
    project: 'any',
    resourceId: 'any',
    updatedBy: 'any',
  },
  ServiceAccountKey: {
    dateCreated: 'any',
    dateUpdated: 'any',
    generatedBy: 'any',
    id: 'any',
    keyID: 'int',
    privateKeyFormat: 'any',
    publicKey: 'any',
    publicKeyFormat: 'any',
    serviceAccount: 'any',
    status: 'string',
  },
  GeneratedKey: { identifier: 'any', keyID: 'int', privateKey: 'any' },
  Organization: { id: 'int', name: 'any', organizationID: 'any', resourceId: 'any', resourceUUID: 'any' },
  Project: {
    id: 'int',
    name: 'any',
    organization: 'Organization',
    projectID: 'any',
    resourceId: 'any',
    resourceUUID: 'any',
  },
  App: {
    appURL: 'any',
    id: 'int',
    imageURL: 'any',
    appId: 'any',
    name: 'any',
    projectId: 'any',
    resourceId: 'any',
  },
  Invitation: {
    createdByIdentity: 'any',
    dateCreated: 'int',
    emailSubject: 'any',
    id: 'int',
    invitationResourceRoles: 'InvitationResourceRole[]',
    invitationState: 'string',
    invitationToken: 'any',
    message: 'any',
    organizationId: 'any',
    userEmail: 'string',
  },
  InvitationResourceRole: { id: 'any', resource: 'any', role: 'any' },
  Ledger: {
    active: 'boolean',
    id: 'int',
    ledgerID: 'any',
    ledgerTechnology: 'LedgerTechnology',
    name: 'any',
    properties: 'ScopedProperty[]',
    resourceId: 'any',
    type: 'NamedType',
  },
  LedgerTechnology: { id: 'any', ledgerTechnologyID: 'string', name: 'any' },
  ScopedProperty: { id: 'any', type: 'ScopedType', value: 'any' },
  ScopedType: { id: 'any', name: 'any', scope: 'NamedRecord' },
  NamedRecord: { id: 'any', name: 'any' },
  NamedType: { name: 'any' },
  Node: {
    client: 'any',
    id: 'int',
    name: 'any',
    nodeID: 'any',
    properties: 'Property[]',
    resourceId: 'any',
    uri: 'any',
  },
  Property: { id: 'any', type: 'NamedRecord', value: 'any' },
  Explorer: {
    explorerID: 'any',
    id: 'any',
    implementations: 'Implementation[]',
    ledgerID: 'any',
    name: 'any',
    nodeID: 'any',
    resourceId: 'any',
  },
  Implementation: { id: 'any', properties: 'Property[]', type: 'NamedRecord' },
  TimelineRecord: {
    action: 'string',
    datePerformed: 'string',
    dateRegistered: 'string',
    identity: 'string',
    appID: 'string',
    projectID: 'string',
    pubsubMessageID: 'string',
    resourceID: 'string',
    resourceType: 'string',
    service: 'string',
    targetObject: 'string',
  },
  OldContract: {
    compilationDetails: 'any',
    compileVersion: 'any',
    contractInstanceID: 'any',
    contractSpecification: 'any',
    id: 'int',
    ledgerID: 'any',
    name: 'any',
    properties: 'ScopedProperty[]',
    resourceId: 'any',
    types: 'NamedRecord[]',
  },
  OldSpecification: {
    checksum: 'any',
    compilationLanguage: 'any',
    compilationSpecification: 'any',
    compilationStatus: 'any',
    contractTemplate: 'any',
    dateCreated: 'int',
    dateUpdated: 'int',
    description: 'any',
    hasPreprocessing: 'boolean',
    id: 'int',
    ledgerTechnology: 'OldTechnology',
    preCompilationSpecification: 'any',
    tag: 'any',
    targetCompilationVersion: 'any',
  },
  OldTechnology: { id: 'any', ledgerTechnologyID: 'any' },
  OldTemplate: {
    contractTemplateID: 'any',
    description: 'any',
    id: 'int',
    name: 'any',
    resourceId: 'any',
  },
  OldToken: {
    contractInstance: 'OldContract',
    id: 'int',
    name: 'any',
    resourceId: 'any',
    ticker: 'any',
    tokenID: 'any',
  },
  OlderEmulation: { result: 'any' },
  OlderTransaction: { locator: 'string', smartContractAddress: 'any', status: 'any' },
};

/** Section 2.3, and the other envelope of the current plugin list. */
export const pageFields: Fields = {
  contentType: 'string',
  pageElements: 'int',
  pageNumber: 'int|null',
  totalElements: 'int',
  totalPages: 'int',
};
export const pluginPageFields: Fields = {
  contentType: 'string',
  hasMore: 'boolean',
  nextPage: 'int',
  previousPage: 'int',
};

/**
 * Sections 4.1 to 4.6, with the paths that the decisions give: method, path, success code, and what is answered: a
 * type, a page (`ActionPage<Action>`), or `-` for nothing that a table describes.
 */
export const operations = `
POST /v1/ledger-ops/send 201 ActionCreation
POST /v1/ledger-ops/contract/call 201 ActionCreation
POST /v1/ledger-ops/contract-call 201 ActionCreation
POST /v1/ledger-ops/ledger-call 201 ActionCreation
GET /v1/ledger-ops/search/actions/{actionId} 200 Action
POST /v1/ledger-ops/search/actions 200 Action[]
GET /v1/ledger-ops/search/intents/{intent} 200 Action[]
POST /v1/ledger-ops/search/intents 200 Action[]
GET /v1/ledger-ops/search/wallets/{walletId}/actions 200 ActionPage<Action>
GET /v1/ledger/ops/search/wallets/{walletId}/actions 200 ActionPage<Action>
GET /v1/ledger/ops/search/wallets/{walletId}/actions/{actionId} 200 Action
GET /v1/ledger-ops/certificates 200 KeySet
POST /v1/ledger-ops/emulate 200 -
GET /v1/ledger-ops/actions/{actionId}/events 200 -
GET /v1/ledger-ops/events 200 -

GET /v1/auth/certs 200 KeySet
POST /v1/auth/token 200 Token
POST /v1/auth/login 200 Identity
POST /v1/auth/logout 204 -
POST /v1/auth/init-user 200 InitializedUser
GET /v1/auth/authorize 200 -
GET /.well-known/oauth-authorization-server 200 -
GET /.well-known/jwks.json 200 KeySet

GET /v1/contract-groups 200 ContractGroupPage<ContractGroup>
POST /v1/contract-groups 201 ContractGroup
GET /v1/contract-groups/{contractGroupId} 200 ContractGroup
PUT /v1/contract-groups/{contractGroupId} 200 ContractGroup
DELETE /v1/contract-groups/{contractGroupId} 204 -
GET /v1/contract-groups/{contractGroupId}/instances 200 ContractPage<Contract>
POST /v1/contract-groups/{contractGroupId}/instances 201 Contract
GET /v1/contract-groups/{contractGroupId}/instances/{smartContractId} 200 Contract
PUT /v1/contract-groups/{contractGroupId}/instances/{smartContractId} 200 Contract
DELETE /v1/contract-groups/{contractGroupId}/instances/{smartContractId} 204 -

GET /v1/plugins 200 PluginPagedResult<Plugin>
POST /v1/plugins 201 Plugin
GET /v1/plugins/{pluginId} 200 Plugin
PUT /v1/plugins/{pluginId} 200 Plugin
DELETE /v1/plugins/{pluginId} 204 -
POST /v1/plugins/{pluginId}/tags 200 Plugin
DELETE /v1/plugins/{pluginId}/tags 200 Plugin
POST /v1/legacy-plugins 201 LegacyPlugin
PUT /v1/legacy-plugins/{pluginId} 200 LegacyPlugin
DELETE /v1/legacy-plugins/{pluginId} 204 -
GET /v1/legacy-plugins/{pluginId} 200 LegacyPlugin
GET /v1/legacy-plugins 200 PluginPage<LegacyPlugin>
POST /v1/legacy-plugins/{pluginId}/tags 200 LegacyPlugin
DELETE /v1/legacy-plugins/tags 200 LegacyPlugin
GET /v1/legacy-plugins/tags 200 LegacyTag[]

POST /v1/cloud-wallet/wallets 201 WalletCreated
POST /v1/cloud-wallet/transactions 200 TransactionSent
GET /v1/cloud-wallet/transactions 200 TransactionStatus[]
GET /v1/cloud-wallet/wallets 200 -
GET /v1/cloud-wallet/wallets/{walletId} 200 -
POST /v1/cloud-wallet/wallets/{walletId}/export 200 -
PUT /v1/cloud-wallet/wallets/{walletId}/password 204 -

POST /v1/gateway/actions 201 OlderActionCreation
POST /v1/gateway/plugin-actions 201 OlderActionCreation
POST /v1/gateway/emulations 200 OlderEmulation
GET /v1/gateway/transactions 200 OlderTransaction

GET /v1/resource-manager/permission-evaluations 200 PermissionEvaluation[]
GET /v1/resource-manager/permissions 200 PermissionListing
GET /v1/resource-manager/resources/{resourceId}/has-permission 200 boolean
GET /v1/resource-manager/resources/{resourceId}/permission-evaluation 200 PermissionEvaluation
POST /v1/resource-manager/resources 201 Resource
GET /v1/resource-manager/resources/{resourceId} 200 Resource
GET /v1/resource-manager/types/{type}/resources/containing/{resourceId} 200 ResourcePage<Resource>
GET /v1/resource-manager/types/{type}/resources 200 ResourcePage<Resource>
GET /v1/resource-manager/types/{type}/resources/mine 200 ResourcePage<Resource>
GET /v1/resource-manager/types/{type}/identities/{serviceId}/resources 200 ResourcePage<Resource>
GET /v1/resource-manager/app-identity-roles 200 AppIdentityRole[]
POST /v1/resource-manager/app-identity-roles 201 AppIdentityRole
GET /v1/resource-manager/resources/{resourceId}/app-roles 200 AppIdentityRole[]
PUT /v1/resource-manager/resources/{resourceId}/app-roles 200 AppIdentityRole
DELETE /v1/resource-manager/resources/{resourceId}/identities/{serviceId}/roles/{name} 202 -
GET /v1/resource-manager/resource-identity-roles 200 ResourceIdentityRolePage<ResourceIdentityRole>
POST /v1/resource-manager/resource-identity-roles 201 ResourceIdentityRole
POST /v1/resource-manager/resources/{resourceId}/lookup-terms 201 LookupTerm
GET /v1/resource-manager/resource-identities 200 IdentityPage<Identity>
GET /v1/resource-manager/app-identity-properties 200 AppIdentityProperty[]
POST /v1/resource-manager/app-identity-properties 201 AppIdentityProperty
GET /v1/resource-manager/roles 200 Role[]

POST /v1/identities/authenticate 200 Identity
GET /v1/identities 200 Identity[]
POST /v1/identities 201 Identity
GET /v1/identities/me 200 Identity
GET /v1/identities/{id} 200 Identity
PUT /v1/identities/{id}/status 200 Identity
GET /v1/identities/search/{searchCriteria} 200 Identity[]
GET /v1/identities/search/{searchCriteria}/in-resources 200 Identity[]
GET /v1/identities/resources/{resourceId} 200 Identity[]
PUT /v1/identities/{serviceId}/config 200 IdentityConfig
PUT /v1/identities/{serviceId}/profile 200 IdentityProfile
PUT /v1/identities/{serviceId}/image 200 IdentityProfile

POST /v1/service-accounts 201 ServiceAccount
GET /v1/service-accounts/{emailOrAccountId} 200 ServiceAccount
GET /v1/service-accounts/projects/{projectId} 200 ServiceAccountPage<ServiceAccount>
POST /v1/service-accounts/validate 200 ServiceAccount
GET /v1/service-accounts/{accountId}/api-tokens 200 ApiToken[]
POST /v1/service-accounts/{accountId}/api-tokens 201 ApiToken
PUT /v1/service-accounts/api-tokens/{apiToken} 200 ApiToken
POST /v1/service-accounts/{accountId}/keys 201 GeneratedKey
PUT /v1/service-accounts/{accountId}/keys 200 ServiceAccountKey
GET /v1/service-accounts/{accountId}/keys 200 ServiceAccountKey[]

GET /v1/organizations 200 OrganizationPage<Organization>
POST /v1/organizations 201 Organization
GET /v1/organizations/{organizationId} 200 Organization
PUT /v1/organizations/{organizationId}/image 200 Organization
GET /v1/projects 200 ProjectPage<Project>
POST /v1/projects 201 Project
GET /v1/projects/{projectId} 200 Project
POST /v1/apps 201 App
PUT /v1/apps/{appId} 200 App
GET /v1/apps/{appId} 200 App
PUT /v1/apps/{appId}/image 200 App
GET /v1/apps/by-token/{appToken} 200 App
GET /v1/apps/projects/{project} 200 AppPage<App>
POST /v1/apps/{appId}/token 201 -
GET /v1/images/{imageId} 200 -

GET /v1/invitations 200 Invitation[]
POST /v1/invitations 201 Invitation
PUT /v1/invitations 200 Invitation
GET /v1/invitations/organizations 200 OrganizationPage<Organization>
GET /v1/invitations/identities/{identityId}/resource-identity-roles 200 ResourceIdentityRolePage<ResourceIdentityRole>
GET /v1/invitations/identities 200 IdentityPage<Identity>
GET /v1/invitations/resource-identity-roles 200 ResourceIdentityRolePage<ResourceIdentityRole>
GET /v1/invitations/resources 200 ResourcePage<Resource>

GET /v1/ledgers 200 LedgerPage<Ledger>
GET /v1/ledgers/featured 200 LedgerPage<Ledger>
POST /v1/ledgers 201 Ledger
GET /v1/ledgers/{ledgerId} 200 Ledger
PUT /v1/ledgers/{ledgerId} 200 Ledger
DELETE /v1/ledgers/{ledgerId} 204 -
GET /v1/nodes 200 NodePage<Node>
POST /v1/nodes 201 Node
GET /v1/nodes/{nodeId} 200 Node
PUT /v1/nodes/{nodeId} 200 Node
DELETE /v1/nodes/{nodeId} 204 -
GET /v1/nodes/ledgers/{ledgerId} 200 NodePage<Node>
GET /v1/nodes/ledgers/{ledgerId}/default 200 Node
GET /v1/explorers 200 ExplorerPage<Explorer>
POST /v1/explorers 201 Explorer
GET /v1/explorers/{explorerId} 200 Explorer
GET /v1/explorers/ledgers/{ledgerId}/default 200 Explorer

GET /v1/timeline/resources/{resourceId} 200 TimelineRecord[]
GET /v1/timeline/services/{service}/actions/{action} 200 TimelineRecord[]
GET /v1/timeline/resource-types/{type} 200 TimelineRecord[]

GET /v1/smart-contracts 200 SmartContractPage<OldContract>
POST /v1/smart-contracts 201 OldContract
GET /v1/smart-contracts/{smartContractId} 200 OldContract
PUT /v1/smart-contracts/{smartContractId}/properties 200 OldContract
POST /v1/smart-contracts/deployments 201 OlderActionCreation
POST /v1/smart-contracts/templates 201 OldTemplate
GET /v1/smart-contracts/templates 200 ContractTemplatePage<OldTemplate>
GET /v1/smart-contracts/templates/{templateId}/specifications 200 OldSpecification[]
GET /v1/smart-contracts/templates/{templateId}/specifications/{tag} 200 OldSpecification
POST /v1/smart-contracts/templates/{templateId}/specifications 201 OldSpecification
POST /v1/smart-contracts/tokens 201 OldToken

GET /livez 200 -
GET /readyz 200 -
GET /openapi.json 200 -
GET /docs 200 -
`
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [method = '', path = '', status = '', answer = ''] = line.split(' ');
    return { name: `${method} ${path}`, method, path, status: Number(status), answer };
  });

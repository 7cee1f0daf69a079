/**
 * Operations of sections 4.1 to 4.6 of the service interface, with the paths from the decisions. Each line has the
 * method, the path, the success code, and the response: a type, a page (`ActionPage<Action>`), or `-` if no table
 * describes it.
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
GET /v1/ledger-ops/actions 200 -
GET /v1/ledger-ops/actions/counts 200 -
GET /v1/ledger-ops/actions/{actionId} 200 -
POST /v1/ledger-ops/suspensions 201 -
GET /v1/ledger-ops/suspensions 200 -
GET /v1/ledger-ops/suspensions/{suspensionId} 200 -
DELETE /v1/ledger-ops/suspensions/{suspensionId} 204 -
GET /v1/ledger-ops/actions/{actionId}/explain 200 -
GET /v1/contract-subscriptions 200 -
POST /v1/contract-subscriptions 201 -
GET /v1/contract-subscriptions/{subscriptionId} 200 -
PUT /v1/contract-subscriptions/{subscriptionId} 200 -
DELETE /v1/contract-subscriptions/{subscriptionId} 204 -
GET /v1/webhooks 200 -
POST /v1/webhooks 201 -
GET /v1/webhooks/{webhookId} 200 -
PUT /v1/webhooks/{webhookId} 200 -
DELETE /v1/webhooks/{webhookId} 204 -
POST /v1/webhooks/{webhookId}/secret 201 -
POST /v1/webhooks/{webhookId}/test 200 -
GET /v1/webhooks/{webhookId}/deliveries 200 -
POST /v1/webhooks/{webhookId}/replay 204 -

GET /v1/admin/me 200 -
GET /v1/admin/organizations 200 -
POST /v1/admin/organizations 201 -
GET /v1/admin/organizations/{organizationId} 200 -
POST /v1/admin/organizations/{organizationId}/archive 200 -
POST /v1/admin/organizations/{organizationId}/restore 200 -
GET /v1/admin/projects 200 -
POST /v1/admin/projects 201 -
GET /v1/admin/projects/{projectId} 200 -
POST /v1/admin/projects/{projectId}/archive 200 -
POST /v1/admin/projects/{projectId}/restore 200 -
GET /v1/admin/apps 200 -
POST /v1/admin/apps 201 -
GET /v1/admin/apps/{appId} 200 -
POST /v1/admin/apps/{appId}/archive 200 -
POST /v1/admin/apps/{appId}/restore 200 -
PUT /v1/admin/apps/{appId} 200 -
GET /v1/admin/accounts 200 -
POST /v1/admin/accounts 201 -
GET /v1/admin/accounts/{accountId} 200 -
POST /v1/admin/accounts/{accountId}/archive 200 -
POST /v1/admin/accounts/{accountId}/restore 200 -
GET /v1/admin/accounts/{accountId}/tokens 200 -
POST /v1/admin/accounts/{accountId}/tokens 201 -
PUT /v1/admin/accounts/{accountId}/tokens/{tokenId} 200 -
GET /v1/admin/accounts/{accountId}/keys 200 -
POST /v1/admin/accounts/{accountId}/keys 201 -
PUT /v1/admin/accounts/{accountId}/keys/{keyId} 200 -
PUT /v1/admin/organizations/{organizationId}/image 200 -
PUT /v1/admin/apps/{appId}/image 200 -
POST /v1/admin/apps/{appId}/token 201 -
DELETE /v1/admin/apps/{appId}/former-token 204 -
GET /v1/admin/identities 200 -
POST /v1/admin/identities 201 -
GET /v1/admin/identities/{serviceId} 200 -
PUT /v1/admin/identities/{serviceId} 200 -
PUT /v1/admin/identities/{serviceId}/image 200 -
PUT /v1/admin/identities/{serviceId}/config 200 -
PUT /v1/admin/identities/{serviceId}/status 200 -
GET /v1/admin/ledgers 200 -
POST /v1/admin/ledgers 201 -
GET /v1/admin/ledgers/{ledgerId} 200 -
PUT /v1/admin/ledgers/{ledgerId} 200 -
DELETE /v1/admin/ledgers/{ledgerId} 204 -
GET /v1/admin/ledgers/{ledgerId}/default-node 200 -
GET /v1/admin/ledgers/{ledgerId}/default-explorer 200 -
GET /v1/admin/nodes 200 -
POST /v1/admin/nodes 201 -
GET /v1/admin/nodes/{nodeId} 200 -
PUT /v1/admin/nodes/{nodeId} 200 -
DELETE /v1/admin/nodes/{nodeId} 204 -
GET /v1/admin/explorers 200 -
POST /v1/admin/explorers 201 -
GET /v1/admin/explorers/{explorerId} 200 -
PUT /v1/admin/explorers/{explorerId} 200 -
DELETE /v1/admin/explorers/{explorerId} 204 -
GET /v1/admin/timeline 200 -
GET /v1/admin/roles 200 -
GET /v1/admin/role-grants 200 -
POST /v1/admin/role-grants 201 -
DELETE /v1/admin/role-grants/{resourceId}/{serviceId}/{role} 202 -
GET /v1/admin/app-role-grants/{resourceId} 200 -
PUT /v1/admin/app-role-grants/{resourceId}/{appId} 200 -
GET /v1/admin/permission-check 200 -
GET /v1/admin/identity-permissions 200 -
GET /v1/admin/invitations 200 -
POST /v1/admin/invitations 201 -
GET /v1/admin/invitations/{invitationId} 200 -
DELETE /v1/admin/invitations/{invitationId} 204 -
POST /v1/admin/invitations/answer 200 -

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

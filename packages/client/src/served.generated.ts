// Made of the served document: `pnpm --filter @ledger-ops/server generate`.
/** Problems of the catalogue. */
export type ProblemName =
  | 'access-token-invalid'
  | 'address-not-opened'
  | 'already-exists'
  | 'answer-not-replayable'
  | 'application-mismatch'
  | 'application-token-invalid'
  | 'approvals-missing'
  | 'batch-refused'
  | 'cancelled'
  | 'certificate-invalid'
  | 'chain-reset'
  | 'conflict'
  | 'deadline-passed'
  | 'dependency-failed'
  | 'dropped'
  | 'endorsement-failed'
  | 'event-too-old'
  | 'expectation-failed'
  | 'expired'
  | 'head-too-large'
  | 'idempotency-key-reused'
  | 'in-use'
  | 'insufficient-funds'
  | 'internal'
  | 'invalid-json'
  | 'invalid-request'
  | 'invalidated'
  | 'ledger-timeout'
  | 'ledger-unavailable'
  | 'login-failed'
  | 'method-not-allowed'
  | 'no-plugin'
  | 'nonce-conflict'
  | 'nonce-taken'
  | 'not-found'
  | 'not-permitted'
  | 'not-preparable'
  | 'out-of-gas'
  | 'payload-too-large'
  | 'plugin-fault'
  | 'plugin-refused'
  | 'request-timeout'
  | 'reverted'
  | 'too-many-requests'
  | 'unavailable'
  | 'unknown-contract'
  | 'unknown-dependency'
  | 'unknown-event'
  | 'unknown-method'
  | 'unsupported-glo-version'
  | 'unsupported-media-type'
  | 'unsupported-operation'
  | 'wallets-mismatch'
  | 'wrong-chain'
  | 'wrong-ledger'
  | 'wrong-sender'
  | 'wrong-wallet-password';

/** Paths whose POST takes an `Idempotency-Key`. */
export const keyedPaths: ReadonlySet<string> = new Set([
  '/v1/admin/accounts',
  '/v1/admin/accounts/{accountId}/keys',
  '/v1/admin/accounts/{accountId}/tokens',
  '/v1/admin/apps',
  '/v1/admin/apps/{appId}/token',
  '/v1/admin/explorers',
  '/v1/admin/identities',
  '/v1/admin/invitations',
  '/v1/admin/ledgers',
  '/v1/admin/nodes',
  '/v1/admin/organizations',
  '/v1/admin/projects',
  '/v1/admin/role-grants',
  '/v1/apps',
  '/v1/apps/{appId}/token',
  '/v1/cloud-wallet/wallets',
  '/v1/contract-groups',
  '/v1/contract-groups/{contractGroupId}/instances',
  '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/methods/{method}',
  '/v1/contract-subscriptions',
  '/v1/contract-templates',
  '/v1/contract-templates/{templateId}/versions',
  '/v1/explorers',
  '/v1/gateway/actions',
  '/v1/gateway/plugin-actions',
  '/v1/identities',
  '/v1/invitations',
  '/v1/ledger-ops/actions/{actionId}/cancel',
  '/v1/ledger-ops/actions/{actionId}/hurry',
  '/v1/ledger-ops/batch',
  '/v1/ledger-ops/contract-call',
  '/v1/ledger-ops/contract/call',
  '/v1/ledger-ops/ledger-call',
  '/v1/ledger-ops/send',
  '/v1/ledger-ops/suspensions',
  '/v1/ledgers',
  '/v1/legacy-plugins',
  '/v1/nodes',
  '/v1/organizations',
  '/v1/plugins',
  '/v1/projects',
  '/v1/resource-manager/app-identity-properties',
  '/v1/resource-manager/app-identity-roles',
  '/v1/resource-manager/resource-identity-roles',
  '/v1/resource-manager/resources',
  '/v1/resource-manager/resources/{resourceId}/lookup-terms',
  '/v1/service-accounts',
  '/v1/service-accounts/{accountId}/api-tokens',
  '/v1/service-accounts/{accountId}/keys',
  '/v1/smart-contracts',
  '/v1/smart-contracts/deployments',
  '/v1/smart-contracts/templates',
  '/v1/smart-contracts/templates/{templateId}/specifications',
  '/v1/smart-contracts/tokens',
  '/v1/webhooks',
  '/v1/webhooks/{webhookId}/secret',
]);

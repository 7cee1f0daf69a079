import type { OperationPermission } from '@ledger-ops/auth';

/** Permission of all operations that send any type of GLO. */
export const sendPermission = {
  needs: 'wallet:transact',
  on: 'record',
  also: ['wallet:read', 'smart-contract-instance:read', 'smart-contract-template:read'],
} as const satisfies OperationPermission;

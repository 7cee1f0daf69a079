import type { OperationPermission } from '@ledger-ops/auth';

/** Permission of every way of sending that takes all types of GLO. */
export const sendPermission = {
  needs: 'wallet:transact',
  on: 'record',
  also: ['wallet:read', 'smart-contract-instance:read', 'smart-contract-template:read'],
} as const satisfies OperationPermission;

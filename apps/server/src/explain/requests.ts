import type { ActionDetails } from '@ledger-ops/runtime';

/** A request that a person can make about an action. */
export interface NamedRequest {
  method: 'GET' | 'POST' | 'PUT';
  /** Path in the OpenAPI document. */
  path: string;
  /** Returns the path for one action. */
  of(action: ActionDetails): string;
  /** Required permission, or null. If the operation requires several, the first one that docs/permissions.md lists for it. */
  permission: string | null;
}

const action = '/v1/ledger-ops/actions/{actionId}';

function ofAction(method: 'GET' | 'POST', verb: string, permission: string): NamedRequest {
  const path = `${action}/${verb}`;
  return {
    method,
    path,
    permission,
    of: ({ actionId }) => path.replace('{actionId}', encodeURIComponent(actionId)),
  };
}

function always(method: 'GET' | 'POST', path: string, permission: string | null): NamedRequest {
  return { method, path, permission, of: () => path };
}

/** Requests that explanations refer to. */
export const requests = {
  follow: ofAction('GET', 'events', 'wallet:read'),
  cancel: ofAction('POST', 'cancel', 'wallet:transact'),
  hurry: ofAction('POST', 'hurry', 'wallet:transact'),
  send: always('POST', '/v1/ledger-ops/send', 'wallet:transact'),
  emulate: always('POST', '/v1/ledger-ops/emulate', 'wallet:read'),
  ledgerHealth: always('GET', '/v1/admin/ledger-health', 'ledger:read'),
  suspensions: always('GET', '/v1/ledger-ops/suspensions', 'wallet:read'),
  technologies: always('GET', '/v1/technologies', null),
  earlier: {
    method: 'GET',
    path: '/v1/ledger-ops/actions',
    permission: 'wallet:read',
    of: ({ walletId }) => `/v1/ledger-ops/actions?wallet=${encodeURIComponent(walletId)}&status=PENDING`,
  },
  unknown: {
    method: 'GET',
    path: '/v1/cloud-wallet/wallets/{walletId}/unknown-transactions',
    permission: 'wallet:read',
    of: ({ walletId }) => `/v1/cloud-wallet/wallets/${encodeURIComponent(walletId)}/unknown-transactions`,
  },
  ledger: {
    method: 'PUT',
    path: '/v1/admin/ledgers/{ledgerId}',
    permission: 'ledger:update',
    of: ({ ledgerId }) => `/v1/admin/ledgers/${encodeURIComponent(ledgerId ?? '')}`,
  },
  plugin: {
    method: 'GET',
    path: '/v1/plugins/selection',
    permission: 'plugin:read',
    of: ({ ledgerId }) => `/v1/plugins/selection?ledgerId=${encodeURIComponent(ledgerId ?? '')}`,
  },
} as const satisfies Record<string, NamedRequest>;

export type RequestName = keyof typeof requests;

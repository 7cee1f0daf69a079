import type { ResourceType } from '../types.ts';

/** A limit on what one organization stores, across all its projects unless stated otherwise. */
export interface LimitDescription {
  /** The default limit, which administrators may change. */
  readonly most: number;
  readonly unit: 'records' | 'bytes';
  readonly about: string;
  /** First part of the remedy in the error message. Default: `Delete what you no longer need`. */
  readonly remedy?: string;
  /** Resource types that count toward the limit. */
  readonly types?: readonly ResourceType[];
  /** Table whose rows in the organization's projects count toward the limit. */
  readonly table?: string;
}

const mebibyte = 1_048_576;

/** All storage limits by name; docs/operations.md explains them. */
export const storageLimits = {
  projects: { most: 1_000, unit: 'records', about: 'projects', types: ['project'] },
  apps: { most: 5_000, unit: 'records', about: 'applications', types: ['app'] },
  'service-accounts': {
    most: 10_000,
    unit: 'records',
    about: 'service accounts',
    types: ['service-account'],
  },
  wallets: { most: 1_000_000, unit: 'records', about: 'wallets', types: ['wallet', 'cloud-wallet'] },
  ledgers: { most: 1_000, unit: 'records', about: 'ledgers', types: ['ledger'] },
  nodes: { most: 5_000, unit: 'records', about: 'nodes', types: ['node'] },
  explorers: { most: 1_000, unit: 'records', about: 'explorers', types: ['explorer'] },
  plugins: { most: 500, unit: 'records', about: 'plugins', types: ['plugin'] },
  templates: { most: 10_000, unit: 'records', about: 'templates', types: ['smart-contract-template'] },
  contracts: {
    most: 200_000,
    unit: 'records',
    about: 'registered contracts',
    types: ['smart-contract-instance'],
  },
  'contract-groups': { most: 50_000, unit: 'records', about: 'contract groups', types: ['contract-group'] },
  tokens: { most: 50_000, unit: 'records', about: 'ledger tokens', types: ['ledger-token'] },
  webhooks: { most: 500, unit: 'records', about: 'webhooks', table: 'webhook' },
  'contract-subscriptions': {
    most: 500,
    unit: 'records',
    about: 'contract subscriptions',
    table: 'contract_subscription',
  },
  'other-resources': {
    most: 10_000,
    unit: 'records',
    about: 'identity groups and billing accounts',
    types: ['identity-group', 'billing-account'],
  },
  roles: {
    most: 3_000_000,
    unit: 'records',
    about: 'roles of identities and applications on resources',
    remedy: 'Revoke roles that are no longer needed',
  },
  credentials: {
    most: 100_000,
    unit: 'records',
    about: 'API tokens and keys of service accounts, including disabled ones',
    remedy: 'Use existing credentials',
  },
  details: {
    most: 100_000,
    unit: 'records',
    about: 'lookup terms and properties of resources, and properties of application users',
  },
  'document-bytes': {
    most: 1_024 * mebibyte,
    unit: 'bytes',
    about: 'bytes of template versions, contract interfaces and images',
  },
  'action-bytes': {
    most: 10_240 * mebibyte,
    unit: 'bytes',
    about: 'bytes of actions',
    remedy: 'Send less data, or wait until old actions are removed',
  },
  'response-bytes': {
    most: 256 * mebibyte,
    unit: 'bytes',
    about: 'bytes of responses that are kept for a day with their Idempotency-Key',
    remedy: 'Wait until older responses are removed',
  },
  'delivery-bytes': {
    most: 256 * mebibyte,
    unit: 'bytes',
    about: 'bytes of events that wait for delivery to webhooks',
  },
  'event-bytes': { most: 1_024 * mebibyte, unit: 'bytes', about: 'bytes of contract events' },
  'project-event-bytes': {
    most: 512 * mebibyte,
    unit: 'bytes',
    about: 'bytes of contract events of one project',
  },
  'subscription-event-bytes': {
    most: 256 * mebibyte,
    unit: 'bytes',
    about: 'bytes of contract events of one subscription',
  },
} as const satisfies Record<string, LimitDescription>;

export type StorageLimitName = keyof typeof storageLimits;

export function isStorageLimit(name: string): name is StorageLimitName {
  return Object.hasOwn(storageLimits, name);
}

/** All storage limits with their common type. */
export const storageLimitEntries = Object.entries(storageLimits) as readonly [
  StorageLimitName,
  LimitDescription,
][];

/** The limit that counts resources of a type. */
export const limitOfType: ReadonlyMap<ResourceType, StorageLimitName> = new Map(
  storageLimitEntries.flatMap(([name, { types = [] }]) => types.map((type) => [type, name] as const)),
);

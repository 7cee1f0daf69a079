import { type Permission, type ResourceType, resourceTypes } from '../types.ts';

/** One permission and what it allows, as the documentation shows it. */
export interface PermissionEntry {
  readonly permission: Permission;
  readonly description: string;
}

/** `cloud-wallet` has none of its own: `wallet:*` governs it. */
type GoverningType = Exclude<ResourceType, 'cloud-wallet'>;

interface TypeDescription {
  /** With its article, as it stands in a sentence. */
  readonly one: string;
  /** Sentences for verbs other than, or beyond, the five that every type has. */
  readonly verbs?: Readonly<Record<string, string>>;
  /** Verbs of the five that make no sense here. */
  readonly without?: readonly string[];
}

const types: Readonly<Record<GoverningType, TypeDescription>> = {
  system: {
    one: 'the installation',
    without: ['create', 'delete'],
    verbs: { manage: 'Administer the installation: identities, signing keys, and roles on everything.' },
  },
  organization: {
    one: 'an organization',
    verbs: {
      delete: 'Archive and restore an organization.',
      invite: 'Invite users into an organization.',
    },
  },
  project: { one: 'a project', verbs: { delete: 'Archive and restore a project.' } },
  app: {
    one: 'an application',
    verbs: {
      delete: 'Archive and restore an application.',
      manage:
        'Grant and revoke roles on an application and of it, and issue or disable its ApplicationToken.',
    },
  },
  wallet: {
    one: 'a wallet',
    verbs: {
      transact: 'Send operations with a wallet (its password is needed as well).',
      export: "Export a wallet's key (its password is needed as well).",
      update: "Change a wallet's password or its record.",
    },
  },
  node: { one: 'a node' },
  ledger: {
    one: 'a ledger',
    verbs: {
      read: 'See a ledger, and read its contracts and transactions as the ledger’s own identity.',
      manage: 'Grant and revoke roles on a ledger, and add nodes to it.',
      inspect:
        'Emulate calls of the contracts that belong to the ledger itself and show everything on it, such as system chaincodes.',
    },
  },
  explorer: { one: 'an explorer' },
  'identity-group': { one: 'a group of identities' },
  'service-account': {
    one: 'a service account',
    verbs: {
      delete: 'Archive and restore a service account.',
      manage: 'Grant and revoke roles on a service account, and issue or disable its API tokens and keys.',
    },
  },
  'smart-contract-template': { one: 'a contract template' },
  'smart-contract-instance': {
    one: 'a contract',
    verbs: { call: 'Call methods of a registered contract.' },
  },
  'ledger-token': { one: 'a token of a ledger' },
  plugin: { one: 'a plugin' },
  'billing-account': { one: 'a billing account' },
  'contract-group': { one: 'a contract group' },
};

const commonVerbs: Readonly<Record<string, (one: string) => string>> = {
  read: (one) => `See ${one}.`,
  create: (one) => `Create ${one} below the resource.`,
  update: (one) => `Change ${one}.`,
  delete: (one) => `Delete ${one}.`,
  manage: (one) => `Grant and revoke roles on ${one}.`,
};

/** Every permission that the service knows, by resource type, with a sentence each. */
export const permissions: readonly PermissionEntry[] = resourceTypes
  .filter((type) => type !== 'cloud-wallet')
  .flatMap((type) => {
    const { one, verbs = {}, without = [] } = types[type];
    const sentences = new Map<string, string>();
    for (const [verb, sentence] of Object.entries(commonVerbs)) {
      if (!without.includes(verb)) sentences.set(verb, sentence(one));
    }
    for (const [verb, sentence] of Object.entries(verbs)) sentences.set(verb, sentence);
    return [...sentences].map(([verb, description]): PermissionEntry => {
      return { permission: `${type}:${verb}`, description };
    });
  });

const alias = 'cloud-wallet:';

/** The permission that decides: `wallet:*` governs `cloud-wallet` too; every other one is itself. */
export function governingPermission(permission: Permission): Permission {
  return permission.startsWith(alias) ? `wallet:${permission.slice(alias.length)}` : permission;
}

/** The permission to see a resource of this type. Who lacks it is told that there is nothing. */
export function readPermission(type: ResourceType): Permission {
  return governingPermission(`${type}:read`);
}

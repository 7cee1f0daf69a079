import { type Permission, type ResourceType, resourceTypes } from '../types.ts';

/** A permission with its description for the documentation. */
export interface PermissionEntry {
  readonly permission: Permission;
  readonly description: string;
}

/** `cloud-wallet` does not have its own permissions: `wallet:*` governs it. */
type GoverningType = Exclude<ResourceType, 'cloud-wallet'>;

interface TypeDescription {
  /** Type name with its article, for use in a sentence. */
  readonly one: string;
  /** Descriptions that replace the descriptions of the five common verbs, or that add verbs. */
  readonly verbs?: Readonly<Record<string, string>>;
  /** Common verbs that do not apply to this type. */
  readonly without?: readonly string[];
}

const types: Readonly<Record<GoverningType, TypeDescription>> = {
  system: {
    one: 'the installation',
    without: ['create', 'delete'],
    verbs: { manage: 'Administer the installation: identities, signing keys, and roles on all resources.' },
  },
  organization: {
    one: 'an organization',
    verbs: {
      delete: 'Archive and restore an organization.',
      invite: 'Invite users to an organization.',
    },
  },
  project: { one: 'a project', verbs: { delete: 'Archive and restore a project.' } },
  app: {
    one: 'an application',
    verbs: {
      delete: 'Archive and restore an application.',
      manage:
        'Grant and revoke roles on an application, and roles that the application itself holds; issue or disable its ApplicationToken.',
    },
  },
  wallet: {
    one: 'a wallet',
    verbs: {
      transact: 'Send operations with a wallet (also requires the wallet password).',
      export: "Export a wallet's key (also requires the wallet password).",
      update:
        "Change a wallet's password and exclusive use, suspend and resume it, and mark its actions as executed or release them.",
    },
  },
  node: { one: 'a node' },
  ledger: {
    one: 'a ledger',
    verbs: {
      read: "See a ledger, and read its contracts and transactions with the ledger's own identity.",
      manage: 'Grant and revoke roles on a ledger, and add nodes to it.',
      inspect:
        "Emulate calls to the ledger's own contracts, such as system chaincodes, and show everything on the ledger.",
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
  create: (one) => `Create ${one} under the resource.`,
  update: (one) => `Change ${one}.`,
  delete: (one) => `Delete ${one}.`,
  manage: (one) => `Grant and revoke roles on ${one}.`,
};

/** All permissions, by resource type, with descriptions. */
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

/**
 * Maps `cloud-wallet:*` to `wallet:*`, which applies to both types. Returns all other permissions unchanged.
 */
export function governingPermission(permission: Permission): Permission {
  return permission.startsWith(alias) ? `wallet:${permission.slice(alias.length)}` : permission;
}

/** Returns the permission to see a resource of this type. Callers without it get `not-found`. */
export function readPermission(type: ResourceType): Permission {
  return governingPermission(`${type}:read`);
}

import type { Permission } from '../types.ts';
import { permissions } from './permissions.ts';

/** Who may hold a role: an identity or an application. */
export type RoleType = 'IDENTITY' | 'APP';

/** A role that exists in every installation. Its permissions follow the version of the software. */
export interface BuiltInRole {
  readonly name: string;
  readonly roleType: RoleType;
  readonly description: string;
  readonly permissions: readonly Permission[];
}

/** Role that the creator of a resource gets on it. */
export const ownerRole = 'owner';
/** Role of identities (and of the administrator's application) on the system resource. */
export const administratorRole = 'administrator';
/** Role that an application gets on its project when it is created. */
export const applicationRole = 'application';

const all = permissions.map(({ permission }) => permission);
const ofInstallation = (permission: Permission) =>
  permission.startsWith('system:') || permission === 'organization:create';
const owned = all.filter((permission) => !ofInstallation(permission));
const readable = owned.filter((permission) => permission.endsWith(':read'));
const transacting: readonly Permission[] = ['wallet:transact', 'smart-contract-instance:call'];
const operating: readonly Permission[] = [
  'wallet:create',
  'contract-group:create',
  'contract-group:update',
  'smart-contract-instance:create',
  'smart-contract-instance:update',
  'smart-contract-template:create',
  'smart-contract-template:update',
  'ledger-token:create',
];

/** The roles that the first start creates, and every later start brings up to date. */
export const builtInRoles: readonly BuiltInRole[] = [
  {
    name: administratorRole,
    roleType: 'IDENTITY',
    description: 'Everything, the installation itself included when held on the system resource.',
    permissions: all,
  },
  {
    name: ownerRole,
    roleType: 'IDENTITY',
    description: 'Everything on a resource and below it.',
    permissions: owned,
  },
  {
    name: 'operator',
    roleType: 'IDENTITY',
    description: 'Sees everything, creates wallets, registers contracts and templates, and sends operations.',
    permissions: [...readable, ...transacting, ...operating],
  },
  {
    name: 'transactor',
    roleType: 'IDENTITY',
    description: 'Sees everything and sends operations with wallets that exist.',
    permissions: [...readable, ...transacting],
  },
  { name: 'viewer', roleType: 'IDENTITY', description: 'Sees everything.', permissions: readable },
  {
    name: administratorRole,
    roleType: 'APP',
    description: 'An application through which the installation itself is administered.',
    permissions: all,
  },
  {
    name: applicationRole,
    roleType: 'APP',
    description:
      "Everything on a resource and below it: what is done is limited by the identity's roles alone.",
    permissions: owned,
  },
  {
    name: 'viewer',
    roleType: 'APP',
    description: 'An application that only shows things.',
    permissions: readable,
  },
];

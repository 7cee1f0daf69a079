import type { Permission } from '../types.ts';
import { permissions } from './permissions.ts';

/** The kind of holder a role is for. */
export type RoleType = 'IDENTITY' | 'APP';

/** A role that exists in every installation. Software updates may change its permissions. */
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

/** The roles that the first start creates and every later start updates. */
export const builtInRoles: readonly BuiltInRole[] = [
  {
    name: administratorRole,
    roleType: 'IDENTITY',
    description: 'All permissions; on the system resource, this includes the installation itself.',
    permissions: all,
  },
  {
    name: ownerRole,
    roleType: 'IDENTITY',
    description: 'All permissions on a resource and everything under it.',
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
    description: 'Sees everything and sends operations with existing wallets.',
    permissions: [...readable, ...transacting],
  },
  { name: 'viewer', roleType: 'IDENTITY', description: 'Sees everything.', permissions: readable },
  {
    name: administratorRole,
    roleType: 'APP',
    description: 'An application that can administer the installation itself.',
    permissions: all,
  },
  {
    name: applicationRole,
    roleType: 'APP',
    description:
      "All permissions on a resource and everything under it; only the identity's roles limit what it can do.",
    permissions: owned,
  },
  {
    name: 'viewer',
    roleType: 'APP',
    description: 'An application that can only read.',
    permissions: readable,
  },
];

import { Problem } from '@ledger-ops/base';
import type { Queries } from '@ledger-ops/store';
import { z } from 'zod';
import { usableIdentity } from '../login/identity-lock.ts';
import type { AccessState, Grants } from '../state.ts';
import {
  type Decision,
  type Permission,
  type Principal,
  type ResourceType,
  resourceTypes,
} from '../types.ts';
import type { AccessVersion } from './access-version.ts';
import { usableApp } from './archived.ts';
import { governingPermission, readPermission } from './permissions.ts';
import { holderKey } from './role-assignments.ts';

/** The identity and the application whose roles decide. */
export type Holders = Pick<Principal, 'serviceId' | 'appUid'>;

/** Decides whether a caller may do something. */
export interface Decider {
  holdsRoles(serviceId: string): Promise<boolean>;
  decide(principal: Holders, permissions: readonly Permission[], resourceUid: string): Promise<Decision>;
  /** Like `decide`, but ignores archiving. */
  holds(principal: Holders, permissions: readonly Permission[], resourceUid: string): Promise<Decision>;
  demand(principal: Principal, permission: Permission, resourceUid: string): Promise<void>;
  demandUse(principal: Principal, permission: Permission, resourceUid: string): Promise<void>;
}

/**
 * Types of resources that serve every project if the deployer created them directly below `system`. Everyone
 * may see those resources. Excludes their nodes, whose addresses may contain credentials.
 */
export const sharedBySystem: ReadonlySet<ResourceType> = new Set<ResourceType>([
  'ledger',
  'plugin',
  'explorer',
]);

/** Decides by the roles in the database at the time of the call. */
export function createDecider(queries: Queries, access: AccessVersion<AccessState>): Decider {
  const permissionsOf = createRoleReader();
  const grantsOf = async ({ serviceId, appUid }: Holders, resourceUid: string) => {
    const { grants } = await access.current();
    return await grants.get(`${serviceId}\n${appUid}\n${resourceUid}`, () =>
      loadGrants(queries, permissionsOf, serviceId, appUid, resourceUid),
    );
  };

  return {
    async holdsRoles(serviceId) {
      const { rolesHeld } = await access.current();
      const held = await rolesHeld.get(serviceId, async () => {
        const holder = holderKey({ identity: serviceId });
        const rows = await queries.all('select 1 as one from role_assignment where holder = $1 limit 1', [
          holder,
        ]);
        return { any: rows.length > 0 };
      });
      return held?.any === true;
    },

    async decide(principal, permissions, resourceUid) {
      return decisionOf(await grantsOf(principal, resourceUid), permissions);
    },

    async holds(principal, permissions, resourceUid) {
      const grants = await grantsOf(principal, resourceUid);
      return decisionOf(grants === null ? null : { ...grants, archived: false }, permissions);
    },

    async demand(principal, permission, resourceUid) {
      const grants = await grantsOf(principal, resourceUid);
      if (grants === null) throw nothingHere();
      const decision = decisionOf(grants, [permission]);
      if (decision.result) return;
      refuse(grants, permission, decision, 'on this resource or on a resource above it');
    },

    async demandUse(principal, permission, resourceUid) {
      const grants = await grantsOf(principal, resourceUid);
      if (grants === null) throw nothingHere();
      const served = grants.shared ? await grantsOf(principal, principal.projectUid) : null;
      const held = {
        ...grants,
        identity: [...grants.identity, ...(served?.identity ?? [])],
        app: [...grants.app, ...(served?.app ?? [])],
        archived: grants.archived || served?.archived === true,
        shared: false,
      };
      const decision = decisionOf(held, [permission]);
      if (decision.result) return;
      const where = grants.shared
        ? "on this resource, which is visible to everybody, or on the application's project"
        : 'on this resource or on a resource above it';
      refuse(grants, permission, decision, where);
    },
  };
}

/** @throws Problem `not-found` if the caller may not even see the resource, otherwise `not-permitted` */
function refuse(grants: Grants, permission: Permission, decision: Decision, where: string): never {
  if (!decisionOf(grants, [readPermission(grants.type)]).result) throw nothingHere();
  const { missingAppPermissions, missingResourcePermissions } = decision;
  const extensions = { missingAppPermissions, missingResourcePermissions };
  if (grants.archived) {
    const detail = `You need ${permission}, but this resource or one above it is archived. Archived resources can only be read; restore it first.`;
    throw new Problem('not-permitted', detail, { extensions });
  }
  const holders = [
    ...(missingResourcePermissions.length > 0 ? ['the identity'] : []),
    ...(missingAppPermissions.length > 0 ? ['the application'] : []),
  ];
  const lacking = `${holders.join(' and ')} ${holders.length === 1 ? 'has' : 'have'} no role with this permission`;
  throw new Problem(
    'not-permitted',
    `${permission} is missing: ${lacking} ${where}. Ask an administrator of the resource for such a role.`,
    {
      extensions,
    },
  );
}

function isRead(permission: Permission): boolean {
  return permission.endsWith(':read');
}

function decisionOf(grants: Grants | null, permissions: readonly Permission[]): Decision {
  const seen = grants?.shared === true ? readPermission(grants.type) : undefined;
  const missing = (held: readonly ReadonlySet<string>[] = []) =>
    permissions.filter((permission) => {
      const governing = governingPermission(permission);
      if (grants?.archived === true && !isRead(governing)) return true;
      return governing !== seen && !held.some((set) => set.has(governing));
    });
  const missingAppPermissions = missing(grants?.app);
  const missingResourcePermissions = missing(grants?.identity);
  const result = missingAppPermissions.length === 0 && missingResourcePermissions.length === 0;
  return { result, missingAppPermissions, missingResourcePermissions };
}

/**
 * Walks from the resource up to the system and collects the roles held on the way. A disabled, archived or
 * locked identity or app holds no roles. So callers that keep a principal for a long time, such as event
 * streams, also lose access.
 */
const walk = `
with recursive chain(uid, type, parent_uid, archived_at, depth) as (
  select uid, type, parent_uid, archived_at, 0 from resource where uid = $1
  union all
  select r.uid, r.type, r.parent_uid, r.archived_at, c.depth + 1 from resource r join chain c on r.uid = c.parent_uid where c.depth < 32
)
select c.depth, c.type, c.archived_at, a.holder, r.permissions
  from chain c
  left join role_assignment a on a.resource_uid = c.uid and (
    (a.holder = $2 and exists (select 1 from identity i where i.service_id = $3 and ${usableIdentity('i')}))
    or (a.holder = $4 and exists (select 1 from app p where p.uid = $5 and ${usableApp('p')})))
  left join role r on r.uid = a.role_uid
 order by c.depth`;

const resourceType = z.enum(resourceTypes);
const permissionList = z.array(z.string());

/** Parses the permissions of roles; equal strings share one set. */
function createRoleReader(): (text: string) => ReadonlySet<string> {
  const sets = new Map<string, ReadonlySet<string>>();
  return (text) => {
    let set = sets.get(text);
    if (set === undefined) {
      set = new Set(permissionList.parse(JSON.parse(text)));
      // Limits the cache, which otherwise keeps the former permissions of changed roles.
      if (sets.size >= 1_000) sets.clear();
      sets.set(text, set);
    }
    return set;
  };
}

async function loadGrants(
  queries: Queries,
  permissionsOf: (text: string) => ReadonlySet<string>,
  serviceId: string,
  appUid: string,
  resourceUid: string,
): Promise<Grants | null> {
  const identityHolder = holderKey({ identity: serviceId });
  const appHolder = holderKey({ app: appUid });
  const rows = await queries.all<{
    depth: number;
    type: string;
    archived_at: number | null;
    holder: string | null;
    permissions: string | null;
  }>(walk, [resourceUid, identityHolder, serviceId, appHolder, appUid]);
  const [resource] = rows;
  if (resource === undefined) return null;
  const type = resourceType.parse(resource.type);
  // Declared before it is filled, because TypeScript infers `never[]` for an empty array.
  const held = { identity: [] as ReadonlySet<string>[], app: [] as ReadonlySet<string>[] };
  for (const { holder, permissions } of rows) {
    if (permissions === null) continue;
    (holder === appHolder ? held.app : held.identity).push(permissionsOf(permissions));
  }
  const shared = sharedBySystem.has(type) && rows.find(({ depth }) => depth === 1)?.type === 'system';
  const archived = rows.some(({ archived_at }) => archived_at !== null);
  return { type, ...held, archived, shared };
}

function nothingHere(): Problem {
  return new Problem('not-found', 'The resource does not exist or is not visible to the caller.');
}

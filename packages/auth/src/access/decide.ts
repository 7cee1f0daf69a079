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

/** Whose roles decide: an identity's and an application's. */
export type Holders = Pick<Principal, 'serviceId' | 'appUid'>;

/** May they. */
export interface Decider {
  holdsRoles(serviceId: string): Promise<boolean>;
  decide(principal: Holders, permissions: readonly Permission[], resourceUid: string): Promise<Decision>;
  /** As `decide`, and as if nothing were archived. */
  holds(principal: Holders, permissions: readonly Permission[], resourceUid: string): Promise<Decision>;
  demand(principal: Principal, permission: Permission, resourceUid: string): Promise<void>;
  demandUse(principal: Principal, permission: Permission, resourceUid: string): Promise<void>;
}

/**
 * Resources that the deployer put directly below `system` serve every project: everybody may see them. Their nodes
 * (whose addresses may hold credentials) not.
 */
export const sharedBySystem: ReadonlySet<ResourceType> = new Set<ResourceType>([
  'ledger',
  'plugin',
  'explorer',
]);

/** Decides by the roles in the database as they are at the call. */
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
      refuse(grants, permission, decision, 'on this resource or above it');
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
        ? "on this resource, which everybody sees, or on the application's project"
        : 'on this resource or above it';
      refuse(grants, permission, decision, where);
    },
  };
}

/** @throws Problem `not-found` for who may not even see it, else `not-permitted` */
function refuse(grants: Grants, permission: Permission, decision: Decision, where: string): never {
  if (!decisionOf(grants, [readPermission(grants.type)]).result) throw nothingHere();
  const { missingAppPermissions, missingResourcePermissions } = decision;
  const extensions = { missingAppPermissions, missingResourcePermissions };
  if (grants.archived) {
    const detail = `${permission} is missing: this is archived, or stands in what is. It can be read; restore it to change or use it.`;
    throw new Problem('not-permitted', detail, { extensions });
  }
  const lacking = [
    ...(missingResourcePermissions.length > 0 ? ['the identity has no role'] : []),
    ...(missingAppPermissions.length > 0 ? ['the application has no role'] : []),
  ].join(' and ');
  throw new Problem('not-permitted', `${permission} is missing: ${lacking} ${where} that grants it.`, {
    extensions,
  });
}

/** Whether a permission only lets somebody see. */
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
 * One walk from the resource up to the system, with the roles held on the way. An identity or app that is
 * disabled or archived, or locked by a person, holds none: whoever keeps a principal for long (a stream of events) loses it too.
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

/** Reads a role's permissions; one set for all who hold the same. */
function createRoleReader(): (text: string) => ReadonlySet<string> {
  const sets = new Map<string, ReadonlySet<string>>();
  return (text) => {
    let set = sets.get(text);
    if (set === undefined) {
      set = new Set(permissionList.parse(JSON.parse(text)));
      // Roles that were changed leave their old texts here.
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
  // Filled below: the compiler would take an empty list for one of nothing.
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
  return new Problem('not-found', 'There is no such resource, or it is not visible to the caller.');
}

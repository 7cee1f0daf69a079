import { invalidRequest } from '@ledger-ops/base';
import { permissions as knownPermissions } from '../access/permissions.ts';
import type { Decision, Permission, Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { demandOn, findResource, findResources, type ResourceRow } from './find.ts';
import { findIdentity } from './find-identity.ts';

/** Result of checking a caller's permissions on a resource. */
export interface EvaluationView extends Decision {
  /** The resource's id as in the request. */
  resourceId: string;
}

/** The permissions of a caller on a resource. */
export interface PermissionListing {
  resourceId: string;
  identityPermissions: Permission[];
  appPermissions: Permission[];
}

/** Reports what callers may do, using the same decision function as all checks. */
export interface Evaluations {
  /**
   * Returns one result per resource, in the order of the request, without resources that the caller may not
   * see.
   */
  list(
    principal: Principal,
    resources: readonly string[],
    permissions: readonly string[],
  ): Promise<EvaluationView[]>;
  /** Returns all permissions that the caller's identity and application hold. @throws Problem `not-found` */
  held(principal: Principal, resourceId: string): Promise<PermissionListing>;
  has(principal: Principal, resourceId: string, permissions: readonly string[]): Promise<boolean>;
  /** @throws Problem `not-found`, `invalid-request` */
  evaluate(
    principal: Principal,
    resourceId: string,
    permissions: readonly string[],
    parameter?: string,
  ): Promise<EvaluationView>;
  /**
   * Returns all permissions that the roles of an identity grant on a resource, including roles on its
   * ancestors. Empty if the identity cannot be used. Needs `<type>:manage` on the resource, because the
   * result reveals roles on its ancestors.
   *
   * @throws Problem `not-found`, `not-permitted`, `conflict`
   */
  ofIdentity(
    principal: Principal,
    identity: string,
    resourceId: string,
  ): Promise<{ serviceId: string; resourceUid: string; permissions: readonly Permission[] }>;
}

const every = knownPermissions.map(({ permission }) => permission);
const known: ReadonlySet<string> = new Set([
  ...every,
  // `cloud-wallet` does not have its own permissions: `wallet:*` governs it, under either name.
  ...every.filter((name) => name.startsWith('wallet:')).map((name) => `cloud-${name}`),
]);

export function createEvaluations(context: AdminContext): Evaluations {
  const evaluateOn = async (
    principal: Principal,
    { uid }: ResourceRow,
    resourceId: string,
    permissions: readonly Permission[],
  ): Promise<EvaluationView> => ({
    ...(await context.auth.decide(principal, permissions, uid)),
    resourceId,
  });
  const evaluate: Evaluations['evaluate'] = async (
    principal,
    resourceId,
    permissions,
    parameter = 'permissions',
  ) => {
    const names = checkPermissions(permissions, parameter);
    const row = await findResource(context, principal, { id: resourceId });
    return await evaluateOn(principal, row, resourceId, names);
  };

  return {
    async list(principal, resources, permissions) {
      const names = checkPermissions(permissions, 'permission');
      const found = await findResources(context, principal, resources);
      return await Promise.all(found.map(({ id, row }) => evaluateOn(principal, row, id, names)));
    },
    async held(principal, resourceId) {
      const row = await findResource(context, principal, { id: resourceId });
      const decision = await context.auth.decide(principal, every, row.uid);
      return {
        resourceId: row.resourceId,
        identityPermissions: without(decision.missingResourcePermissions),
        appPermissions: without(decision.missingAppPermissions),
      };
    },
    has: async (principal, resourceId, permissions) =>
      (await evaluate(principal, resourceId, permissions, 'permission')).result,
    evaluate,
    async ofIdentity(principal, identity, resourceId) {
      const { uid } = await demandOn(context, principal, 'manage', { id: resourceId, pointer: 'resourceId' });
      const { serviceId } = await findIdentity(context, principal, identity, { pointer: 'serviceId' });
      const holders = { serviceId, appUid: principal.appUid };
      const { missingResourcePermissions } = await context.auth.decide(holders, every, uid);
      return { serviceId, resourceUid: uid, permissions: without(missingResourcePermissions) };
    },
  };
}

function without(missing: readonly Permission[]): Permission[] {
  const set = new Set(missing);
  return every.filter((permission) => !set.has(permission));
}

function checkPermissions(names: readonly string[], parameter: string): Permission[] {
  const checked = names.filter(isPermission);
  if (names.length === 0) throw invalidRequest([{ pointer: parameter, detail: 'is required' }]);
  if (checked.length === names.length) return checked;
  throw invalidRequest([
    {
      pointer: parameter,
      detail: 'must be a known permission, in the format <resource type>:<verb>',
    },
  ]);
}

function isPermission(name: string): name is Permission {
  return known.has(name);
}

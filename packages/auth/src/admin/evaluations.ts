import { invalidRequest } from '@ledger-ops/base';
import { z } from 'zod';
import { permissions as knownPermissions } from '../access/permissions.ts';
import type { Permission, Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { demandOn, findResource, findResources, type ResourceRow } from './find.ts';
import { findIdentity } from './find-identity.ts';

const identity = z.object({ serviceId: z.string() });

/** An answer of the evaluator (section 2.9). */
export const evaluationRecord = z
  .object({
    identity,
    appId: z.string(),
    missingAppPermissions: z.array(z.string()),
    missingResourcePermissions: z.array(z.string()),
    resourceId: z.string(),
    result: z.boolean(),
  })
  .meta({ id: 'PermissionEvaluatorResult' });
export type EvaluationView = z.infer<typeof evaluationRecord>;

/** The permissions of a caller on a resource (section 2.9). */
export const permissionListing = z
  .object({
    identity,
    identityPermissions: z.array(z.string()),
    appPermissions: z.array(z.string()),
    resourceID: z.string(),
  })
  .meta({ id: 'PermissionListing' });
export type PermissionListing = z.infer<typeof permissionListing>;

/** Tells callers what they may do, by the one function that decides. */
export interface Evaluations {
  /** One result per resource, in the order of the request; what the caller may not see is left out. */
  list(
    principal: Principal,
    resources: readonly string[],
    permissions: readonly string[],
  ): Promise<EvaluationView[]>;
  /** Everything that the caller's identity and application hold. @throws Problem `not-found` */
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
   * All that the roles of an identity grant on a resource, with those from above it; of one that cannot be used nothing.
   * Needs `<type>:manage` there: only who gives roles learns of roles above the resource.
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
  // `cloud-wallet` has none of its own: `wallet:*` governs it, under either name.
  ...every.filter((name) => name.startsWith('wallet:')).map((name) => `cloud-${name}`),
]);

/** Makes the service. */
export function createEvaluations(context: AdminContext): Evaluations {
  const evaluateOn = async (
    principal: Principal,
    { uid }: ResourceRow,
    resourceId: string,
    permissions: readonly Permission[],
  ): Promise<EvaluationView> => ({
    identity: { serviceId: principal.serviceId },
    appId: principal.appId,
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
      const { uid, resourceId: resourceID } = await findResource(context, principal, { id: resourceId });
      const decision = await context.auth.decide(principal, every, uid);
      return {
        identity: { serviceId: principal.serviceId },
        identityPermissions: without(decision.missingResourcePermissions),
        appPermissions: without(decision.missingAppPermissions),
        resourceID,
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
      detail: 'names a permission that there is not; the form is <resource type>:<verb>',
    },
  ]);
}

function isPermission(name: string): name is Permission {
  return known.has(name);
}

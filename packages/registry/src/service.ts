import { type Auth, type Principal, type ResourceType, readPermission, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';

/** Shared by the services of the registry. */
export interface ServiceContext {
  store: Store;
  auth: Pick<Auth, 'decide' | 'demand' | 'demandUse' | 'isTaken' | 'registerResource' | 'removeResource'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/**
 * Chooses the record that a path refers to among records with the same id: the caller's project's, otherwise
 * the deployer's, otherwise one of another project that the caller may read.
 *
 * @throws Problem `not-found`
 */
export async function pickVisible<Row extends { uid: string; id: number; scope: string }>(
  { auth }: { auth: Pick<Auth, 'decide'> },
  principal: Principal,
  type: ResourceType,
  rows: readonly Row[],
): Promise<Row> {
  const rank = ({ scope }: Row) => (scope === principal.projectUid ? 0 : scope === systemUid ? 1 : 2);
  const ordered = rows.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id);
  for (const row of ordered) {
    if ((await auth.decide(principal, [readPermission(type)], row.uid)).result) return row;
  }
  throw new Problem('not-found', `The ${type} does not exist or is not visible to you.`);
}

/** Returns the same error for a record that the caller may not see as for a record that does not exist. */
export function unseen(what: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Problem && error.problem === 'not-found' ? gone(what) : error;
  };
}

/** Error for a record that was deleted before its change began. */
export function gone(what: string): Problem {
  return new Problem('not-found', `The ${what} does not exist.`);
}

/**
 * Rejects a change if the record has changed since permissions were checked.
 *
 * @throws Problem `conflict`
 */
export function refuseStale(record: 'plugin' | 'ledger' | 'node', isSame: boolean): void {
  if (isSame) return;
  throw new Problem(
    'conflict',
    `Another request changed the ${record} at the same time. Read it again and repeat your change.`,
  );
}

/**
 * Requires the permission to create such a record, for changes that have the same effect as creating one. The
 * caller can see the record, so the error may list the missing permissions.
 *
 * @throws Problem `not-permitted`
 */
export async function demandAsNew(
  { auth }: Pick<ServiceContext, 'auth'>,
  principal: Principal,
  permission: `${'plugin' | 'ledger'}:create`,
  { scope }: { scope: string },
): Promise<void> {
  const { result, missingAppPermissions, missingResourcePermissions } = await auth.decide(
    principal,
    [permission],
    scope,
  );
  if (result) return;
  throw new Problem(
    'not-permitted',
    `You need ${permission} on the project or system that contains this ${permission.split(':')[0]}: the change requires the same permission as creating one. Ask an administrator for the permission.`,
    { extensions: { missingAppPermissions, missingResourcePermissions } },
  );
}

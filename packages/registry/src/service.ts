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
 * The one of the records with an id that a path means: of the caller's project, else of the deployer, else of
 * another project in which the caller may read it.
 *
 * @throws Problem `not-found`
 */
export async function pickVisible<Row extends { uid: string; id: number; scope: string }>(
  { auth }: Pick<ServiceContext, 'auth'>,
  principal: Principal,
  type: ResourceType,
  rows: readonly Row[],
): Promise<Row> {
  const rank = ({ scope }: Row) => (scope === principal.projectUid ? 0 : scope === systemUid ? 1 : 2);
  const ordered = rows.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id);
  for (const row of ordered) {
    if ((await auth.decide(principal, [readPermission(type)], row.uid)).result) return row;
  }
  throw new Problem('not-found', `There is no ${type} of this id, or it is not visible to you.`);
}

/** Tells of what the caller may not see in the same words as of what never was. */
export function unseen(what: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Problem && error.problem === 'not-found' ? gone(what) : error;
  };
}

/** A record that is there no more when its change begins. */
export function gone(what: string): Problem {
  return new Problem('not-found', `There is no such ${what}.`);
}

/**
 * Refuses a change to a record that is another one than was checked.
 *
 * @throws Problem `conflict` when the record has become another one since
 */
export function refuseStale(record: 'plugin' | 'ledger' | 'node', isSame: boolean): void {
  if (isSame) return;
  throw new Problem('conflict', `The ${record} was changed at the same time: read it and change it again.`);
}

/**
 * A change that makes of a record what whoever holds it alone may not create: it demands what creating demands, where
 * the record stands. Who holds the record sees it, and so is told what is missing.
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
    `${permission} is missing where the record stands: this change demands what creating one demands.`,
    { extensions: { missingAppPermissions, missingResourcePermissions } },
  );
}

import type { Tx } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { isArchived } from '../access/archived.ts';
import { endFamilies } from '../grants/refresh-families.ts';
import { serviceItself } from '../timeline/record-activity.ts';
import { recordChange } from '../timeline/record-change.ts';

/**
 * SQL condition: the identity may act and is not an archived service account. An identity that failed logins
 * locked cannot log in (see throttle.ts) but may still act; otherwise any stranger could end its sessions and
 * tokens. An identity that a user locked may not act.
 *
 * @param i alias of the table `identity`
 */
export function usableIdentity(i: string): string {
  const enabled = `${i}.status = 'ENABLED' or (${i}.status = 'LOCKED' and exists (select 1 from identity_lock l where l.service_id = ${i}.service_id))`;
  return `((${enabled}) and not ${isArchived(`${i}.service_id`)})`;
}

/** A lock caused by failed logins. */
export interface FailureLock {
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Key of the count in `login_throttle`. */
  readonly countedAs: string;
}

/**
 * Locks an identity because of failed logins, or extends such a lock. A status that a user set (DISABLED,
 * LOCKED) stays. Access does not change, so the counter `access` is not incremented.
 */
export async function lockForFailures(
  tx: Tx,
  serviceId: string,
  lock: FailureLock,
  now: number,
): Promise<void> {
  const { until, countedAs } = lock;
  const locked = await tx.run(
    "update identity set status = 'LOCKED', updated_at = $2 where service_id = $1 and status = 'ENABLED'",
    [serviceId, now],
  );
  if (locked > 0) {
    await tx.run(
      `insert into identity_lock (service_id, until, counted_as) values ($1, $2, $3)
       on conflict (service_id) do update set until = excluded.until, counted_as = excluded.counted_as`,
      [serviceId, until, countedAs],
    );
    await recordStatus(tx, serviceId, 'LOCKED', now);
    return;
  }
  await tx.run('update identity_lock set until = $2 where service_id = $1', [serviceId, until]);
}

/** Removes a lock caused by failed logins. */
export async function unlockAfterFailures(tx: Tx, serviceId: string, now: number): Promise<void> {
  if ((await tx.run('delete from identity_lock where service_id = $1', [serviceId])) === 0) return;
  await enable(tx, serviceId, now);
}

/** Removes expired locks. */
export async function unlockAllOverdue(tx: Tx, now: number): Promise<void> {
  const rows = await tx.all<{ service_id: string }>(
    'delete from identity_lock where until <= $1 returning service_id',
    [now],
  );
  for (const { service_id } of rows) await enable(tx, service_id, now);
}

async function enable(tx: Tx, serviceId: string, now: number): Promise<void> {
  const enabled = await tx.run(
    "update identity set status = 'ENABLED', updated_at = $2 where service_id = $1 and status = 'LOCKED'",
    [serviceId, now],
  );
  if (enabled > 0) await recordStatus(tx, serviceId, 'ENABLED', now);
}

async function recordStatus(tx: Tx, serviceId: string, status: string, now: number): Promise<void> {
  const change = { action: 'update-status', service: 'access-control', targetObject: status } as const;
  await recordChange(tx, serviceItself, serviceId, change, now);
}

/**
 * Call after a user changes an identity's status. Removes locks caused by failed logins. Unless the new
 * status is ENABLED, also ends sessions and refresh tokens; enabling the identity again does not restore
 * them.
 */
export async function afterStatusChange(
  tx: Tx,
  serviceId: string,
  status: string,
  now: number,
): Promise<void> {
  const { session } = tx.t;
  const locks = await tx.all<{ counted_as: string }>(
    'delete from identity_lock where service_id = $1 returning counted_as',
    [serviceId],
  );
  for (const { counted_as } of locks) {
    await tx.run('delete from login_throttle where key = $1', [counted_as]);
  }
  if (status === 'ENABLED') return;
  await tx.db.delete(session).where(eq(session.serviceId, serviceId));
  await tx.run('delete from authorization_code where service_id = $1 and used_at is null', [serviceId]);
  await endFamilies(tx, { serviceId }, now);
}

import type { Tx } from '@ledger-ops/store';
import { bumpAccess } from '../access/access-version.ts';

/** Revokes a family: its refresh tokens, and every access token issued for them or for their authorization code. */
export async function revokeFamily(tx: Tx, id: string, now: number): Promise<boolean> {
  await bumpAccess(tx);
  await tx.run('update authorization_code set revoked_at = $2 where id = $1 and revoked_at is null', [
    id,
    now,
  ]);
  const revoked = await tx.run(
    'update refresh_family set revoked_at = $2 where id = $1 and revoked_at is null',
    [id, now],
  );
  return revoked > 0;
}

/** Revokes all families of an identity, in a transaction that increments `access`. */
export async function revokeFamiliesOf(tx: Tx, serviceId: string, now: number): Promise<void> {
  const theirs = 'service_id = $1 and revoked_at is null';
  await tx.run(`update authorization_code set revoked_at = $2 where ${theirs} and used_at is not null`, [
    serviceId,
    now,
  ]);
  await tx.run(`update refresh_family set revoked_at = $2 where ${theirs}`, [serviceId, now]);
}

/**
 * Revokes all families of the applications at or below a resource, in a transaction that increments `access`.
 */
export async function endAppFamilies(tx: Tx, resourceUid: string, now: number): Promise<void> {
  const theirs = `app_uid in (select resource_uid from resource_ancestor where ancestor_uid = $1 and type = 'app')`;
  await tx.run(`delete from authorization_code where ${theirs} and used_at is null`, [resourceUid]);
  await tx.run(`update authorization_code set revoked_at = $2 where ${theirs} and revoked_at is null`, [
    resourceUid,
    now,
  ]);
  await tx.run(`update refresh_family set revoked_at = $2 where ${theirs} and revoked_at is null`, [
    resourceUid,
    now,
  ]);
}

/** Ends the refreshing of tokens for a session or an identity. Access tokens stay valid until they expire. */
export async function endFamilies(
  tx: Tx,
  of: { sessionId: string } | { serviceId: string },
  now: number,
): Promise<void> {
  const [column, id] = 'sessionId' in of ? ['session_id', of.sessionId] : ['service_id', of.serviceId];
  await tx.run(`update refresh_family set ended_at = $2 where ${column} = $1 and ended_at is null`, [
    id,
    now,
  ]);
}

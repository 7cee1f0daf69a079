import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import { systemUid } from '../access/resources.ts';
import { administratorRole, type RoleType } from '../access/roles.ts';
import { usableIdentity } from '../login/identity-lock.ts';

/** Who administers the installation: the assignment, and whose it is. */
interface Administrator extends Record<string, string | number> {
  id: number;
  holder: string;
}

/** Enabled identities, or applications, that hold the role `administrator` on the system. */
async function administrators(tx: Tx, roleType: RoleType): Promise<Administrator[]> {
  const enabled =
    roleType === 'IDENTITY'
      ? `exists (select 1 from identity i where 'identity:' || i.service_id = a.holder and ${usableIdentity('i')})`
      : "exists (select 1 from app p where 'app:' || p.uid = a.holder and p.status = 'ENABLED')";
  return await tx.all<Administrator>(
    `select a.id, a.holder from role_assignment a join role r on r.uid = a.role_uid
      where a.resource_uid = $1 and r.name = $2 and r.role_type = $3 and ${enabled}`,
    [systemUid, administratorRole, roleType],
  );
}

/**
 * To be called under the lock of `bumpAccess`, before somebody stops being an administrator.
 *
 * @param leaving the assignment that ends, or the holder that is disabled
 * @throws Problem `conflict` when nobody would be left to administer the installation
 */
export async function keepAnAdministrator(
  tx: Tx,
  leaving: { readonly assignment: number } | { readonly holder: string },
): Promise<void> {
  const leaves = (one: Administrator) =>
    'assignment' in leaving ? one.id === leaving.assignment : one.holder === leaving.holder;
  for (const roleType of ['IDENTITY', 'APP'] as const) {
    const all = await administrators(tx, roleType);
    if (all.length > 0 && all.every(leaves)) {
      throw new Problem(
        'conflict',
        `This is the last ${roleType === 'IDENTITY' ? 'identity' : 'application'} that administers the installation; give another one the role first.`,
      );
    }
  }
}

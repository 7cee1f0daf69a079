import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import { usableApp } from '../access/archived.ts';
import { holderKey } from '../access/role-assignments.ts';
import { administratorRole, type RoleType } from '../access/roles.ts';
import { systemUid } from '../access/system-uid.ts';
import { consoleAppUid } from '../console.ts';
import { usableIdentity } from '../login/identity-lock.ts';

/** An administrator of the installation, with its role assignment. */
interface Administrator extends Record<string, string | number | null> {
  id: number;
  holder: string;
  /** Type of the identity; null for an application. */
  type: string | null;
}

/** Returns the usable identities or applications that hold the role `administrator` on the system. */
async function administrators(tx: Tx, roleType: RoleType): Promise<Administrator[]> {
  const enabled =
    roleType === 'IDENTITY'
      ? `exists (select 1 from identity i where 'identity:' || i.service_id = a.holder and ${usableIdentity('i')})`
      : `exists (select 1 from app p where 'app:' || p.uid = a.holder and ${usableApp('p')})`;
  return await tx.all<Administrator>(
    `select a.id, a.holder, (select i.type from identity i where 'identity:' || i.service_id = a.holder) as type
       from role_assignment a join role r on r.uid = a.role_uid
      where a.resource_uid = $1 and r.name = $2 and r.role_type = $3 and ${enabled}`,
    [systemUid, administratorRole, roleType],
  );
}

/**
 * Whether someone can still administer the installation. This requires an identity and an
 * application that the identity can use. Service accounts cannot use the console.
 */
export async function canBeAdministered(tx: Tx): Promise<boolean> {
  const [identities, apps] = [await administrators(tx, 'IDENTITY'), await administrators(tx, 'APP')];
  if (identities.length === 0) return false;
  if (apps.some(({ holder }) => holder !== holderKey({ app: consoleAppUid }))) return true;
  return apps.length > 0 && identities.some(({ type }) => type !== 'SERVICE');
}

/**
 * Must be called after `bumpAccess` in the same transaction, before an administrator loses the role.
 *
 * @param leaving the assignment to remove, or the holder to disable
 * @throws Problem `conflict` if the installation would have no administrator left
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
        `This is the last ${roleType === 'IDENTITY' ? 'identity' : 'application'} that can administer the installation. Grant the role administrator to another ${roleType === 'IDENTITY' ? 'identity' : 'application'} first.`,
      );
    }
  }
}

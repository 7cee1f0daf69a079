import type { Auth, Principal } from '@ledger-ops/auth';
import { containsText, type Queries } from '@ledger-ops/store';
import { and, eq, inArray, type SQL } from 'drizzle-orm';

const permission = 'wallet:read';

/**
 * SQL condition for the wallets that the caller may see: through roles on the project or above it, or through
 * a role on the wallet itself. Both the identity and the application are checked.
 */
export async function visibleWallets(
  queries: Queries,
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
): Promise<SQL | undefined> {
  const { wallet, roleAssignment, role } = queries.t;
  const decision = await auth.decide(principal, [permission], principal.projectUid);
  const byRole = (holder: string) =>
    inArray(
      wallet.uid,
      queries.db
        .select({ uid: roleAssignment.resourceUid })
        .from(roleAssignment)
        .innerJoin(role, eq(role.uid, roleAssignment.roleUid))
        .where(
          and(
            eq(roleAssignment.holder, holder),
            containsText(queries, role.permissions, JSON.stringify(permission)),
          ),
        ),
    );
  return and(
    eq(wallet.projectId, principal.projectUid),
    decision.missingResourcePermissions.length > 0 ? byRole(`identity:${principal.serviceId}`) : undefined,
    decision.missingAppPermissions.length > 0 ? byRole(`app:${principal.appUid}`) : undefined,
  );
}

/** Returns the uids of the wallets that the caller may see. */
export async function visibleWalletUids(
  queries: Queries,
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
): Promise<string[]> {
  const { wallet } = queries.t;
  const rows = await queries.db
    .select({ uid: wallet.uid })
    .from(wallet)
    .where(await visibleWallets(queries, auth, principal));
  return rows.map(({ uid }) => uid);
}

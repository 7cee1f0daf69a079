import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import { desc, eq, gt } from 'drizzle-orm';
import type { AdminContext } from '../context.ts';
import { all } from '../visibility.ts';

/** Maximum number of mails to one address per day: from one organization, and from all organizations together. */
const perAddress = { ofOrganization: 5, ofAll: 20 };

/** An invitation about to be mailed. */
export interface Mailing {
  readonly organizationUid: string;
  readonly userEmail: string;
  /** The database's clock, so that all servers use the same time. */
  readonly at: number;
}

/**
 * Limits the invitation mails that an organization sends and that one address receives. It counts the
 * invitations themselves, so the limit applies across all servers, and canceling an invitation does not lower
 * the count.
 *
 * @param tx must already have allocated the new invitation's id. This makes concurrent invitations wait, so
 * each counts the earlier ones.
 * @throws Problem `too-many-requests`
 */
export async function demandQuota(
  tx: Tx,
  { organizationUid, userEmail, at }: Mailing,
  { invitationsPerHour, timing }: Pick<AdminContext, 'invitationsPerHour' | 'timing'>,
): Promise<void> {
  const { invitation } = tx.t;
  const ofOrganization = eq(invitation.organizationUid, organizationUid);
  const toAddress = eq(invitation.userEmail, userEmail);
  const rules = [
    {
      counted: ofOrganization,
      most: invitationsPerHour,
      window: timing.invitations.ofOrganization,
      who: 'by this organization',
    },
    {
      counted: all(ofOrganization, toAddress),
      most: perAddress.ofOrganization,
      window: timing.invitations.toAddress,
      who: 'to this address',
    },
    {
      counted: toAddress,
      most: perAddress.ofAll,
      window: timing.invitations.toAddress,
      who: 'to this address',
    },
  ];
  for (const { counted, most, window, who } of rules) {
    // Another mail is allowed when this one is older than the time window.
    const [blocking] = await tx.db
      .select({ mailedAt: invitation.mailedAt })
      .from(invitation)
      .where(all(counted, gt(invitation.mailedAt, at - window)))
      .orderBy(desc(invitation.mailedAt))
      .limit(1)
      .offset(most - 1);
    if (blocking === undefined) continue;
    const retryAfter = Math.max(1, Math.ceil((blocking.mailedAt + window - at) / 1_000));
    throw new Problem(
      'too-many-requests',
      `Too many invitations were sent ${who} recently. Try again in ${retryAfter} s.`,
      { retryAfter },
    );
  }
}

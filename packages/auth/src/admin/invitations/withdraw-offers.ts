import { forUpdate, type Queries, type Tx } from '@ledger-ops/store';
import { eq, inArray } from 'drizzle-orm';
import type { Actor } from '../../timeline/record-activity.ts';
import { recordChange } from '../../timeline/record-change.ts';
import { closeInvitation } from './close.ts';

/** An identity, and the resource for whose subtree roles are offered to it. */
interface Offered {
  readonly serviceId: string;
  readonly resourceUid: string;
}

type OfferRow = {
  readonly id: number;
  readonly invitationId: number;
  readonly resourceUid: string;
  readonly role: string;
};

/** Returns the roles on the resource and below it that open invitations offer the identity. */
async function openOffers(
  queries: Queries,
  { serviceId, resourceUid }: Offered,
  at: number,
): Promise<OfferRow[]> {
  return await queries.all<OfferRow>(
    `select o.id, o.invitation_id as "invitationId", o.resource_uid as "resourceUid", r.name as role
      from identity i
      join invitation v on v.user_email = i.identifier and v.state = 'PENDING' and v.expires_at > $3
      join invitation_role o on o.invitation_id = v.id
      join role r on r.uid = o.role_uid
      join resource_ancestor c on c.resource_uid = o.resource_uid
      where i.service_id = $1 and c.ancestor_uid = $2 order by o.id`,
    [serviceId, resourceUid, at],
  );
}

/** Returns the number of open invitations that offer the identity a role on the resource or below it. */
export async function countOpenInvitations(queries: Queries, of: Offered, at: number): Promise<number> {
  return new Set((await openOffers(queries, of, at)).map(({ invitationId }) => invitationId)).size;
}

/**
 * Removes the roles on the resource and below it from the identity's open invitations. Cancels invitations
 * that then offer no role. Returns the number of changed invitations.
 */
export async function withdrawOffers(tx: Tx, of: Offered, actor: Actor, at: number): Promise<number> {
  const { invitation, invitationRole } = tx.t;
  const found = Map.groupBy(await openOffers(tx, of, at), ({ invitationId }) => invitationId);
  for (const [id, offers] of found) {
    const [row] = await forUpdate(tx, tx.db.select().from(invitation).where(eq(invitation.id, id)));
    // The invitation was answered in the meantime, so its roles are now assignments.
    if (row?.state !== 'PENDING') continue;
    const ids = offers.map((offer) => offer.id);
    await tx.db.delete(invitationRole).where(inArray(invitationRole.id, ids));
    for (const { resourceUid, role } of offers) {
      const targetObject = `${role} ${of.serviceId}`;
      const change = { action: 'withdraw-role', service: 'invitations', targetObject } as const;
      await recordChange(tx, actor, resourceUid, change, at);
    }
    const left = await tx.db
      .select()
      .from(invitationRole)
      .where(eq(invitationRole.invitationId, id))
      .limit(1);
    if (left.length === 0) await closeInvitation(tx, row, 'CANCELED', actor, at);
  }
  return found.size;
}

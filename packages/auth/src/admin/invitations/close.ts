import type { Tx } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import type { Actor } from '../../timeline/record-activity.ts';
import { recordChange } from '../../timeline/record-change.ts';
import { demandInviter } from './offers.ts';
import { type InvitationRow, stateOf } from './records.ts';
import { type InvitationMove, stateAfter } from './states.ts';

const service = 'invitations';

/** Timeline actions of an invitation's state changes. */
const actions = {
  ACCEPTED: 'accept-invitation',
  REJECTED: 'reject-invitation',
  CANCELED: 'cancel-invitation',
} as const satisfies Record<InvitationMove, string>;

/**
 * Closes the invitation. The caller has locked the row, so that concurrent answers cannot both succeed.
 * @throws Problem `conflict`
 */
export async function closeInvitation(
  tx: Tx,
  row: InvitationRow,
  move: InvitationMove,
  actor: Actor,
  at: number,
): Promise<InvitationRow> {
  const { invitation } = tx.t;
  const state = stateAfter(stateOf(row, at), move);
  if (move === 'ACCEPTED') await demandInviter(tx, row);
  const closed = { state, secretHash: null, updatedAt: at };
  await tx.db.update(invitation).set(closed).where(eq(invitation.id, row.id));
  await recordInvitation(tx, actor, actions[move], row, at);
  return { ...row, ...closed };
}

/**
 * Records the invitation by its id only: readers of the organization's timeline may not be allowed to see who
 * is invited.
 */
export async function recordInvitation(
  tx: Tx,
  actor: Actor,
  action: string,
  row: InvitationRow,
  at: number,
): Promise<void> {
  await recordChange(tx, actor, row.organizationUid, { action, service, targetObject: String(row.id) }, at);
}

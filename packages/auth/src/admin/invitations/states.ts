import { Problem } from '@ledger-ops/base';

/** States of an invitation (section 3). All except PENDING are final. */
export const invitationStates = ['PENDING', 'CANCELED', 'ACCEPTED', 'REJECTED', 'EXPIRED'] as const;
export type InvitationState = (typeof invitationStates)[number];

/**
 * State changes of an open invitation, named after the resulting state. EXPIRED is not in the list, because
 * it depends only on the time.
 */
export const invitationMoves = ['ACCEPTED', 'REJECTED', 'CANCELED'] as const;
export type InvitationMove = (typeof invitationMoves)[number];

/**
 * Returns the state after a change.
 * @throws Problem `conflict` unless the invitation is PENDING
 */
export function stateAfter(state: InvitationState, move: InvitationMove): InvitationState {
  if (state === 'PENDING') return move;
  throw new Problem('conflict', `The invitation is ${state}; only a PENDING invitation can become ${move}.`);
}

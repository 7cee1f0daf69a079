import { Problem } from '@ledger-ops/base';

/** States of an invitation (section 3). All but PENDING are final. */
export const invitationStates = ['PENDING', 'CANCELED', 'ACCEPTED', 'REJECTED', 'EXPIRED'] as const;
export type InvitationState = (typeof invitationStates)[number];

/** A move of an open invitation, named by the state that it leads to. EXPIRED comes by itself. */
export const invitationMoves = ['ACCEPTED', 'REJECTED', 'CANCELED'] as const;
export type InvitationMove = (typeof invitationMoves)[number];

/** The state after a move. @throws Problem `conflict` unless the invitation is PENDING */
export function stateAfter(state: InvitationState, move: InvitationMove): InvitationState {
  if (state === 'PENDING') return move;
  throw new Problem('conflict', `The invitation is ${state}; only one that is PENDING becomes ${move}.`);
}

import { common } from '@hyperledger/fabric-protos';
import type { Member, Membership } from '../identity/membership.ts';
import { type Proposal, transactionId } from '../messages/proposal.ts';

/** The creator of a proposal, or the error message with which a peer rejects it. */
export type CheckedCreator = { member: Member } | { refusal: string };

/** Checks a proposal before its simulation. All peers of the channel share the result. */
export interface ProposalCheck {
  creatorOf(proposal: Proposal): CheckedCreator;
}

/** Creates the check against the channel's members. Each proposal is checked once. */
export function createProposalCheck(membership: Membership): ProposalCheck {
  const done = new WeakMap<Proposal, CheckedCreator>();
  return {
    creatorOf(proposal) {
      const known = done.get(proposal) ?? check(proposal, membership);
      done.set(proposal, known);
      return known;
    },
  };
}

function check(proposal: Proposal, membership: Membership): CheckedCreator {
  const refusal = formOf(proposal);
  if (refusal !== undefined) return { refusal };
  const denied = `access denied: channel [${proposal.channel}] creator org`;
  const member = membership.identify(proposal.creator);
  if (member === undefined) return { refusal: `${denied} unknown, creator is malformed` };
  const { signed } = proposal;
  if (member.role === undefined || !member.verify(signed.getProposalBytes_asU8(), signed.getSignature_asU8()))
    return { refusal: `${denied} [${member.mspId}]` };
  return { member };
}

function formOf({ type, epoch, nonce, creator, txId }: Proposal): string | undefined {
  if (type !== common.HeaderType.ENDORSER_TRANSACTION && type !== common.HeaderType.CONFIG)
    return `invalid header type ${type}`;
  if (epoch !== 0) return 'epoch is non-zero';
  if (nonce.length === 0) return 'nonce is empty';
  if (creator.length === 0) return 'creator is empty';
  const expected = transactionId(nonce, creator);
  return txId === expected ? undefined : `incorrectly computed txid '${txId}' -- expected '${expected}'`;
}

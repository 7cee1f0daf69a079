import { status } from '@grpc/grpc-js';
import type { peer } from '@hyperledger/fabric-protos';
import { MalformedError, type Proposal, readProposal } from '../messages/proposal.ts';
import { RpcError } from './rpc-error.ts';

/**
 * Decodes the proposal of a request.
 * @throws RpcError if it is missing or malformed
 */
export function proposalOf(signed: peer.SignedProposal | undefined): Proposal {
  if (signed === undefined || signed.getProposalBytes_asU8().length === 0)
    throw new RpcError(status.INVALID_ARGUMENT, 'the proposed transaction must contain a signed proposal');
  const proposal = read(signed);
  if (proposal.channel === '')
    throw new RpcError(
      status.INVALID_ARGUMENT,
      'failed to unpack transaction proposal: no channel id provided',
    );
  return proposal;
}

function read(signed: peer.SignedProposal): Proposal {
  try {
    return readProposal(signed);
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    throw new RpcError(status.INVALID_ARGUMENT, `failed to unpack transaction proposal: ${error.message}`);
  }
}

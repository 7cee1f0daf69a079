import { status } from '@grpc/grpc-js';
import type { peer } from '@hyperledger/fabric-protos';
import type { Proposal } from '../messages/proposal.ts';
import type { Processed } from '../peer/endorser.ts';
import type { GatewayContext, KnownPeer } from './context.ts';
import type { Detail } from './rpc-error.ts';

/** A peer's response to the gateway. */
export type Asked =
  | { response: peer.ProposalResponse }
  /** `retry`: another peer may succeed. */
  | { code: status; retry: boolean; detail: Detail };

/**
 * Sends a proposal to a peer. The gateway's own peer is called directly; other peers return the errors that they would
 * return over the network.
 */
export async function ask(proposal: Proposal, peer: KnownPeer, { local }: GatewayContext): Promise<Asked> {
  const remote = peer !== local;
  const fail = (code: status, message: string, retry: boolean): Asked => ({
    code,
    retry,
    detail: { address: peer.address(), mspId: peer.mspId, message },
  });
  if (!remote) return judge(await peer.endorser.process(proposal, false), fail, false);
  if (!peer.running())
    return fail(
      status.UNAVAILABLE,
      `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp ${peer.address()}: connect: connection refused"`,
      true,
    );
  if (!peer.limiter.enter())
    return fail(status.UNAVAILABLE, `rpc error: code = Unknown desc = ${peer.limiter.refusal}`, true);
  try {
    const processed = await peer.endorser.process(proposal, true);
    if (peer.running()) return judge(processed, fail, true);
    return fail(
      status.UNAVAILABLE,
      'rpc error: code = Unavailable desc = error reading from server: EOF',
      true,
    );
  } finally {
    peer.limiter.leave();
  }
}

function judge(
  processed: Processed,
  fail: (code: status, message: string, retry: boolean) => Asked,
  remote: boolean,
): Asked {
  if ('refusal' in processed)
    // If a remote call ends in an error, there is no response, so the gateway treats the peer as unavailable.
    return remote
      ? fail(status.UNAVAILABLE, `rpc error: code = Unknown desc = ${processed.refusal}`, true)
      : fail(status.FAILED_PRECONDITION, processed.refusal, false);
  const { response } = processed;
  const given = response.getResponse();
  const code = given?.getStatus() ?? 0;
  if (code >= 200 && code < 400) return { response };
  // An error without a payload comes from the peer; with a payload, or with another status, it comes from the
  // chaincode.
  return response.getPayload_asU8().length === 0 && code === 500
    ? fail(status.ABORTED, given?.getMessage() ?? '', true)
    : fail(status.UNKNOWN, `chaincode response ${code}, ${given?.getMessage() ?? ''}`, false);
}

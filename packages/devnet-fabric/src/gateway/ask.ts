import { status } from '@grpc/grpc-js';
import type { peer } from '@hyperledger/fabric-protos';
import type { Proposal } from '../messages/proposal.ts';
import type { Processed } from '../peer/endorser.ts';
import type { GatewayContext, KnownPeer } from './context.ts';
import type { Detail } from './rpc-error.ts';

/** How one peer answered the gateway. */
export type Asked =
  | { response: peer.ProposalResponse }
  /** `retry`: another peer may do better. */
  | { code: status; retry: boolean; detail: Detail };

/** Has a peer process a proposal: the gateway's own directly, another one over the network, as it were. */
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
    // Over the network a call that ends in an error brings no response, which reads as a peer that is not there.
    return remote
      ? fail(status.UNAVAILABLE, `rpc error: code = Unknown desc = ${processed.refusal}`, true)
      : fail(status.FAILED_PRECONDITION, processed.refusal, false);
  const { response } = processed;
  const given = response.getResponse();
  const code = given?.getStatus() ?? 0;
  if (code >= 200 && code < 400) return { response };
  // Without a payload the peer speaks; with one, or with another status, the chaincode.
  return response.getPayload_asU8().length === 0 && code === 500
    ? fail(status.ABORTED, given?.getMessage() ?? '', true)
    : fail(status.UNKNOWN, `chaincode response ${code}, ${given?.getMessage() ?? ''}`, false);
}

import { status } from '@grpc/grpc-js';
import { gateway, peer } from '@hyperledger/fabric-protos';
import { ask } from './ask.ts';
import type { GatewayContext } from './context.ts';
import { proposalOf } from './proposal-of.ts';
import { type Detail, RpcError } from './rpc-error.ts';

/** Lets one peer simulate a proposal, preferably the gateway's own, and returns its result. */
export async function evaluate(
  request: gateway.EvaluateRequest,
  context: GatewayContext,
): Promise<gateway.EvaluateResponse> {
  const proposal = proposalOf(request.getProposedTransaction());
  const { local } = context;
  if (proposal.channel !== context.channel)
    throw new RpcError(
      status.UNAVAILABLE,
      `failed to get config for channel [${proposal.channel}]: could not get last config for channel ${proposal.channel}`,
    );
  let targets = request.getTargetOrganizationsList();
  const guarded = proposal.hasTransient && targets.length === 0;
  if (guarded) targets = [local.mspId];
  const able = [local, ...context.peers.filter((one) => one !== local)].filter(
    (one) =>
      one.running() &&
      (targets.length === 0 || targets.includes(one.mspId)) &&
      one.endorser.has(proposal.chaincode),
  );
  const details: Detail[] = [];
  for (const candidate of able) {
    const asked = await ask(proposal, candidate, context);
    if ('response' in asked) return resultOf(asked.response);
    details.push(asked.detail);
    if (!asked.retry)
      throw new RpcError(
        asked.code,
        `evaluate call to endorser returned error: ${asked.detail.message}`,
        details,
      );
    if (candidate === able.at(-1))
      throw new RpcError(
        asked.code,
        'failed to evaluate transaction, see attached details for more info',
        details,
      );
  }
  const nobody = `no peers available to evaluate chaincode ${proposal.chaincode} in channel ${proposal.channel}`;
  throw new RpcError(
    status.FAILED_PRECONDITION,
    guarded
      ? `no endorsers found in the gateway's organization; retry specifying target organization(s) to protect transient data: ${nobody}`
      : nobody,
  );
}

function resultOf(response: peer.ProposalResponse): gateway.EvaluateResponse {
  const result = response.getResponse() ?? new peer.Response();
  const answer = new gateway.EvaluateResponse();
  answer.setResult(result);
  return answer;
}

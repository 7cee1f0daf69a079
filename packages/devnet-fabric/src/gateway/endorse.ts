import { status } from '@grpc/grpc-js';
import { common, gateway, peer } from '@hyperledger/fabric-protos';
import type { Proposal } from '../messages/proposal.ts';
import { type EndorsementPolicy, majority } from '../policy/application-policy.ts';
import { definitionKey, lifecycleNamespace } from '../system/definitions.ts';
import { type Asked, ask } from './ask.ts';
import type { GatewayContext, KnownPeer } from './context.ts';
import { layouts } from './layouts.ts';
import { proposalOf } from './proposal-of.ts';
import { type Detail, RpcError } from './rpc-error.ts';

/**
 * Collects the endorsements that a transaction needs, and assembles the transaction for the client to sign.
 */
export async function endorse(
  request: gateway.EndorseRequest,
  context: GatewayContext,
): Promise<gateway.EndorseResponse> {
  const proposal = proposalOf(request.getProposedTransaction());
  const collected = new Collected();
  const given = [...new Set(request.getEndorsingOrganizationsList())];
  const plans =
    given.length > 0
      ? [peersOf(given, proposal, context)]
      : await plansFromFirst(proposal, collected, context);
  for (const plan of plans) {
    if (plan.some((one) => collected.failed.has(one.mspId))) continue;
    const missing = plan.filter((one) => !collected.endorsements.has(one.mspId));
    await Promise.all(missing.map(async (one) => collected.add(one, await ask(proposal, one, context))));
    if (plan.every((one) => collected.endorsements.has(one.mspId)))
      return prepared(proposal, collected, plan);
  }
  throw new RpcError(
    status.ABORTED,
    'failed to collect enough transaction endorsements, see attached details for more info',
    collected.details,
  );
}

/** Responses of peers so far. */
class Collected {
  readonly endorsements = new Map<string, peer.Endorsement>();
  readonly failed = new Set<string>();
  readonly details: Detail[] = [];
  payload: Uint8Array | undefined;

  add(from: KnownPeer, asked: Asked): void {
    if ('detail' in asked) {
      this.#fail(asked.detail);
      return;
    }
    const payload = asked.response.getPayload_asU8();
    this.payload ??= payload;
    if (Buffer.from(payload).equals(this.payload))
      this.endorsements.set(from.mspId, asked.response.getEndorsement() ?? new peer.Endorsement());
    else
      this.#fail({
        ...{ address: from.address(), mspId: from.mspId },
        message: 'ProposalResponsePayloads do not match',
      });
  }

  #fail(detail: Detail): void {
    this.failed.add(detail.mspId);
    this.details.push(detail);
  }
}

/** Returns one peer of each organization that the client requested. */
function peersOf(mspIds: readonly string[], proposal: Proposal, context: GatewayContext): KnownPeer[] {
  const able = ableTo(proposal, context);
  const missing = mspIds.filter((mspId) => !able.some((one) => one.mspId === mspId));
  if (missing.length > 0)
    throw new RpcError(
      status.UNAVAILABLE,
      `failed to find any endorsing peers for org(s): ${missing.join(', ')}`,
    );
  return able.filter((one) => mspIds.includes(one.mspId));
}

/**
 * Lets the first peer simulate the proposal. The chaincodes that the simulation used determine whose
 * endorsements are needed.
 */
async function plansFromFirst(
  proposal: Proposal,
  collected: Collected,
  context: GatewayContext,
): Promise<KnownPeer[][]> {
  const own = ableTo(proposal, context).find((one) => one === context.local);
  if (own === undefined && proposal.hasTransient)
    throw new RpcError(
      status.FAILED_PRECONDITION,
      "no endorsers found in the gateway's organization; retry specifying endorsing organization(s) to protect transient data",
    );
  const [[first] = []] = own === undefined ? plansFor([proposal.chaincode], proposal, context) : [[own]];
  if (first === undefined) throw new TypeError('The plan has no peers.');
  const asked = await ask(proposal, first, context);
  if ('detail' in asked)
    throw new RpcError(status.ABORTED, 'failed to endorse transaction, see attached details for more info', [
      asked.detail,
    ]);
  collected.add(first, asked);
  const interest = asked.response.getInterest()?.getChaincodesList() ?? [];
  const chaincodes = interest.length > 0 ? interest.map((call) => call.getName()) : [proposal.chaincode];
  return plansFor(chaincodes, proposal, context);
}

/**
 * Returns the sets of peers that satisfy the policies of all chaincodes. Each peer in a set has all of these
 * chaincodes.
 */
function plansFor(
  chaincodes: readonly string[],
  { channel }: Proposal,
  context: GatewayContext,
): KnownPeer[][] {
  const refuse = (why: string): never => {
    throw new RpcError(
      status.FAILED_PRECONDITION,
      `no combination of peers can be derived which satisfy the endorsement policy: ${why}`,
    );
  };
  const policies = chaincodes.map(
    (name) =>
      (channel === context.channel ? policyOf(name, context) : undefined) ??
      refuse(`No metadata was found for chaincode ${name} in channel ${channel}`),
  );
  const setsOf = (peers: readonly KnownPeer[]) => {
    const mspIds = peers.map(({ mspId }) => mspId);
    return layouts(policies, mspIds, context.local.mspId);
  };
  const running = context.peers.filter((one) => one.running());
  const able = running.filter((one) => chaincodes.every((name) => one.endorser.has(name)));
  if (setsOf(running).length === 0) refuse('no peer combination can satisfy the endorsement policy');
  const found = setsOf(able);
  if (found.length === 0) refuse('required chaincodes are not installed on sufficient peers');
  return found.map((mspIds) => mspIds.flatMap((mspId) => able.find((one) => one.mspId === mspId) ?? []));
}

function policyOf(name: string, { ledger, organizations }: GatewayContext): EndorsementPolicy | undefined {
  const definition = ledger.snapshot().get(lifecycleNamespace, definitionKey(name));
  if (definition !== undefined) return ledger.definitions.parse(name, definition).policy;
  // The other system chaincodes only read, so discovery has no endorsement policy for them.
  return name === lifecycleNamespace ? majority(organizations) : undefined;
}

/** Returns the running peers that have the proposal's chaincode; none if the channel is unknown. */
function ableTo({ channel, chaincode }: Proposal, context: GatewayContext): KnownPeer[] {
  if (channel !== context.channel) return [];
  return context.peers.filter((one) => one.running() && one.endorser.has(chaincode));
}

function prepared(
  proposal: Proposal,
  collected: Collected,
  plan: readonly KnownPeer[],
): gateway.EndorseResponse {
  const action = new peer.ChaincodeEndorsedAction();
  action.setProposalResponsePayload(collected.payload ?? '');
  for (const { mspId } of plan) {
    const endorsement = collected.endorsements.get(mspId);
    if (endorsement !== undefined) action.addEndorsements(endorsement);
  }
  const payload = new peer.ChaincodeActionPayload();
  payload.setChaincodeProposalPayload(proposal.payload);
  payload.setAction(action);
  const transactionAction = new peer.TransactionAction();
  transactionAction.setHeader(proposal.signatureHeader);
  transactionAction.setPayload(payload.serializeBinary());
  const transaction = new peer.Transaction();
  transaction.addActions(transactionAction);
  const header = new common.Header();
  header.setChannelHeader(proposal.channelHeader);
  header.setSignatureHeader(proposal.signatureHeader);
  const content = new common.Payload();
  content.setHeader(header);
  content.setData(transaction.serializeBinary());
  const envelope = new common.Envelope();
  envelope.setPayload(content.serializeBinary());
  const response = new gateway.EndorseResponse();
  response.setPreparedTransaction(envelope);
  return response;
}

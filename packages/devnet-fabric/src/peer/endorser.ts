import { peer } from '@hyperledger/fabric-protos';
import { ChaincodeError } from '../chaincode/error.ts';
import type { ChaincodeResponse } from '../chaincode/types.ts';
import type { FaultSwitches } from '../faults.ts';
import type { Member } from '../identity/membership.ts';
import type { OwnSignatures } from '../identity/own-signatures.ts';
import type { Signing } from '../identity/signer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Simulation, simulate } from '../ledger/simulation.ts';
import type { Snapshot } from '../ledger/snapshot.ts';
import type { Proposal } from '../messages/proposal.ts';
import { may, refusal } from '../system/access.ts';
import { definitionKey, lifecycleNamespace } from '../system/definitions.ts';
import type { SystemChaincode } from '../system/types.ts';
import type { Chaincodes } from './chaincodes.ts';
import type { ProposalCheck } from './check-proposal.ts';
import { initialization } from './initialization.ts';

/** A peer's response to a proposal. */
export type Processed =
  /** The proposal was simulated, or the simulation failed (status 500, no payload). */
  | { response: peer.ProposalResponse }
  /**
   * The proposal was not simulated; a client that calls the peer directly gets this message as the error of
   * its call.
   */
  | { refusal: string };

/** One organization's endorsing peer. */
export interface Endorser {
  mspId: string;
  /**
   * @param remote whether the call comes over the network; if so, the creator's certificate must not be
   * expired
   */
  process(proposal: Proposal, remote: boolean): Promise<Processed>;
  /**
   * Whether its organization has approved and installed the chaincode, or whether it is a system chaincode.
   */
  has(chaincode: string): boolean;
}

export interface EndorserContext {
  signer: Signing;
  own: OwnSignatures;
  ledger: Ledger;
  check: ProposalCheck;
  chaincodes: Chaincodes;
  system: ReadonlyMap<string, SystemChaincode>;
  faults: Pick<FaultSwitches, 'takeLag'>;
}

interface Simulated {
  response: ChaincodeResponse;
  version: string;
  results: Uint8Array;
  interest: readonly string[];
}

/** The version in responses of system chaincodes. */
const systemVersion = 'syscc';

/** Creates an organization's endorser. */
export function createEndorser(context: EndorserContext): Endorser {
  const { signer, ledger, system, chaincodes } = context;
  const { mspId } = signer;

  const refuse = (proposal: Proposal, remote: boolean): { refusal: string } | { member: Member } => {
    const checked = context.check.creatorOf(proposal);
    if ('refusal' in checked) return { refusal: `error validating proposal: ${checked.refusal}` };
    const { member } = checked;
    if (remote && member.expiresAt < Date.now()) return { refusal: 'proposal client identity expired' };
    if (proposal.channel === '')
      // Without a channel, only members of the peer's own organization are accepted.
      return member.mspId === mspId
        ? { member }
        : {
            refusal:
              'error validating proposal: access denied: channel [] creator org unknown, creator is malformed',
          };
    if (ledger.chain.find(proposal.txId) !== undefined) {
      const creator = Buffer.from(proposal.creator).toString('hex');
      return { refusal: `duplicate transaction found [${proposal.txId}]. Creator [${creator}]` };
    }
    if (!system.has(proposal.chaincode) && !may(member, 'Writers'))
      return { refusal: refusal(proposal.channel, 'Writers') };
    return { member };
  };

  return {
    mspId,
    has: (name) => system.has(name) || typeof chaincodes.resolve(name, ledger.snapshot()) !== 'string',
    async process(proposal, remote) {
      if (proposal.channel !== '' && proposal.channel !== ledger.channel)
        return { response: failed(`channel '${proposal.channel}' not found`) };
      const allowed = refuse(proposal, remote);
      if ('refusal' in allowed) return allowed;
      try {
        return { response: answer(proposal, await run(proposal, allowed.member), context) };
      } catch (error) {
        return { response: failed(error instanceof Error ? error.message : String(error)) };
      }
    },
  };

  async function run(proposal: Proposal, creator: Member): Promise<Simulated> {
    const builtIn = system.get(proposal.chaincode);
    // System chaincode queries about the chain or the peer itself ignore an injected lag.
    const onState = proposal.channel !== '' && (builtIn === undefined || builtIn.simulates);
    const snapshot = ledger.snapshot(onState ? context.faults.takeLag(mspId) : 0);
    const simulation = simulate(snapshot);
    if (builtIn !== undefined) {
      const response = await builtIn.invoke({
        ...{ mspId, creator, proposal },
        simulation: onState ? simulation : undefined,
      });
      const results = onState ? simulation.finish() : new Uint8Array();
      return { response, version: systemVersion, results, interest: [proposal.chaincode] };
    }
    if (proposal.channel === '')
      throw new Error(
        `make sure the chaincode ${proposal.chaincode} has been successfully defined on channel  and try again: could not get channel config for channel ''`,
      );
    // Errors up to this point are returned unchanged. An error from now on belongs to the simulation.
    const found = chaincodes.resolve(proposal.chaincode, snapshot);
    if (typeof found === 'string')
      throw new Error(
        `make sure the chaincode ${proposal.chaincode} has been successfully defined on channel ${proposal.channel} and try again: ${found}`,
      );
    try {
      const response = await execute(
        proposal,
        creator,
        proposal.chaincode,
        proposal.input,
        simulation,
        snapshot,
      );
      return {
        response,
        version: found.definition.version,
        results: simulation.finish(),
        interest: interestOf(proposal.chaincode, simulation),
      };
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`error in simulation: ${why}`, { cause });
    }
  }

  async function execute(
    proposal: Proposal,
    creator: Member,
    name: string,
    input: Uint8Array[],
    simulation: Simulation,
    snapshot: Snapshot,
  ): Promise<ChaincodeResponse> {
    const found = chaincodes.resolve(name, snapshot);
    if (typeof found === 'string') {
      const why = `[channel ${proposal.channel}] failed to get chaincode container info for ${name}: ${found}`;
      throw new ChaincodeError('invalid', proposal.txId, why);
    }
    // As on a peer, the definition is part of the read set, so that a concurrent upgrade is a conflict.
    simulation.getState(lifecycleNamespace, definitionKey(name));
    const isInit = proposal.isInit && name === proposal.chaincode;
    const uninitialized = initialization(found.definition, isInit, simulation);
    if (uninitialized !== undefined) throw new ChaincodeError('invalid', proposal.txId, uninitialized);
    return await chaincodes.connection(found.packageId).execute({
      ...{ channel: proposal.channel, txId: proposal.txId, namespace: name, input, simulation, isInit },
      simulator: simulation,
      signedProposal: proposal.signed.serializeBinary(),
      invokeChaincode: async (called, args) => {
        const builtIn = system.get(called);
        if (builtIn === undefined)
          return await execute(proposal, creator, called, args, simulation, snapshot);
        return builtIn.invoke({ mspId, creator, proposal: { ...proposal, input: args }, simulation });
      },
    });
  }
}

/** Returns the chaincodes whose endorsement policies apply: the called chaincode, and those that it called. */
function interestOf(name: string, simulation: Simulation): string[] {
  const touched = simulation.touched().filter((namespace) => namespace !== lifecycleNamespace);
  return [...new Set([name, ...touched])];
}

function answer(
  proposal: Proposal,
  simulated: Simulated,
  { signer, own }: EndorserContext,
): peer.ProposalResponse {
  const { status, message, payload } = simulated.response;
  const given = new peer.Response();
  given.setStatus(status);
  given.setMessage(message);
  given.setPayload(payload);
  const response = new peer.ProposalResponse();
  response.setResponse(given);
  // Neither a rejection by the chaincode nor a call without a channel is endorsed.
  if (status >= 400 && status < 500) return response;
  if (status < 400 && proposal.channel === '') return response;
  const bytes = payloadBytes(proposal, simulated, given);
  response.setPayload(bytes);
  response.setInterest(interestMessage(simulated.interest));
  if (status >= 500) return response;
  const endorsement = new peer.Endorsement();
  endorsement.setEndorser(signer.serialized);
  const signed = Buffer.concat([bytes, signer.serialized]);
  const signature = signer.sign(signed);
  own.add(signed, signature);
  endorsement.setSignature(signature);
  response.setVersion(1);
  response.setEndorsement(endorsement);
  return response;
}

function payloadBytes(proposal: Proposal, simulated: Simulated, given: peer.Response): Uint8Array {
  const id = new peer.ChaincodeID();
  id.setName(proposal.chaincode);
  id.setVersion(simulated.version);
  const action = new peer.ChaincodeAction();
  action.setResults(simulated.results);
  action.setResponse(given);
  action.setChaincodeId(id);
  const { event } = simulated.response;
  if (event !== undefined) {
    const message = new peer.ChaincodeEvent();
    message.setChaincodeId(proposal.chaincode);
    message.setTxId(proposal.txId);
    message.setEventName(event.name);
    message.setPayload(event.payload);
    action.setEvents(message.serializeBinary());
  }
  const payload = new peer.ProposalResponsePayload();
  payload.setProposalHash(proposal.hash);
  payload.setExtension$(action.serializeBinary());
  return payload.serializeBinary();
}

function interestMessage(names: readonly string[]): peer.ChaincodeInterest {
  const interest = new peer.ChaincodeInterest();
  for (const name of names) {
    const call = new peer.ChaincodeCall();
    call.setName(name);
    interest.addChaincodes(call);
  }
  return interest;
}

function failed(message: string): peer.ProposalResponse {
  const given = new peer.Response();
  given.setStatus(500);
  given.setMessage(message);
  const response = new peer.ProposalResponse();
  response.setResponse(given);
  return response;
}

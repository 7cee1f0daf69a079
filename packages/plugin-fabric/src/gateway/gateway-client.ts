import { common, gateway, peer as protos } from '@hyperledger/fabric-protos';
import type { Peer } from './peer.ts';
import { grpcCode, PeerError } from './peer-error.ts';

/** A proposal's bytes (`Proposal.getBytes()`) and its signature (DER), in the form that a peer accepts. */
export interface SignedProposal {
  txId: string;
  channel: string;
  signed: protos.SignedProposal;
  endorsingOrganizations: string[];
}

/** Adds the signature to a proposal's bytes. */
export function signProposal(bytes: Uint8Array, channel: string, signature: Uint8Array): SignedProposal {
  const proposed = gateway.ProposedTransaction.deserializeBinary(bytes);
  const signed = proposed.getProposal();
  if (signed === undefined) throw new TypeError('The proposal has no contents.');
  signed.setSignature(signature);
  return {
    txId: proposed.getTransactionId(),
    channel,
    signed,
    endorsingOrganizations: proposed.getEndorsingOrganizationsList(),
  };
}

/** Runs the chaincode on one peer, without writing. Resolves to its answer. @throws PeerError */
export async function evaluate(peer: Peer, proposal: SignedProposal, timeout: number): Promise<Uint8Array> {
  const request = new gateway.EvaluateRequest();
  request.setTransactionId(proposal.txId);
  request.setChannelId(proposal.channel);
  request.setProposedTransaction(proposal.signed);
  request.setTargetOrganizationsList(proposal.endorsingOrganizations);
  const answer = await peer.unary('/gateway.Gateway/Evaluate', request.serializeBinary(), timeout);
  return (
    gateway.EvaluateResponse.deserializeBinary(answer).getResult()?.getPayload_asU8() ?? new Uint8Array()
  );
}

/**
 * Collects endorsements. Resolves to the payload of the envelope to sign. Rejects an envelope that differs from the
 * proposal, so that the wallet never signs something else.
 * @throws PeerError
 */
export async function endorse(peer: Peer, proposal: SignedProposal, timeout: number): Promise<Uint8Array> {
  const request = new gateway.EndorseRequest();
  request.setTransactionId(proposal.txId);
  request.setChannelId(proposal.channel);
  request.setProposedTransaction(proposal.signed);
  request.setEndorsingOrganizationsList(proposal.endorsingOrganizations);
  const answer = await peer.unary('/gateway.Gateway/Endorse', request.serializeBinary(), timeout);
  const envelope = gateway.EndorseResponse.deserializeBinary(answer).getPreparedTransaction();
  if (envelope === undefined) throw new PeerError(grpcCode.internal, 'The peer returned no endorsement.');
  const payload = envelope.getPayload_asU8();
  if (isFor(payload, proposal)) return payload;
  throw new PeerError(
    grpcCode.internal,
    'The gateway assembled a different transaction than the proposed one.',
  );
}

/**
 * Whether the headers match those of the proposal, and with them id, channel and creator (Fabric:
 * protoutil/txutils.go).
 */
function isFor(payload: Uint8Array, { signed }: SignedProposal): boolean {
  const proposal = protos.Proposal.deserializeBinary(signed.getProposalBytes_asU8());
  const proposed = common.Header.deserializeBinary(proposal.getHeader_asU8());
  let header: common.Header | undefined;
  try {
    header = common.Payload.deserializeBinary(payload).getHeader();
  } catch {
    return false;
  }
  return header !== undefined && Buffer.compare(header.serializeBinary(), proposed.serializeBinary()) === 0;
}

/** Sends a signed envelope to the orderers. @throws PeerError */
export async function submit(
  peer: Peer,
  transaction: { txId: string; channel: string; envelope: Uint8Array },
  timeout: number,
): Promise<void> {
  await peer.unary('/gateway.Gateway/Submit', submitRequest(transaction), timeout);
}

/** Encodes a `gateway.SubmitRequest`. Appends the envelope as raw bytes instead of parsing it. */
function submitRequest(transaction: { txId: string; channel: string; envelope: Uint8Array }): Uint8Array {
  const request = new gateway.SubmitRequest();
  request.setTransactionId(transaction.txId);
  request.setChannelId(transaction.channel);
  const head = Buffer.from(request.serializeBinary());
  return Buffer.concat([head, field(3, transaction.envelope)]);
}

/** Encodes a length-delimited field of a message. Keeps envelopes as bytes. */
export function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

/**
 * Queries one peer directly, not through the gateway. `ran` is true if the chaincode answered. Otherwise the peer
 * reports why the chaincode did not answer.
 * @throws PeerError
 */
export async function processProposal(
  peer: Pick<Peer, 'unary'>,
  signedProposal: Uint8Array,
  timeout: number,
): Promise<{ status: number; message: string; payload: Uint8Array; ran: boolean }> {
  const answer = await peer.unary('/protos.Endorser/ProcessProposal', signedProposal, timeout);
  const proposed = protos.ProposalResponse.deserializeBinary(answer);
  const response = proposed.getResponse();
  if (response === undefined) throw new PeerError(grpcCode.internal, 'The peer returned no response.');
  return {
    status: response.getStatus(),
    message: response.getMessage(),
    payload: response.getPayload_asU8(),
    ran: response.getStatus() !== 500 || proposed.getPayload_asU8().length > 0,
  };
}

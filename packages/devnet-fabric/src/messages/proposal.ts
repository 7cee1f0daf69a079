import { createHash } from 'node:crypto';
import { common, peer } from '@hyperledger/fabric-protos';

/** A decoded request to simulate a transaction. */
export interface Proposal {
  signed: peer.SignedProposal;
  /** Empty if the request concerns only a peer, such as the installation of chaincode. */
  channel: string;
  txId: string;
  type: number;
  epoch: number;
  channelHeader: Uint8Array;
  signatureHeader: Uint8Array;
  /** Serialized identity. */
  creator: Uint8Array;
  nonce: Uint8Array;
  chaincode: string;
  /** Function and arguments. */
  input: Uint8Array[];
  isInit: boolean;
  hasTransient: boolean;
  /** `ChaincodeProposalPayload` without the transient data, as included in the transaction. */
  payload: Uint8Array;
  /** SHA-256 of both headers and {@link payload}, which binds endorsements to this proposal. */
  hash: Uint8Array;
}

/** A message that cannot be decoded, with a peer's error message. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}

/**
 * Decodes a proposal.
 * @throws MalformedError if the bytes are not a proposal, or if it lacks a chaincode or an input
 */
export function readProposal(signed: peer.SignedProposal): Proposal {
  return guarded('proposal', () => {
    const proposal = peer.Proposal.deserializeBinary(signed.getProposalBytes_asU8());
    const header = common.Header.deserializeBinary(proposal.getHeader_asU8());
    const channelHeader = common.ChannelHeader.deserializeBinary(header.getChannelHeader_asU8());
    const signatureHeader = common.SignatureHeader.deserializeBinary(header.getSignatureHeader_asU8());
    const extension = peer.ChaincodeHeaderExtension.deserializeBinary(channelHeader.getExtension_asU8());
    const chaincode = extension.getChaincodeId();
    if (chaincode === undefined) throw new MalformedError('ChaincodeHeaderExtension.ChaincodeId is nil');
    if (chaincode.getName() === '')
      throw new MalformedError(`no chaincode name is provided, channel id [${channelHeader.getChannelId()}]`);
    const full = peer.ChaincodeProposalPayload.deserializeBinary(proposal.getPayload_asU8());
    const spec = peer.ChaincodeInvocationSpec.deserializeBinary(full.getInput_asU8()).getChaincodeSpec();
    if (spec === undefined)
      throw new MalformedError('chaincode invocation spec did not contain chaincode spec');
    const input = spec.getInput();
    if (input === undefined) throw new MalformedError('chaincode input did not contain any input');
    const payload = withoutTransient(full);
    return {
      signed,
      channel: channelHeader.getChannelId(),
      txId: channelHeader.getTxId(),
      type: channelHeader.getType(),
      epoch: channelHeader.getEpoch(),
      channelHeader: header.getChannelHeader_asU8(),
      signatureHeader: header.getSignatureHeader_asU8(),
      creator: signatureHeader.getCreator_asU8(),
      nonce: signatureHeader.getNonce_asU8(),
      chaincode: chaincode.getName(),
      input: input.getArgsList_asU8(),
      isInit: input.getIsInit(),
      hasTransient: full.getTransientmapMap().getLength() > 0,
      payload,
      hash: proposalHash(header.getChannelHeader_asU8(), header.getSignatureHeader_asU8(), payload),
    };
  });
}

/** SHA-256 over both headers and the proposal's payload without transient data. */
export function proposalHash(
  channelHeader: Uint8Array,
  signatureHeader: Uint8Array,
  payload: Uint8Array,
): Uint8Array {
  return createHash('sha256').update(channelHeader).update(signatureHeader).update(payload).digest();
}

/** Returns a transaction's id: SHA-256 of nonce and creator, in lowercase hex. */
export function transactionId(nonce: Uint8Array, creator: Uint8Array): string {
  return createHash('sha256').update(nonce).update(creator).digest('hex');
}

/** Converts any error that the parser throws for untrusted bytes into a MalformedError. */
export function guarded<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof MalformedError) throw cause;
    throw new MalformedError(`error unmarshalling ${what}`, { cause });
  }
}

function withoutTransient(full: peer.ChaincodeProposalPayload): Uint8Array {
  const payload = new peer.ChaincodeProposalPayload();
  payload.setInput(full.getInput_asU8());
  return payload.serializeBinary();
}

import { common, peer } from '@hyperledger/fabric-protos';
import { guarded, MalformedError, proposalHash } from './proposal.ts';
import { type NamespaceSet, readSets } from './read-write-set.ts';

/** The outer layer of an envelope: its sender, its message type and its channel. */
export interface Sealed {
  payload: Uint8Array;
  signature: Uint8Array;
  channelHeader: common.ChannelHeader;
  /** Serialized identity. */
  creator: Uint8Array;
  nonce: Uint8Array;
  /** The message; its type is in the channel header. */
  data: Uint8Array;
  /** The serialized channel header, which is part of the proposal's hash. */
  channelHeaderBytes: Uint8Array;
}

/** The action that the endorsers signed, with their signatures. */
export interface EndorsedAction {
  chaincode: string;
  /** `ProposalResponsePayload` bytes. Each endorser signs them followed by its own identity. */
  responsePayload: Uint8Array;
  endorsements: { endorser: Uint8Array; signature: Uint8Array }[];
  /** Whether the endorsed hash matches the headers and arguments of this transaction. */
  bound: boolean;
  /** Undefined if the set cannot be decoded. */
  sets: NamespaceSet[] | undefined;
  event: peer.ChaincodeEvent | undefined;
}

/**
 * Decodes an envelope.
 * @throws MalformedError if it has no headers
 */
export function openEnvelope(envelope: common.Envelope): Sealed {
  return guarded('envelope', () => {
    const payload = common.Payload.deserializeBinary(envelope.getPayload_asU8());
    const header = payload.getHeader();
    if (header === undefined) throw new MalformedError('envelope has no header');
    const signatureHeader = common.SignatureHeader.deserializeBinary(header.getSignatureHeader_asU8());
    return {
      payload: envelope.getPayload_asU8(),
      signature: envelope.getSignature_asU8(),
      channelHeader: common.ChannelHeader.deserializeBinary(header.getChannelHeader_asU8()),
      channelHeaderBytes: header.getChannelHeader_asU8(),
      creator: signatureHeader.getCreator_asU8(),
      nonce: signatureHeader.getNonce_asU8(),
      data: payload.getData_asU8(),
    };
  });
}

/**
 * Returns the only action of an endorsed transaction.
 * @throws MalformedError if there are several or none, or if it is malformed
 */
export function readAction(sealed: Sealed): EndorsedAction {
  return guarded('transaction', () => {
    const actions = peer.Transaction.deserializeBinary(sealed.data).getActionsList();
    const [action] = actions;
    if (action === undefined || actions.length !== 1)
      throw new MalformedError(`only one action per transaction is supported, tx contains ${actions.length}`);
    const payload = peer.ChaincodeActionPayload.deserializeBinary(action.getPayload_asU8());
    const endorsed = payload.getAction();
    if (endorsed === undefined) throw new MalformedError('nil action');
    const responsePayload = endorsed.getProposalResponsePayload_asU8();
    const response = peer.ProposalResponsePayload.deserializeBinary(responsePayload);
    const chaincodeAction = peer.ChaincodeAction.deserializeBinary(response.getExtension_asU8());
    const hash = proposalHash(
      sealed.channelHeaderBytes,
      action.getHeader_asU8(),
      payload.getChaincodeProposalPayload_asU8(),
    );
    const events = chaincodeAction.getEvents_asU8();
    return {
      chaincode: chaincodeAction.getChaincodeId()?.getName() ?? '',
      responsePayload,
      endorsements: endorsed.getEndorsementsList().map((one) => ({
        endorser: one.getEndorser_asU8(),
        signature: one.getSignature_asU8(),
      })),
      bound: Buffer.from(hash).equals(response.getProposalHash_asU8()),
      sets: setsOf(chaincodeAction.getResults_asU8()),
      event: events.length === 0 ? undefined : peer.ChaincodeEvent.deserializeBinary(events),
    };
  });
}

/** Returns the chaincode named in a transaction's header. It must be the endorsed one. */
export function headerChaincode(header: common.ChannelHeader): string | undefined {
  return guarded('header extension', () =>
    peer.ChaincodeHeaderExtension.deserializeBinary(header.getExtension_asU8()).getChaincodeId()?.getName(),
  );
}

function setsOf(bytes: Uint8Array): NamespaceSet[] | undefined {
  try {
    return readSets(bytes);
  } catch {
    return undefined;
  }
}

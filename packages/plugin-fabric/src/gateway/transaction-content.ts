import { common, msp, peer } from '@hyperledger/fabric-protos';
import type { Json, JsonObject } from '@ledger-ops/adapter';
import { bytesToJson } from './payload.ts';

/** The content of an endorsed transaction, but for its writes. */
export interface TransactionContent {
  txId: string;
  channel: string;
  chaincode: string;
  result: Uint8Array;
  event: { name: string; payload: Uint8Array } | undefined;
}

/** One transaction of a block. */
export interface TransactionInBlock {
  txId: string;
  /** `TxValidationCode`. */
  code: number;
  /** The signed envelope. */
  envelope: Uint8Array;
}

/** Reads an envelope's payload. @throws Error where it is no endorsed transaction */
export function readContent(payload: Uint8Array): TransactionContent {
  const { channelHeader, data } = readPayload(payload);
  const { response } = readAction(data);
  const chaincode = response.getChaincodeId()?.getName() ?? '';
  const bytes = response.getEvents_asU8();
  const event = bytes.length === 0 ? undefined : peer.ChaincodeEvent.deserializeBinary(bytes);
  return {
    txId: channelHeader.getTxId(),
    channel: channelHeader.getChannelId(),
    chaincode,
    // Copies: what is read are views of the whole message.
    result: response.getResponse()?.getPayload_asU8().slice() ?? new Uint8Array(),
    event:
      event === undefined
        ? undefined
        : { name: event.getEventName(), payload: event.getPayload_asU8().slice() },
  };
}

/** Whether it may be kept until its outcome; what is larger is read from the ledger then. */
export function isSmall({ result, event }: TransactionContent): boolean {
  return result.length + (event?.payload.length ?? 0) <= 16 * 1024;
}

/** MSP ids of those who endorsed an envelope, in their order. */
export function endorsersOf(envelope: Uint8Array): string[] {
  const { data } = readPayload(common.Envelope.deserializeBinary(envelope).getPayload_asU8());
  return readAction(data)
    .endorsed.getEndorsementsList()
    .map((one) => msp.SerializedIdentity.deserializeBinary(one.getEndorser_asU8()).getMspid());
}

/** A block's transactions, each with what the peers made of it. One that cannot be read has the id ''. */
export function readBlock(block: common.Block): { number: number; transactions: TransactionInBlock[] } {
  const codes = block.getMetadata()?.getMetadataList_asU8()[common.BlockMetadataIndex.TRANSACTIONS_FILTER];
  const envelopes = block.getData()?.getDataList_asU8() ?? [];
  const transactions = envelopes.map((envelope, index) => {
    return { txId: txIdOf(envelope), code: codes?.[index] ?? notValidated, envelope };
  });
  return { number: block.getHeader()?.getNumber() ?? 0, transactions };
}

function txIdOf(envelope: Uint8Array): string {
  try {
    return readPayload(common.Envelope.deserializeBinary(envelope).getPayload_asU8()).channelHeader.getTxId();
  } catch {
    return '';
  }
}

const notValidated = peer.TxValidationCode.NOT_VALIDATED;

/** Result and event of a valid transaction, for the caller. */
export function detailsOf({ result, event }: TransactionContent): JsonObject {
  const details: JsonObject = { result: bounded(result) };
  if (event !== undefined) details.event = { name: event.name, payload: bounded(event.payload) };
  return details;
}

/** Results are kept with the action, so that very large ones are left on the ledger. */
const largest = 256 * 1024;

function bounded(bytes: Uint8Array): Json {
  return bytes.length <= largest ? bytesToJson(bytes) : { omitted: true, bytes: bytes.length };
}

function readPayload(bytes: Uint8Array) {
  const payload = common.Payload.deserializeBinary(bytes);
  const header = payload.getHeader();
  if (header === undefined) throw new TypeError('An envelope without header.');
  return {
    channelHeader: common.ChannelHeader.deserializeBinary(header.getChannelHeader_asU8()),
    data: payload.getData_asU8(),
  };
}

function readAction(data: Uint8Array) {
  const [action] = peer.Transaction.deserializeBinary(data).getActionsList();
  const endorsed =
    action === undefined
      ? undefined
      : peer.ChaincodeActionPayload.deserializeBinary(action.getPayload_asU8()).getAction();
  if (endorsed === undefined) throw new TypeError('A transaction without action.');
  const response = peer.ProposalResponsePayload.deserializeBinary(endorsed.getProposalResponsePayload_asU8());
  return { endorsed, response: peer.ChaincodeAction.deserializeBinary(response.getExtension_asU8()) };
}

import { common, msp, peer } from '@hyperledger/fabric-protos';
import type { Json, JsonObject } from '@ledger-ops/adapter';
import { demandFewFields, fewFields, payloadShape, transactionShape } from './message-fields.ts';
import { bytesToJson } from './payload.ts';

/** The content of an endorsed transaction, without its writes. */
export interface TransactionContent {
  txId: string;
  channel: string;
  chaincode: string;
  result: Uint8Array;
  event: { name: string; payload: Uint8Array } | undefined;
}

export interface TransactionInBlock {
  txId: string;
  /** `TxValidationCode`. */
  code: number;
  /** The signed envelope. */
  envelope: Uint8Array;
}

/** Reads an envelope's payload. @throws Error if it is not an endorsed transaction */
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
    // Copies the bytes, because the parsed values are views of the whole message.
    result: response.getResponse()?.getPayload_asU8().slice() ?? new Uint8Array(),
    event:
      event === undefined
        ? undefined
        : { name: event.getEventName(), payload: event.getPayload_asU8().slice() },
  };
}

/**
 * Whether the content may be cached until the transaction's outcome is known. Larger content is read from the ledger
 * again.
 */
export function isSmall({ result, event }: TransactionContent): boolean {
  return result.length + (event?.payload.length ?? 0) <= 16 * 1024;
}

/** MSP ids of an envelope's endorsers, in order. */
export function endorsersOf(envelope: Uint8Array): string[] {
  const { data } = readPayload(common.Envelope.deserializeBinary(envelope).getPayload_asU8());
  return readAction(data)
    .endorsed.getEndorsementsList()
    .map((one) => msp.SerializedIdentity.deserializeBinary(one.getEndorser_asU8()).getMspid());
}

/** Returns a block's transactions with their validation codes. A malformed transaction has the id ''. */
export function* readBlock(
  block: common.Block,
): Generator<undefined, { number: number; transactions: TransactionInBlock[] }> {
  const codes = block.getMetadata()?.getMetadataList_asU8()[common.BlockMetadataIndex.TRANSACTIONS_FILTER];
  const envelopes = block.getData()?.getDataList_asU8() ?? [];
  const transactions: TransactionInBlock[] = [];
  for (const [index, envelope] of envelopes.entries()) {
    transactions.push({ txId: txIdOf(envelope), code: codes?.[index] ?? notValidated, envelope });
    yield;
  }
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

/** Returns the result and event of a valid transaction, as returned to the caller. */
export function detailsOf({ result, event }: TransactionContent): JsonObject {
  const details: JsonObject = { result: bounded(result) };
  if (event !== undefined) details.event = { name: event.name, payload: bounded(event.payload) };
  return details;
}

/** Maximum size of a result that is stored with the action. Larger results are only on the ledger. */
const largest = 256 * 1024;

export function bounded(bytes: Uint8Array, most = largest): Json {
  return bytes.length <= most ? bytesToJson(bytes) : { omitted: true, bytes: bytes.length };
}

function readPayload(bytes: Uint8Array) {
  demandFewFields(bytes, payloadShape, fewFields);
  const payload = common.Payload.deserializeBinary(bytes);
  const header = payload.getHeader();
  if (header === undefined) throw new TypeError('The envelope has no header.');
  return {
    channelHeader: common.ChannelHeader.deserializeBinary(header.getChannelHeader_asU8()),
    data: payload.getData_asU8(),
  };
}

function readAction(data: Uint8Array) {
  demandFewFields(data, transactionShape, fewFields);
  const [action] = peer.Transaction.deserializeBinary(data).getActionsList();
  const endorsed =
    action === undefined
      ? undefined
      : peer.ChaincodeActionPayload.deserializeBinary(action.getPayload_asU8()).getAction();
  if (endorsed === undefined) throw new TypeError('The transaction has no action.');
  const response = peer.ProposalResponsePayload.deserializeBinary(endorsed.getProposalResponsePayload_asU8());
  return { endorsed, response: peer.ChaincodeAction.deserializeBinary(response.getExtension_asU8()) };
}

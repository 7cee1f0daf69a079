import { common, msp, peer } from '@hyperledger/fabric-protos';
import type { Json, JsonObject, LookupResult } from '@ledger-ops/adapter';
import type { Channels } from './blocks/channels.ts';
import { blockName } from './blocks/cursor.ts';
import { deciding, isValid, validationCodeName } from './blocks/validation-code.ts';
import { demandFewFields, fewFields, payloadShape } from './gateway/message-fields.ts';
import type { Qscc } from './gateway/qscc.ts';
import { bounded, detailsOf, endorsersOf, readContent } from './gateway/transaction-content.ts';
import { invalidated } from './outcomes/outcome.ts';
import type { TransactionCache } from './outcomes/transaction-cache.ts';
import type { FabricProperties } from './properties.ts';

/** The parts of a session that `lookup` needs. */
export interface LookupContext {
  qscc: Pick<Qscc, 'blockOf'>;
  channels: Pick<Channels, 'followed'>;
  transactions: TransactionCache;
  properties: Pick<FabricProperties, 'channel'>;
  used: ReadonlySet<string>;
}

/**
 * Looks up a transaction by its id in the channels of this ledger's operations; null if none contains it.
 * @throws PeerError
 */
export async function lookUp(
  txId: string,
  { qscc, channels, transactions, properties, used }: LookupContext,
): Promise<LookupResult | null> {
  if (!/^[0-9a-fA-F]{64}$/.test(txId)) return null;
  const id = txId.toLowerCase();
  const known = transactions.get(id);
  const followed = channels.followed().map(({ channel }) => channel);
  const names = new Set([
    ...(known === undefined ? [] : [known.channel]),
    properties.channel,
    ...followed,
    ...used,
  ]);
  names.delete('');
  for (const channel of names) {
    const block = await qscc.blockOf(channel, id);
    const found = deciding(block?.transactions ?? []).find((one) => one.txId === id);
    if (block === undefined || found === undefined) continue;
    const { number } = block;
    const receipt = receiptOf(found.envelope, channel, number, found.code);
    const result = { txId: id, height: number, blockHash: blockName(channel, number), receipt };
    if (isValid(found.code)) return { ...result, status: 'SUCCEEDED' };
    const committed = { txId: id, channel, block: number, code: found.code };
    return { ...result, status: 'FAILED', problem: { ...invalidated(committed), phase: 'lookup' } };
  }
  return known?.sentAt === undefined ? null : { txId: id, status: 'PENDING' };
}

/** Channel members may put anything into blocks. Only chaincode transactions are read. */
function callOf(payload: Uint8Array, data: Uint8Array, envelope: Uint8Array): JsonObject {
  try {
    const content = readContent(payload);
    const [action] = peer.Transaction.deserializeBinary(data).getActionsList();
    const proposed = peer.ChaincodeActionPayload.deserializeBinary(
      action?.getPayload_asU8() ?? new Uint8Array(),
    );
    const invocation = peer.ChaincodeInvocationSpec.deserializeBinary(
      peer.ChaincodeProposalPayload.deserializeBinary(
        proposed.getChaincodeProposalPayload_asU8(),
      ).getInput_asU8(),
    );
    const [name, ...args] = invocation.getChaincodeSpec()?.getInput()?.getArgsList_asU8() ?? [];
    return {
      chaincode: content.chaincode,
      function: bounded(name ?? new Uint8Array(), longestName),
      args: boundedArgs(args),
      endorsers: endorsersOf(envelope),
      ...detailsOf(content),
    };
  } catch {
    return { chaincode: null };
  }
}

/**
 * Maximum number of bytes that a receipt shows of a call's arguments, of a certificate, and of a function's
 * name.
 */
const [longestArgs, longestCertificate, longestName] = [2 ** 21, 2 ** 16, 2 ** 16];

function boundedArgs(args: readonly Uint8Array[]): Json[] {
  let rest = longestArgs;
  return args.map((bytes) => {
    const read = bounded(bytes, rest);
    rest -= Math.min(rest, bytes.length);
    return read;
  });
}

/** Returns the time that the transaction's client set; null if it is not a date. */
function timeOf(header: common.ChannelHeader): string | null {
  const time = header.getTimestamp()?.toDate();
  return time === undefined || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/**
 * Returns the transaction on the ledger, with the names of Fabric's messages. Bytes have the form of {@link
 * bytesToJson}.
 */
function receiptOf(envelope: Uint8Array, channel: string, block: number, code: number): Json {
  const payload = common.Envelope.deserializeBinary(envelope).getPayload_asU8();
  demandFewFields(payload, payloadShape, fewFields);
  const read = common.Payload.deserializeBinary(payload);
  const header = read.getHeader();
  const signer = common.SignatureHeader.deserializeBinary(
    header?.getSignatureHeader_asU8() ?? new Uint8Array(),
  );
  const creator = msp.SerializedIdentity.deserializeBinary(signer.getCreator_asU8());
  const channelHeader = common.ChannelHeader.deserializeBinary(
    header?.getChannelHeader_asU8() ?? new Uint8Array(),
  );
  const receipt: JsonObject = {
    channel,
    block,
    validationCode: validationCodeName(code),
    timestamp: timeOf(channelHeader),
    creator: {
      mspId: creator.getMspid(),
      certificate: Buffer.from(creator.getIdBytes_asU8().subarray(0, longestCertificate)).toString(),
    },
  };
  if (channelHeader.getType() !== common.HeaderType.ENDORSER_TRANSACTION) return receipt;
  return { ...receipt, ...callOf(payload, read.getData_asU8(), envelope) };
}

import { common, peer } from '@hyperledger/fabric-protos';
import { slices } from '@ledger-ops/glo-core';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { expect, test } from 'vitest';
import type { Peer } from './gateway/peer.ts';
import { readBlock } from './gateway/transaction-content.ts';
import { lookUp } from './lookup.ts';
import { createTransactionCache } from './outcomes/transaction-cache.ts';

const txId = 'ab'.repeat(32);
const garbage = Buffer.from('no message at all');

function envelopeOf(data: Uint8Array, seconds = 0): Uint8Array {
  const channelHeader = new common.ChannelHeader();
  channelHeader.setType(common.HeaderType.ENDORSER_TRANSACTION);
  channelHeader.setTxId(txId);
  const time = new timestamps.Timestamp();
  time.setSeconds(seconds);
  channelHeader.setTimestamp(time);
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  const payload = new common.Payload();
  payload.setHeader(header);
  payload.setData(data);
  const envelope = new common.Envelope();
  envelope.setPayload(payload.serializeBinary());
  return envelope.serializeBinary();
}

/** Looks up the second transaction of a block, which is this envelope. */
async function lookUpIn(envelope: Uint8Array) {
  const block = new common.Block();
  const data = new common.BlockData();
  data.setDataList([garbage, envelope]);
  block.setData(data);
  const metadata = new common.BlockMetadata();
  const codes = Buffer.from([peer.TxValidationCode.BAD_PAYLOAD, peer.TxValidationCode.INVALID_OTHER_REASON]);
  metadata.setMetadataList([garbage, garbage, codes]);
  block.setMetadata(metadata);
  const found = { ...(await slices.run(readBlock(block))), peer: {} as Peer };
  return await lookUp(txId, {
    qscc: { blockOf: async () => found },
    channels: { followed: () => [] },
    transactions: createTransactionCache(),
    properties: { channel: 'trade' },
    used: new Set(),
  });
}

test('a lookup omits unreadable parts of a transaction from its receipt and its block', async () => {
  expect(await lookUpIn(envelopeOf(garbage))).toMatchObject({
    txId,
    status: 'FAILED',
    receipt: { channel: 'trade', validationCode: 'INVALID_OTHER_REASON', chaincode: null },
  });
});

test('a lookup omits the time of a transaction if it is not a date, because clients set it', async () => {
  const seen = async (seconds: number) => (await lookUpIn(envelopeOf(garbage, seconds)))?.receipt;
  expect(await seen(1_700_000_000)).toMatchObject({ timestamp: '2023-11-14T22:13:20.000Z' });
  expect(await seen(8_640_000_000_001)).toMatchObject({ timestamp: null });
});

import { common, peer } from '@hyperledger/fabric-protos';
import { slices } from '@ledger-ops/glo-core';
import { expect, test } from 'vitest';
import type { Peer } from './gateway/peer.ts';
import { readBlock } from './gateway/transaction-content.ts';
import { lookUp } from './lookup.ts';
import { createTransactionCache } from './outcomes/transaction-cache.ts';

const txId = 'ab'.repeat(32);
const garbage = Buffer.from('no message at all');

function envelopeOf(data: Uint8Array): Uint8Array {
  const channelHeader = new common.ChannelHeader();
  channelHeader.setType(common.HeaderType.ENDORSER_TRANSACTION);
  channelHeader.setTxId(txId);
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  const payload = new common.Payload();
  payload.setHeader(header);
  payload.setData(data);
  const envelope = new common.Envelope();
  envelope.setPayload(payload.serializeBinary());
  return envelope.serializeBinary();
}

test('a lookup omits unreadable parts of a transaction from its receipt and its block', async () => {
  const block = new common.Block();
  const data = new common.BlockData();
  data.setDataList([garbage, envelopeOf(garbage)]);
  block.setData(data);
  const metadata = new common.BlockMetadata();
  const codes = Buffer.from([peer.TxValidationCode.BAD_PAYLOAD, peer.TxValidationCode.INVALID_OTHER_REASON]);
  metadata.setMetadataList([garbage, garbage, codes]);
  block.setMetadata(metadata);
  const found = { ...(await slices.run(readBlock(block))), peer: {} as Peer };
  const result = await lookUp(txId, {
    qscc: { blockOf: async () => found },
    channels: { followed: () => [] },
    transactions: createTransactionCache(),
    properties: { channel: 'trade' },
    used: new Set(),
  });
  expect(result).toMatchObject({
    txId,
    status: 'FAILED',
    receipt: { channel: 'trade', validationCode: 'INVALID_OTHER_REASON', chaincode: null },
  });
});

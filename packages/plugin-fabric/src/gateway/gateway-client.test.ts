import { common, gateway, peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { endorse, type SignedProposal } from './gateway-client.ts';
import type { Peer } from './peer.ts';

function headerOf(txId: string): common.Header {
  const channelHeader = new common.ChannelHeader();
  channelHeader.setTxId(txId);
  const signatureHeader = new common.SignatureHeader();
  signatureHeader.setNonce(Buffer.from(`nonce of ${txId}`));
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  header.setSignatureHeader(signatureHeader.serializeBinary());
  return header;
}

function proposalOf(txId: string): SignedProposal {
  const proposal = new protos.Proposal();
  proposal.setHeader(headerOf(txId).serializeBinary());
  const signed = new protos.SignedProposal();
  signed.setProposalBytes(proposal.serializeBinary());
  return { txId, channel: 'ledger', signed, endorsingOrganizations: [] };
}

/** Returns a gateway that returns this payload for every request. */
function gatewayOf(payload: Uint8Array): Peer {
  const envelope = new common.Envelope();
  envelope.setPayload(payload);
  const answer = new gateway.EndorseResponse();
  answer.setPreparedTransaction(envelope);
  const node: Pick<Peer, 'unary'> = { unary: async () => answer.serializeBinary() };
  return node as Peer;
}

function payloadOf(header: common.Header | undefined): Uint8Array {
  const payload = new common.Payload();
  payload.setHeader(header);
  payload.setData('AQ==');
  return payload.serializeBinary();
}

test('returns the payload that the gateway peer assembled', async () => {
  const payload = payloadOf(headerOf('one'));
  expect(await endorse(gatewayOf(payload), proposalOf('one'), 1_000)).toEqual(payload);
});

test.each([
  ['a transaction of another proposal', payloadOf(headerOf('two'))],
  ['a payload without a header', payloadOf(undefined)],
  ['bytes that are not a transaction', Uint8Array.of(1)],
])('rejects an endorsed payload that differs from the proposal: %s', async (_, payload) => {
  await expect(endorse(gatewayOf(payload), proposalOf('one'), 1_000)).rejects.toThrow(
    'a different transaction',
  );
});

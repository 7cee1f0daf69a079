import type { Gateway } from '@hyperledger/fabric-gateway';
import { gateway as messages, peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { createLimiter } from './limiter.ts';
import type { Observer } from './observer.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';
import { createReader } from './reader.ts';
import { createSystemChaincode } from './system-chaincode.ts';

test('blocks and heights are the word of the peer that is named for them, and of none that it hands the question on to', async () => {
  const asked: string[] = [];
  const gateway = {
    getNetwork: () => ({
      getContract: () => ({
        newProposal: () => ({ getBytes: () => proposed(), getDigest: () => new Uint8Array() }),
      }),
    }),
  };
  const node: Pick<PeerNode, 'unary' | 'gateway'> = {
    unary: async (method) => {
      asked.push(method);
      throw new PeerFailure(grpcCode.aborted, 'no more');
    },
    gateway: async () => gateway as unknown as Gateway,
  };
  const peers: Pick<Peers, 'onPeer'> = { onPeer: (run) => run(node as PeerNode) };
  const observer = { sign: () => new Uint8Array() } as unknown as Observer;
  // Members that reading does not use are left out.
  const system = createSystemChaincode(createReader(peers as Peers, observer, createLimiter(1)), 1_000);
  await expect(system.blockOf('ledger', 'a'.repeat(64))).rejects.toThrow('no more');
  await expect(system.height('ledger')).rejects.toThrow('no more');
  expect(asked).toEqual(['/protos.Endorser/ProcessProposal', '/protos.Endorser/ProcessProposal']);
});

function proposed(): Uint8Array {
  const one = new messages.ProposedTransaction();
  one.setProposal(new protos.SignedProposal());
  return one.serializeBinary();
}

import type { Gateway } from '@hyperledger/fabric-gateway';
import { gateway as messages, peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { standIn } from '../../test/stand-in.ts';
import type { Peer } from './peer.ts';
import { grpcCode, PeerError } from './peer-error.ts';
import type { Peers } from './peers.ts';
import { createQscc } from './qscc.ts';
import { createQueries } from './query.ts';
import type { QueryIdentity } from './query-identity.ts';
import { createSemaphore } from './semaphore.ts';

test('blocks and heights come from the named peer itself, not from one that it forwards to', async () => {
  const asked: string[] = [];
  const gateway = standIn<Gateway>({
    getNetwork: () => ({
      getContract: () => ({
        newProposal: () => ({ getBytes: () => proposed(), getDigest: () => new Uint8Array() }),
      }),
    }),
  });
  const node = standIn<Peer>({
    unary: async (method) => {
      asked.push(method);
      throw new PeerError(grpcCode.aborted, 'no more');
    },
    gateway: async () => gateway,
  });
  const peers: Pick<Peers, 'onPeer'> = { onPeer: (run) => run(node) };
  const observer = standIn<QueryIdentity>({ sign: () => new Uint8Array() });
  // Members that reading does not use are omitted.
  const qscc = createQscc(createQueries(peers as Peers, observer, createSemaphore(1)), 1_000);
  await expect(qscc.blockOf('ledger', 'a'.repeat(64))).rejects.toThrow('no more');
  await expect(qscc.height('ledger')).rejects.toThrow('no more');
  expect(asked).toEqual(['/protos.Endorser/ProcessProposal', '/protos.Endorser/ProcessProposal']);
});

function proposed(): Uint8Array {
  const one = new messages.ProposedTransaction();
  one.setProposal(new protos.SignedProposal());
  return one.serializeBinary();
}

import type { Gateway } from '@hyperledger/fabric-gateway';
import { gateway as messages, peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { standIn } from '../../test/stand-in.ts';
import { field } from './gateway-client.ts';
import type { Peer } from './peer.ts';
import { grpcCode, PeerError } from './peer-error.ts';
import type { Peers } from './peers.ts';
import { createQscc } from './qscc.ts';
import { createQueries, type Queries } from './query.ts';
import type { QueryIdentity } from './query-identity.ts';
import { createSemaphore } from './semaphore.ts';

test('reads blocks and heights with queries that the requested peer does not forward to another peer', async () => {
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

test('rejects a block with an overlong hash, because hashing it would block the event loop', async () => {
  const block = field(1, Buffer.concat([Buffer.of(8, 1), field(2, Buffer.alloc(65))]));
  const queries = standIn<Queries>({
    queryAnyPeer: async (_query, _timeout, read) => ({ peer: standIn<Peer>({}), answer: read(block) }),
  });
  await expect(createQscc(queries, 1_000).blockAt('ledger', 1)).rejects.toThrow('more than 64 bytes');
});

function proposed(): Uint8Array {
  const one = new messages.ProposedTransaction();
  one.setProposal(new protos.SignedProposal());
  return one.serializeBinary();
}

import type { CloseableAsyncIterable, Gateway } from '@hyperledger/fabric-gateway';
import { common, gateway as messages, peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { createBlockFollower } from './block-follower.ts';
import { createFirstBlocks } from './first-blocks.ts';
import type { Observer } from './observer.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';
import type { SystemChaincode } from './system-chaincode.ts';

/** What a peer has as block 0, by its data's hash; undefined: it does not answer. */
type Word = string | undefined;

const silent = () => new PeerFailure(grpcCode.unavailable, 'not up', [], new Error('connection'));

function peerOf(nodeId: string, word: Word, asked: string[] = []): PeerNode {
  const gateway = {
    getNetwork: () => ({
      getContract: () => ({
        newProposal: () => ({ getBytes: () => proposed(), getDigest: () => new Uint8Array() }),
      }),
    }),
  };
  const node: Pick<PeerNode, 'unary' | 'gateway'> & { properties: { nodeId: string } } = {
    properties: { nodeId },
    async unary(method) {
      asked.push(method);
      if (word === undefined) throw silent();
      return answerOf(word);
    },
    gateway: async () => gateway as unknown as Gateway,
  };
  // Members that asking does not use are left out.
  return node as unknown as PeerNode;
}

function proposed(): Uint8Array {
  const one = new messages.ProposedTransaction();
  one.setProposal(new protos.SignedProposal());
  return one.serializeBinary();
}

function answerOf(word: string): Uint8Array {
  const header = new common.BlockHeader();
  header.setDataHash(Buffer.from(word));
  const block = new common.Block();
  block.setHeader(header);
  const response = new protos.Response();
  response.setStatus(200);
  response.setPayload(block.serializeBinary());
  const answer = new protos.ProposalResponse();
  answer.setResponse(response);
  return answer.serializeBinary();
}

const observer = { sign: () => new Uint8Array() } as unknown as Observer;

function firstBlocksOf(words: Record<string, Word>, asked: string[] = []) {
  const all = Object.entries(words).map(([nodeId, word]) => peerOf(nodeId, word, asked));
  const peers: Pick<Peers, 'all' | 'order'> = { all, order: () => all };
  return createFirstBlocks(peers as Peers, observer, 1_000);
}

test('peers that all tell the same first block are sure of it, each by its own word', async () => {
  const asked: string[] = [];
  const sure = await firstBlocksOf({ p1: 'old', p2: 'old' }, asked).ofAll('ledger');
  expect(sure).toEqual({ genesis: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  expect(asked).toEqual(['/protos.Endorser/ProcessProposal', '/protos.Endorser/ProcessProposal']);
});

test('a peer that does not answer leaves it unsure, and is named', async () => {
  const { unsure, genesis } = await firstBlocksOf({ p1: undefined, p2: 'new' }).ofAll('ledger');
  expect(unsure).toBe('Node p1: The ledger cannot be reached now.');
  expect(genesis).toBe((await firstBlocksOf({ p2: 'new' }).ofAll('ledger')).genesis);
});

test('peers with different first blocks make the ledger unavailable, and both are named', async () => {
  await expect(firstBlocksOf({ p1: 'old', p2: 'new', p3: 'old' }).ofAll('ledger')).rejects.toMatchObject({
    code: grpcCode.unavailable,
    message: expect.stringMatching(/p1 and p2 have different first blocks/),
  });
});

test('where no peer answers, the failure is theirs', async () => {
  await expect(firstBlocksOf({ p1: undefined, p2: undefined }).ofAll('ledger')).rejects.toThrow('not up');
});

/** Follows a channel whose first peer does not have the next block, until it was suspected to be made anew. */
async function suspected(words: Record<string, Word>): Promise<boolean> {
  const again = Promise.withResolvers<void>();
  let reads = 0;
  const events: Pick<CloseableAsyncIterable<protos.FilteredBlock>, 'close' | typeof Symbol.asyncIterator> = {
    close: () => undefined,
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new PeerFailure(grpcCode.aborted, 'Unexpected status response: 404')),
    }),
  };
  const gateway = { getNetwork: () => ({ getFilteredBlockEvents: async () => events }) };
  const all = Object.keys(words).map((nodeId) => ({
    properties: { nodeId },
    async gateway() {
      reads += 1;
      if (reads === 2) again.resolve();
      return gateway as unknown as Gateway;
    },
  }));
  const peers: Pick<Peers, 'all' | 'order' | 'failed'> = {
    all: all as unknown as PeerNode[],
    order: () => all as unknown as PeerNode[],
    failed: () => undefined,
  };
  const system: Pick<SystemChaincode, 'height'> = { height: async () => 7 };
  const follower = createBlockFollower({
    ...{ channel: 'ledger', genesis: 'old', from: 7, patience: 60_000, onNews: () => undefined },
    // Members that following does not use are left out.
    ...{ peers: peers as Peers, system: system as SystemChaincode, observer },
    firstBlocks: {
      async of({ properties: { nodeId } }) {
        const word = words[nodeId];
        if (word === undefined) throw silent();
        return word;
      },
    },
    host: { now: Date.now, log: () => undefined, signal: new AbortController().signal },
  });
  await again.promise;
  follower.close();
  return follower.wasReset();
}

test('one peer with another first block is no reset while another peer has the old one', async () => {
  expect(await suspected({ p2: 'new', p1: 'old' })).toBe(false);
  expect(await suspected({ p2: undefined, p1: undefined })).toBe(false);
  expect(await suspected({ p2: 'new', p1: undefined })).toBe(true);
});

import type { CloseableAsyncIterable, Gateway } from '@hyperledger/fabric-gateway';
import type { peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { createBlockFollower } from './block-follower.ts';
import { firstBlockOfAll } from './first-block.ts';
import type { Observer } from './observer.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { SystemChaincode } from './system-chaincode.ts';

/** What each peer has as block 0; undefined: it does not answer. */
type Words = Record<string, string | undefined>;

const systemOf = (words: Words): Pick<SystemChaincode, 'genesis' | 'height'> => ({
  height: async () => 7,
  async genesis(_, peer) {
    const word = words[peer?.properties.nodeId ?? ''];
    if (word !== undefined) return word;
    throw new PeerFailure(grpcCode.unavailable, 'not up', [], new Error('connection'));
  },
});

/** Peers, as far as they have names, and streams that begin with a block that they do not have. */
function peersOf(words: Words, onRead: () => void = () => undefined): PeerNode[] {
  const events: Pick<CloseableAsyncIterable<protos.FilteredBlock>, 'close' | typeof Symbol.asyncIterator> = {
    close: () => undefined,
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new PeerFailure(grpcCode.aborted, 'Unexpected status response: 404')),
    }),
  };
  const gateway = { getNetwork: () => ({ getFilteredBlockEvents: async () => events }) };
  return Object.keys(words).map((nodeId) => {
    const node: Pick<PeerNode, 'gateway'> & { properties: { nodeId: string } } = {
      properties: { nodeId },
      async gateway() {
        onRead();
        return gateway as unknown as Gateway;
      },
    };
    return node as PeerNode;
  });
}

const ofAll = (words: Words) => firstBlockOfAll('ledger', { order: () => peersOf(words) }, systemOf(words));

test('peers that all tell the same first block are sure of it', async () => {
  expect(await ofAll({ p1: '0xold', p2: '0xold' })).toEqual({ genesis: '0xold' });
});

test('a peer that does not answer leaves it unsure, and is named', async () => {
  expect(await ofAll({ p1: undefined, p2: '0xnew' })).toEqual({
    genesis: '0xnew',
    unsure: 'Node p1: The ledger cannot be reached now.',
  });
});

test('peers with different first blocks make the ledger unavailable, and both are named', async () => {
  await expect(ofAll({ p1: '0xold', p2: '0xnew', p3: '0xold' })).rejects.toMatchObject({
    code: grpcCode.unavailable,
    message: expect.stringMatching(/p1 and p2 have different first blocks/),
  });
});

test('where no peer answers, the failure is theirs', async () => {
  await expect(ofAll({ p1: undefined, p2: undefined })).rejects.toThrow('not up');
});

/** Follows a channel whose first peer does not have the next block, until it was suspected to be made anew. */
async function suspected(words: Words): Promise<boolean> {
  const again = Promise.withResolvers<void>();
  let reads = 0;
  const peers = peersOf(words, () => {
    reads += 1;
    if (reads === 2) again.resolve();
  });
  const follower = createBlockFollower({
    ...{ channel: 'ledger', genesis: '0xold', from: 7, patience: 60_000, onNews: () => undefined },
    peers: { order: () => peers, failed: () => undefined, worked: () => undefined },
    ...{ system: systemOf(words), observer: {} as Observer },
    host: { now: Date.now, log: () => undefined, signal: new AbortController().signal },
  });
  await again.promise;
  follower.close();
  return follower.wasReset();
}

test('one peer with another first block is no reset while another peer has the old one', async () => {
  expect(await suspected({ p2: '0xnew', p1: '0xold' })).toBe(false);
  expect(await suspected({ p2: undefined, p1: undefined })).toBe(false);
  expect(await suspected({ p2: '0xnew', p1: undefined })).toBe(true);
});

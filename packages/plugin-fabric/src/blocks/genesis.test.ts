import type { CloseableAsyncIterable, Gateway } from '@hyperledger/fabric-gateway';
import type { peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { standIn } from '../../test/stand-in.ts';
import type { Peer } from '../gateway/peer.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { Qscc } from '../gateway/qscc.ts';
import type { QueryIdentity } from '../gateway/query-identity.ts';
import { defaultTiming } from '../timing.ts';
import { BlockStream } from './block-stream.ts';
import { genesisOfAll } from './genesis.ts';

/** Block 0 of each peer. Undefined if the peer does not answer. */
type Words = Record<string, string | undefined>;

const systemOf = (words: Words): Pick<Qscc, 'genesis' | 'height'> => ({
  height: async () => 7,
  async genesis(_, peer) {
    const word = words[peer?.properties.nodeId ?? ''];
    if (word !== undefined) return word;
    throw new PeerError(grpcCode.unavailable, 'not up', [], new Error('connection'));
  },
});

/** Returns the peers that have only a name. Their streams fail, because they lack the first requested block. */
function peersOf(words: Words, onRead: () => void = () => undefined): Peer[] {
  const events: Pick<CloseableAsyncIterable<protos.FilteredBlock>, 'close' | typeof Symbol.asyncIterator> = {
    close: () => undefined,
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new PeerError(grpcCode.aborted, 'Unexpected status response: 404')),
    }),
  };
  const gateway = standIn<Gateway>({ getNetwork: () => ({ getFilteredBlockEvents: async () => events }) });
  return Object.keys(words).map((nodeId) => {
    const node: Pick<Peer, 'gateway'> & { properties: { nodeId: string } } = {
      properties: { nodeId },
      async gateway() {
        onRead();
        return gateway;
      },
    };
    return node as Peer;
  });
}

const ofAll = (words: Words) => genesisOfAll('ledger', { order: () => peersOf(words) }, systemOf(words));

test('the first block is certain if all peers report the same first block', async () => {
  expect(await ofAll({ p1: '0xold', p2: '0xold' })).toEqual({ genesis: '0xold' });
});

test('the first block is uncertain while a peer does not respond, and the reason names that peer', async () => {
  expect(await ofAll({ p1: undefined, p2: '0xnew' })).toEqual({
    genesis: '0xnew',
    unsure: 'Node p1: The ledger cannot be reached at the moment.',
  });
});

test('the ledger is unavailable if peers have different first blocks, and the error names both peers', async () => {
  await expect(ofAll({ p1: '0xold', p2: '0xnew', p3: '0xold' })).rejects.toMatchObject({
    code: grpcCode.unavailable,
    message: expect.stringMatching(/p1 and p2 have different first blocks/),
  });
});

test('reports the failure of the peers if no peer answers', async () => {
  await expect(ofAll({ p1: undefined, p2: undefined })).rejects.toThrow('not up');
});

/**
 * Follows a channel whose first peer lacks the next block, and returns whether the stream reports the channel as
 * created again.
 */
async function suspected(words: Words): Promise<boolean> {
  const again = Promise.withResolvers<void>();
  let reads = 0;
  const peers = peersOf(words, () => {
    reads += 1;
    if (reads === 2) again.resolve();
  });
  const blockStream = new BlockStream({
    ...{ channel: 'ledger', genesis: '0xold', from: 7, stallTimeout: 60_000, onNews: () => undefined },
    peers: { order: () => peers, failed: () => undefined, worked: () => undefined },
    ...{ qscc: systemOf(words), queryIdentity: {} as QueryIdentity, timing: defaultTiming.blocks },
    host: { now: Date.now, log: () => undefined, signal: new AbortController().signal },
  });
  await again.promise;
  blockStream.close();
  return blockStream.wasReset();
}

test('does not treat a channel as created again while one peer still has the known first block', async () => {
  expect(await suspected({ p2: '0xnew', p1: '0xold' })).toBe(false);
  expect(await suspected({ p2: undefined, p1: undefined })).toBe(false);
  expect(await suspected({ p2: '0xnew', p1: undefined })).toBe(true);
});

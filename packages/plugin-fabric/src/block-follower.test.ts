import type { CloseableAsyncIterable, Gateway } from '@hyperledger/fabric-gateway';
import type { peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { createBlockFollower } from './block-follower.ts';
import type { Observer } from './observer.ts';
import { grpcCode, PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';

test('a peer that refuses its stream, and answers everything else, is no ledger whose blocks come', async () => {
  const refused = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const events: Pick<CloseableAsyncIterable<protos.FilteredBlock>, 'close' | typeof Symbol.asyncIterator> = {
    close: () => undefined,
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new PeerFailure(grpcCode.unavailable, 'streams are refused')),
    }),
  };
  const gateway = { getNetwork: () => ({ getFilteredBlockEvents: async () => events }) };
  const node = { properties: { nodeId: 'a' }, gateway: async () => gateway as unknown as Gateway };
  const peers = {
    order: () => [node as unknown as PeerNode],
    failed: () => refused.resolve(),
    worked: () => undefined,
  };
  const system = {
    genesis: async () => '0x',
    async height() {
      await refused.promise;
      answered.resolve();
      return 7;
    },
  };
  const follower = createBlockFollower({
    ...{ channel: 'ledger', genesis: '0x', from: 7, patience: 60_000, onNews: () => undefined },
    ...{ peers, system, observer: {} as Observer },
    host: { now: Date.now, log: () => undefined, signal: new AbortController().signal },
  });
  await answered.promise;
  await new Promise(setImmediate);
  expect(follower.failure()?.message).toBe('streams are refused');
  follower.close();
});

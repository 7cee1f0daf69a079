import type { CloseableAsyncIterable, Gateway } from '@hyperledger/fabric-gateway';
import type { peer as protos } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { standIn } from '../../test/stand-in.ts';
import type { Peer } from '../gateway/peer.ts';
import { grpcCode, PeerError } from '../gateway/peer-error.ts';
import type { QueryIdentity } from '../gateway/query-identity.ts';
import { defaultTiming } from '../timing.ts';
import { BlockStream } from './block-stream.ts';

test('a peer that refuses only block streams delivers no blocks', async () => {
  const refused = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const events: Pick<CloseableAsyncIterable<protos.FilteredBlock>, 'close' | typeof Symbol.asyncIterator> = {
    close: () => undefined,
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new PeerError(grpcCode.unavailable, 'streams are refused')),
    }),
  };
  const gateway = standIn<Gateway>({ getNetwork: () => ({ getFilteredBlockEvents: async () => events }) });
  const node = standIn<Peer>({ properties: { nodeId: 'a' }, gateway: async () => gateway });
  const peers = {
    order: () => [node],
    failed: () => refused.resolve(),
    worked: () => undefined,
  };
  const qscc = {
    genesis: async () => '0x',
    async height() {
      await refused.promise;
      answered.resolve();
      return 7;
    },
  };
  const blockStream = new BlockStream({
    ...{ channel: 'ledger', genesis: '0x', from: 7, stallTimeout: 60_000, onNews: () => undefined },
    ...{ peers, qscc, queryIdentity: standIn<QueryIdentity>({}), timing: defaultTiming.blocks },
    host: { now: Date.now, log: () => undefined, signal: new AbortController().signal },
  });
  await answered.promise;
  await new Promise(setImmediate);
  expect(blockStream.failure()?.message).toBe('streams are refused');
  blockStream.close();
});

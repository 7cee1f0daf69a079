import { createPrivateKey } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { checkpointers, connect, type Network, signers } from '@hyperledger/fabric-gateway';
import { common, peer } from '@hyperledger/fabric-protos';
import { expect, onTestFinished, test, vi } from 'vitest';
import { issueIdentity } from '../../src/ca/issue.ts';
import { blockHash, dataHash } from '../../src/messages/block.ts';
import { clientOf, deploy, organization, rootOf, shareNetwork, testNetwork, user } from './network.ts';

const sharedNetwork = shareNetwork();

const code = peer.TxValidationCode;

test('filtered blocks contain transaction ids, types, validation codes and event names, but no payload', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  const submitted = await contract.submitAsync('put', { arguments: ['k', 'v'] });
  const { blockNumber } = await submitted.getStatus();
  const [block] = await take(channel, blockNumber, 1);
  expect(block?.getChannelId()).toBe(network.channel);
  const [transaction] = block?.getFilteredTransactionsList() ?? [];
  expect(transaction?.toObject()).toMatchObject({
    txid: submitted.getTransactionId(),
    type: common.HeaderType.ENDORSER_TRANSACTION,
    txValidationCode: code.VALID,
    transactionActions: {
      chaincodeActionsList: [{ chaincodeEvent: { eventName: 'put', chaincodeId: 'basic', payload: '' } }],
    },
  });
});

test('a stream resumed from a checkpoint has no gaps and no repeats', async () => {
  const network = await testNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  const checkpoint = checkpointers.inMemory();
  const seen: bigint[] = [];
  const follow = async (until: number) => {
    const blocks = await channel.getFilteredBlockEvents({ checkpoint, startBlock: 0n });
    try {
      for await (const block of blocks) {
        seen.push(BigInt(block.getNumber()));
        await checkpoint.checkpointBlock(BigInt(block.getNumber()));
        if (seen.length === until) return;
      }
    } finally {
      blocks.close();
    }
  };
  const first = follow(100);
  await contract.submitTransaction('put', 'a', '1');
  await vi.waitFor(() => expect(seen).toHaveLength(5), 30_000);
  network.faults.cutStreams();
  await expect(first).rejects.toMatchObject({ code: status.UNAVAILABLE });
  await contract.submitTransaction('put', 'a', '2');
  await contract.submitTransaction('put', 'a', '3');
  await follow(7);
  expect(seen).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n]);
});

test('a stream that starts at the chain height waits for that block, and one that starts above fails', async () => {
  const network = await testNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  await expect(take(channel, 5n, 1)).rejects.toThrow('Unexpected status response: 404');
  const next = take(channel, 4n, 1);
  await contract.submitTransaction('put', 'a', '1');
  expect((await next).map((block) => block.getNumber())).toEqual([4]);
});

test('a stream ends with 403 if the certificate has expired or expires during the stream', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const first = organization(network, 0);
  const certify = async (notAfter: Date) => {
    const notBefore = new Date(Date.now() - 600_000);
    const issued = await issueIdentity(rootOf(network, 0), { commonName: 'old', notBefore, notAfter });
    return clientOf(first, { mspId: first.mspId, ...issued }).gateway.getNetwork(network.channel);
  };
  const expired = await certify(new Date(Date.now() - 1000));
  await expect(take(expired, 0n, 1)).rejects.toThrow('Unexpected status response: 403');

  const ends = new Date(Math.ceil(Date.now() / 1000 + 60) * 1000);
  const soon = await certify(ends);
  const begun = Promise.withResolvers<void>();
  const following = take(soon, 0n, 100, begun.resolve);
  following.catch(begun.reject);
  await begun.promise;
  vi.useFakeTimers({ toFake: ['Date'], now: ends.getTime() + 1 });
  onTestFinished(() => void vi.useRealTimers());
  const { contract } = await user(network, 'basic');
  await contract.submitTransaction('put', 'a', '1');
  await expect(following).rejects.toThrow('Unexpected status response: 403');
});

test('a client of a foreign organization gets 403', async () => {
  const network = await sharedNetwork();
  const other = await testNetwork();
  const stranger = await organization(other, 0).issueUser('stranger');
  const { gateway } = clientOf(organization(network, 0), stranger);
  await expect(take(gateway.getNetwork(network.channel), 0n, 1)).rejects.toThrow(
    'Unexpected status response: 403',
  );
  await expect(take(gateway.getNetwork('elsewhere'), 0n, 1)).rejects.toThrow(
    'Unexpected status response: 404',
  );
});

test('blocks are linked by their hashes and contain the submitted transactions', async () => {
  const network = await testNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  await contract.submitTransaction('put', 'a', '1');
  const blocks = await channel.getBlockEvents({ startBlock: 0n });
  let previous: Uint8Array = new Uint8Array();
  for await (const block of blocks) {
    const header = block.getHeader() ?? new common.BlockHeader();
    expect(Buffer.from(header.getPreviousHash_asU8())).toEqual(Buffer.from(previous));
    const data = block.getData()?.getDataList_asU8() ?? [];
    expect(Buffer.from(header.getDataHash_asU8())).toEqual(Buffer.from(dataHash(data)));
    const codes = block.getMetadata()?.getMetadataList_asU8()[common.BlockMetadataIndex.TRANSACTIONS_FILTER];
    expect(codes).toEqual(Uint8Array.from(data, () => code.VALID));
    previous = blockHash(header);
    if (header.getNumber() === 4) break;
  }
  blocks.close();
});

test('chaincode events contain payloads, and can be read from a block or from a transaction on', async () => {
  const network = await testNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  const ids: string[] = [];
  network.faults.blocksHeld = true;
  for (const key of ['a', 'b', 'c']) {
    const submitted = await contract.submitAsync('put', { arguments: [key, '1'] });
    ids.push(submitted.getTransactionId());
  }
  network.faults.blocksHeld = false;
  const events = async (options: Parameters<Network['getChaincodeEvents']>[1], count: number) => {
    const stream = await channel.getChaincodeEvents('basic', options);
    const found: string[] = [];
    for await (const event of stream) {
      found.push(`${event.eventName} ${Buffer.from(event.payload).toString()}`);
      if (found.length === count) break;
    }
    stream.close();
    return found;
  };
  expect(await events({ startBlock: 0n }, 3)).toEqual(['put a', 'put b', 'put c']);
  const checkpoint = checkpointers.inMemory();
  await checkpoint.checkpointTransaction(4n, ids[1] ?? '');
  expect(await events({ checkpoint }, 1)).toEqual(['put c']);
});

test('a silenced stream stays open and later continues without gaps', async () => {
  const network = await testNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  network.faults.streamsSilent = true;
  let came = 0;
  const blocks = take(channel, 0n, 5, () => {
    came += 1;
  });
  await contract.submitTransaction('put', 'a', '1');
  expect(came).toBe(0);
  network.faults.streamsSilent = false;
  expect((await blocks).map((block) => block.getNumber())).toEqual([0, 1, 2, 3, 4]);
});

test('the peer refuses private data streams', async () => {
  const network = await sharedNetwork();
  const { network: channel } = await user(network, 'basic');
  const blocks = await channel.getBlockAndPrivateDataEvents({ startBlock: 0n });
  await expect(blocks[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: status.UNIMPLEMENTED,
  });
});

test("under mutual TLS a block request must contain the hash of the connection's certificate", async () => {
  const network = await testNetwork({ mutualTls: true });
  const one = organization(network, 0);
  const client = clientOf(one, one.admin, await one.issueClientTls('client'));
  expect(await take(client.gateway.getNetwork(network.channel), 0n, 1)).toHaveLength(1);
  const unbound = connect({
    client: client.connection,
    identity: { mspId: one.mspId, credentials: Buffer.from(one.admin.certificate) },
    signer: signers.newPrivateKeySigner(createPrivateKey(one.admin.privateKey)),
  });
  onTestFinished(() => unbound.close());
  await expect(take(unbound.getNetwork(network.channel), 0n, 1)).rejects.toThrow('400');
});

/** Reads `count` filtered blocks, starting at `startBlock`. */
async function take(
  channel: Network,
  startBlock: bigint,
  count: number,
  each?: () => void,
): Promise<peer.FilteredBlock[]> {
  const blocks = await channel.getFilteredBlockEvents({ startBlock });
  const found: peer.FilteredBlock[] = [];
  try {
    for await (const block of blocks) {
      each?.();
      found.push(block);
      if (found.length === count) break;
    }
  } finally {
    blocks.close();
  }
  return found;
}

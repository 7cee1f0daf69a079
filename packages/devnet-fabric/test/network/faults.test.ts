import { status } from '@grpc/grpc-js';
import { common, peer } from '@hyperledger/fabric-protos';
import { expect, test, vi } from 'vitest';
import { clientOf, deploy, organization, shareNetwork, text, user } from './network.ts';

const sharedNetwork = shareNetwork();

const code = peer.TxValidationCode;

test('an unavailable orderer accepts nothing', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  network.faults.ordererUnavailable = true;
  const transaction = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  await expect(transaction.submit()).rejects.toMatchObject({ code: status.UNAVAILABLE });
  network.faults.ordererUnavailable = false;
  const qscc = channel.getContract('qscc');
  await expect(
    qscc.evaluateTransaction('GetTransactionByID', network.channel, transaction.getTransactionId()),
  ).rejects.toThrow('no such transaction ID');
  expect((await (await transaction.submit()).getStatus()).code).toBe(code.VALID);
});

test('with ordererRefuses, the orderer responds FORBIDDEN and accepts nothing', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  network.faults.ordererRefuses = true;
  const transaction = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  await expect(transaction.submit()).rejects.toMatchObject({
    code: status.ABORTED,
    message: expect.stringContaining(
      "status=FORBIDDEN, info=implicit policy evaluation failed - 0 sub-policies were satisfied, but this policy requires 1 of the 'Writers' sub-policies to be satisfied: permission denied",
    ),
  });
  network.faults.clear();
  const qscc = channel.getContract('qscc');
  await expect(
    qscc.evaluateTransaction('GetTransactionByID', network.channel, transaction.getTransactionId()),
  ).rejects.toThrow('no such transaction ID');
  expect((await (await transaction.submit()).getStatus()).code).toBe(code.VALID);
});

test('a transaction whose peer stopped after endorsement can be submitted through another peer', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'either', "OR('Org1MSP.peer','Org2MSP.peer')");
  const [first, second] = [organization(network, 0), organization(network, 1)];
  const { contract, member } = await user(network, 'either');
  const transaction = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  // This call stops the peer. `faults.die` might stop it before the client has read the endorsement.
  await first.stop();
  await expect(transaction.submit()).rejects.toMatchObject({ code: status.UNAVAILABLE });
  // The first client has already signed the transaction.
  const elsewhere = clientOf(second, member).gateway.newTransaction(transaction.getBytes());
  expect((await (await elsewhere.submit()).getStatus()).code).toBe(code.VALID);

  await first.start();
  const again = clientOf(first, member).gateway.getNetwork(network.channel).getContract('either');
  await vi.waitFor(async () => expect(text(await again.evaluateTransaction('get', 'a'))).toBe('1'), 30_000);
});

test('a transaction is committed even if the peer stops after submitting it and before responding', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, member } = await user(network, 'basic');
  const transaction = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  network.faults.die({ after: 'submit', answered: false });
  await expect(transaction.submit()).rejects.toMatchObject({ code: status.UNAVAILABLE });
  const { gateway } = clientOf(organization(network, 1), member);
  const qscc = gateway.getNetwork(network.channel).getContract('qscc');
  const found = await vi.waitFor(
    () => qscc.evaluateTransaction('GetTransactionByID', network.channel, transaction.getTransactionId()),
    30_000,
  );
  expect(peer.ProcessedTransaction.deserializeBinary(found).getValidationcode()).toBe(code.VALID);
});

test('a transaction whose response misses the deadline has still been submitted', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  const deadline = (milliseconds: number) => () => ({ deadline: Date.now() + milliseconds });
  network.faults.delays = { endorse: 60_000, submit: 60_000 };
  const proposal = contract.newProposal('put', { arguments: ['a', '1'] });
  await expect(proposal.endorse(deadline(300)())).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED });
  let taken = false;
  network.faults.delays = {
    // The peer reads this delay only after the orderer has accepted the transaction.
    get submit() {
      taken = true;
      return 60_000;
    },
  };
  const transaction = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  // On a slow machine the deadline may pass before the peer has read the request.
  while (!taken) {
    await expect(transaction.submit(deadline(300)())).rejects.toMatchObject({
      code: status.DEADLINE_EXCEEDED,
    });
  }
  network.faults.clear();
  const qscc = channel.getContract('qscc');
  await vi.waitFor(
    () => qscc.evaluateTransaction('GetTransactionByID', network.channel, transaction.getTransactionId()),
    30_000,
  );
});

test('delivers held blocks when they are released', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  network.faults.blocksHeld = true;
  const commit = await contract.submitAsync('put', { arguments: ['a', '1'] });
  await expect(commit.getStatus({ deadline: Date.now() + 200 })).rejects.toMatchObject({
    code: status.DEADLINE_EXCEEDED,
  });
  network.faults.blocksHeld = false;
  expect((await commit.getStatus()).code).toBe(code.VALID);
});

test('a transaction repeated in a later block is marked as a duplicate and has no effect', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  network.faults.repeatTransactions = true;
  const submitted = await contract.submitAsync('put', { arguments: ['a', '1'] });
  const first = await submitted.getStatus();
  const blocks = await channel.getFilteredBlockEvents({ startBlock: first.blockNumber });
  const codes: (number | undefined)[] = [];
  for await (const block of blocks) {
    const found = block.getFilteredTransactionsList().find((one) => one.getTxid() === first.transactionId);
    if (found !== undefined) codes.push(found.getTxValidationCode());
    if (codes.length === 2) break;
  }
  blocks.close();
  expect(codes).toEqual([code.VALID, code.DUPLICATE_TXID]);
  expect(await submitted.getStatus()).toMatchObject({ code: code.VALID, blockNumber: first.blockNumber });
});

test('only the peer in faults.lies reports a false validation code, in block events and through qscc', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel, member } = await user(network, 'basic');
  const elsewhere = clientOf(organization(network, 1), member).gateway.getNetwork(network.channel);
  network.faults.lies = { mspId: 'Org1MSP', code: code.MVCC_READ_CONFLICT };
  const submitted = await contract.submitAsync('put', { arguments: ['a', '1'] });
  const { transactionId, blockNumber } = await submitted.getStatus();
  const reportedCodes = async (one: typeof channel) => {
    const blocks = await one.getFilteredBlockEvents({ startBlock: blockNumber });
    const [filtered] = (await blocks[Symbol.asyncIterator]().next()).value.getFilteredTransactionsList();
    blocks.close();
    const bytes = await one
      .getContract('qscc')
      .evaluateTransaction('GetBlockByTxID', network.channel, transactionId);
    const whole = common.Block.deserializeBinary(bytes).getMetadata()?.getMetadataList_asU8()[2];
    return [filtered?.getTxValidationCode(), whole?.[0]];
  };
  expect(await reportedCodes(channel)).toEqual([code.MVCC_READ_CONFLICT, code.MVCC_READ_CONFLICT]);
  expect(await reportedCodes(elsewhere)).toEqual([code.VALID, code.VALID]);
  expect(text(await contract.evaluateTransaction('get', 'a'))).toBe('1');
  network.faults.clear();
  expect(await reportedCodes(channel)).toEqual([code.VALID, code.VALID]);
});

test('a peer refuses block streams while faults.streamsRefused is set', async () => {
  const network = await sharedNetwork();
  const { network: channel } = await user(network, 'basic');
  network.faults.streamsRefused = true;
  const refused = await channel.getFilteredBlockEvents({ startBlock: 0n });
  await expect(refused[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: status.UNAVAILABLE });
  network.faults.clear();
  const taken = await channel.getFilteredBlockEvents({ startBlock: 0n });
  expect((await taken[Symbol.asyncIterator]().next()).done).toBe(false);
  taken.close();
});

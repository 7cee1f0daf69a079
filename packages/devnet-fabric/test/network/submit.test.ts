import { status as StatusCode } from '@grpc/grpc-js';
import { GatewayError } from '@hyperledger/fabric-gateway';
import { peer } from '@hyperledger/fabric-protos';
import { expect, test, vi } from 'vitest';
import { deploy, endorsersOf, organization, shareNetwork, testNetwork, text, user } from './network.ts';

const sharedNetwork = shareNetwork();

import { Broken, keyValue } from './test-chaincode.ts';

const code = peer.TxValidationCode;
const tooMany = 'too many requests for /gateway.Gateway, exceeding concurrency limit (1)';

test('a transaction is endorsed, submitted and committed, and its result can be read', async () => {
  const network = await testNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  const submitted = await contract.submitAsync('put', { arguments: ['a', '1'] });
  expect(text(submitted.getResult())).toBe('1');
  const status = await submitted.getStatus();
  expect(status).toMatchObject({
    ...{ successful: true, code: code.VALID, blockNumber: 4n },
    transactionId: submitted.getTransactionId(),
  });
  expect(text(await contract.evaluateTransaction('get', 'a'))).toBe('1');
});

test('signed bytes can be submitted later, by another client through another peer', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  const transaction = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  const other = await user(network, 'basic', 1);
  const unsigned = other.gateway.newTransaction(transaction.getBytes());
  expect(text(unsigned.getResult())).toBe('1');
  // The creator must sign the transaction, even if another client submits it.
  await expect(unsigned.submit()).rejects.toMatchObject({ code: StatusCode.ABORTED });
  const submitted = await transaction.submit();
  expect((await submitted.getStatus()).successful).toBe(true);
});

test('if two transactions of a block read and write the same key, the second is a conflict', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  const first = await contract.newProposal('increment', { arguments: ['n'] }).endorse();
  const second = await contract.newProposal('increment', { arguments: ['n'] }).endorse();
  network.faults.blocksHeld = true;
  const commits = [await first.submit(), await second.submit()];
  network.faults.blocksHeld = false;
  const [one, two] = await Promise.all(commits.map((commit) => commit.getStatus()));
  expect([one?.code, two?.code]).toEqual([code.VALID, code.MVCC_READ_CONFLICT]);
  expect(one?.blockNumber).toBe(two?.blockNumber);
});

test('a key added to a range after the range was read causes a phantom read conflict', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  await contract.submitTransaction('put', 'k1', 'v');
  const listing = await contract.newProposal('list', { arguments: ['k', 'l', 'count'] }).endorse();
  const whole = await contract.newProposal('list', { arguments: ['', '', 'all'] }).endorse();
  await contract.submitTransaction('put', 'k2', 'v');
  const status = await (await listing.submit()).getStatus();
  expect(status.code).toBe(code.PHANTOM_READ_CONFLICT);
  expect((await (await whole.submit()).getStatus()).code).toBe(code.PHANTOM_READ_CONFLICT);
  const again = await contract.submitAsync('list', { arguments: ['k', 'l', 'count'] });
  expect(text(again.getResult())).toBe('["k1","k2"]');
  expect((await again.getStatus()).code).toBe(code.VALID);
});

test('a transaction that is submitted twice keeps the validation code and block of the first submission', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  const transaction = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  const first = await (await transaction.submit()).getStatus();
  await transaction.submit();
  // The next block contains the transaction again, marked as a duplicate.
  const blocks = await channel.getFilteredBlockEvents({ startBlock: first.blockNumber + 1n });
  for await (const block of blocks) {
    const [one] = block.getFilteredTransactionsList();
    expect(one?.getTxid()).toBe(first.transactionId);
    expect(one?.getTxValidationCode()).toBe(code.DUPLICATE_TXID);
    break;
  }
  blocks.close();
  expect(await (await transaction.submit()).getStatus()).toMatchObject({
    ...{ code: code.VALID, blockNumber: first.blockNumber },
  });
});

test('refuses endorsements that differ and names the peer', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  const error: unknown = await contract.submitTransaction('random').catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({
    code: StatusCode.ABORTED,
    details: [
      {
        ...{ address: organization(network, 1).endpoint, mspId: 'Org2MSP' },
        message: 'ProposalResponsePayloads do not match',
      },
    ],
  });
});

test('a transaction with too few endorsements is committed as invalid', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'both', "AND('Org1MSP.peer','Org2MSP.peer')");
  const { contract } = await user(network, 'both');
  const options = { arguments: ['a', '1'], endorsingOrganizations: ['Org1MSP'] };
  const status = await (await contract.submitAsync('put', options)).getStatus();
  expect(status).toMatchObject({ successful: false, code: code.ENDORSEMENT_POLICY_FAILURE });
  await expect(contract.evaluateTransaction('get', 'a')).rejects.toThrow('no a');
  // By default the gateway queries both peers.
  const chosen = await contract.newProposal('put', { arguments: ['a', '1'] }).endorse();
  expect(endorsersOf(chosen.getBytes())).toBe(2);
});

test("if one organization's endorsement is enough, the gateway queries only its own peer", async () => {
  const network = await sharedNetwork();
  await deploy(network, 'either', "OR('Org1MSP.member','Org2MSP.member')");
  const { contract } = await user(network, 'either', 1);
  const transaction = await contract.newProposal('random').endorse();
  expect(endorsersOf(transaction.getBytes())).toBe(1);
  expect((await (await transaction.submit()).getStatus()).successful).toBe(true);
});

test('a chaincode that rejects a call, crashes or does not exist causes a specific code and message', async () => {
  const functions = {
    ...keyValue,
    crash: () => {
      throw new Broken('chaincode stream terminated');
    },
    teapot: () => ({ status: 418, message: 'short and stout' }),
  };
  const network = await testNetwork({ functions });
  await deploy(network, 'basic');
  const { contract, network: channel, gateway } = await user(network, 'basic');
  await expect(contract.evaluateTransaction('fail', 'sorry')).rejects.toMatchObject({
    code: StatusCode.UNKNOWN,
    message: expect.stringContaining('chaincode response 500, sorry'),
  });
  await expect(contract.evaluateTransaction('teapot')).rejects.toMatchObject({
    message: expect.stringContaining('chaincode response 418, short and stout'),
  });
  await expect(contract.submitTransaction('fail', 'sorry')).rejects.toMatchObject({
    code: StatusCode.ABORTED,
    details: [{ mspId: 'Org1MSP', message: 'chaincode response 500, sorry' }],
  });
  await expect(contract.submitTransaction('crash')).rejects.toMatchObject({
    code: StatusCode.ABORTED,
    details: [{ message: 'error in simulation: chaincode stream terminated' }],
  });
  await expect(channel.getContract('nothing').evaluateTransaction('f')).rejects.toMatchObject({
    code: StatusCode.FAILED_PRECONDITION,
  });
  await expect(channel.getContract('nothing').submitTransaction('f')).rejects.toMatchObject({
    code: StatusCode.FAILED_PRECONDITION,
  });
  const elsewhere = gateway.getNetwork('elsewhere').getContract('basic');
  await expect(elsewhere.evaluateTransaction('get', 'a')).rejects.toMatchObject({
    code: StatusCode.UNAVAILABLE,
  });
  await expect(elsewhere.submitTransaction('get', 'a')).rejects.toMatchObject({
    code: StatusCode.FAILED_PRECONDITION,
  });
});

test('if a chaincode calls another one, the policies of both apply', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'caller', "OR('Org1MSP.peer','Org2MSP.peer')");
  await deploy(network, 'called', "AND('Org1MSP.peer','Org2MSP.peer')");
  const { contract, network: channel } = await user(network, 'caller');
  const transaction = await contract
    .newProposal('call', { arguments: ['called', 'put', 'a', '1'] })
    .endorse();
  expect(endorsersOf(transaction.getBytes())).toBe(2);
  expect((await (await transaction.submit()).getStatus()).successful).toBe(true);
  expect(text(await channel.getContract('called').evaluateTransaction('get', 'a'))).toBe('1');
});

test('a chaincode can call the lifecycle, but neither qscc nor cscc', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  const called = await contract.evaluateTransaction('call', '_lifecycle', 'QueryChaincodeDefinitions', '');
  expect(text(called)).toContain('basic');
  for (const [name, why] of [
    ['qscc', 'Rejecting invoke of QSCC from another chaincode because of potential for deadlocks'],
    ['cscc', 'Rejecting invoke of CSCC from another chaincode'],
  ] as const)
    await expect(contract.evaluateTransaction('call', name, 'GetChainInfo', network.channel)).rejects.toThrow(
      `chaincode response 500, ${why}, original invocation for 'basic'`,
    );
});

test('a transaction that only reads needs no endorsement policy', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { network: channel } = await user(network, 'basic');
  for (const [name, method] of [
    ['qscc', 'GetChainInfo'],
    ['cscc', 'GetConfigBlock'],
  ] as const)
    await expect(channel.getContract(name).submitTransaction(method, network.channel)).rejects.toMatchObject({
      code: StatusCode.FAILED_PRECONDITION,
    });
  await expect(channel.getContract('').evaluateTransaction('f')).rejects.toMatchObject({
    code: StatusCode.INVALID_ARGUMENT,
    message: expect.stringContaining('no chaincode name is provided, channel id [ledger]'),
  });
});

test('transient data reaches the chaincode, but not the transaction', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  const transaction = await contract
    .newProposal('transient', { transientData: { secret: Buffer.from('not for the ledger') } })
    .endorse();
  expect(text(transaction.getResult())).toBe('secret');
  expect(Buffer.from(transaction.getBytes()).includes('not for the ledger')).toBe(false);
});

test('the history lists all writes and deletions, newest first', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  await contract.submitTransaction('put', 'written', '1');
  await contract.submitTransaction('put', 'written', '2');
  await contract.submitTransaction('remove', 'written');
  const history: unknown = JSON.parse(text(await contract.evaluateTransaction('history', 'written')));
  expect(history).toMatchObject([
    { isDelete: true, value: '' },
    { isDelete: false, value: '2' },
    { isDelete: false, value: '1' },
  ]);
});

test('refuses concurrent calls above the configured limit', async () => {
  const held = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const functions = {
    ...keyValue,
    wait: async () => {
      entered.resolve();
      await held.promise;
      return 'done';
    },
  };
  const network = await testNetwork({ functions, concurrency: 1 });
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  const waiting = contract.evaluateTransaction('wait');
  await entered.promise;
  await expect(contract.evaluateTransaction('list')).rejects.toThrow(tooMany);
  held.resolve();
  await waiting;
  expect(text(await contract.evaluateTransaction('list'))).toBe('[]');
});

test('a call that waits for a commit counts toward the limit of concurrent calls', async () => {
  const network = await testNetwork({ concurrency: 1 });
  await deploy(network, 'basic');
  const { contract } = await user(network, 'basic');
  network.faults.blocksHeld = true;
  const commit = await contract.submitAsync('put', { arguments: ['a', '1'] });
  const status = commit.getStatus();
  await vi.waitFor(() => expect(contract.evaluateTransaction('list')).rejects.toThrow(tooMany), 30_000);
  network.faults.blocksHeld = false;
  expect((await status).successful).toBe(true);
});

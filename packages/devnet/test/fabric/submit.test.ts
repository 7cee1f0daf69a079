import { expect, test } from 'vitest';
import { clientOf, deploy, organization, testNetwork } from './network.ts';

test('a transaction is endorsed, submitted and committed, and its result can be read', async () => {
  const network = await testNetwork();
  await deploy(network, 'basic');
  const first = organization(network, 0);
  const { gateway } = clientOf(first, await first.issueUser('alice'));
  const contract = gateway.getNetwork(network.channel).getContract('basic');
  const submitted = await contract.submitAsync('put', { arguments: ['a', '1'] });
  expect(Buffer.from(submitted.getResult()).toString()).toBe('1');
  const status = await submitted.getStatus();
  expect(status).toMatchObject({ successful: true, code: 0, transactionId: submitted.getTransactionId() });
  expect(status.blockNumber).toBe(4n);
  expect(Buffer.from(await contract.evaluateTransaction('get', 'a')).toString()).toBe('1');
});

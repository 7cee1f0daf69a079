import { status } from '@grpc/grpc-js';
import type { Gateway } from '@hyperledger/fabric-gateway';
import { common, peer } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { packageChaincode } from '../../src/chaincode/package.ts';
import { approveDefinition, commitDefinition } from '../../src/client/agree.ts';
import { installChaincode, lifecycleProposal } from '../../src/client/install.ts';
import { openMemberClient } from '../../src/client/member-client.ts';
import { policyBytes } from '../../src/policy/parse.ts';
import { clientOf, deploy, organization, testNetwork, text, user } from './network.ts';

const { lifecycle } = peer;

test('install, approve and commit succeed in this order, and the error for a missing step names it', async () => {
  const network = await testNetwork();
  const [first, second] = [organization(network, 0), organization(network, 1)];
  const [admin1, admin2] = [clientOf(first, first.admin), clientOf(second, second.admin)];
  const { bytes, packageId } = await packageChaincode({ label: 'basic_1', address: 'test:1' });
  expect(await installChaincode(admin1.endorser, first.admin, bytes)).toBe(packageId);
  // A repeated installation succeeds.
  expect(await installChaincode(admin1.endorser, first.admin, bytes)).toBe(packageId);
  await expect(installChaincode(admin1.endorser, second.admin, bytes)).rejects.toThrow('access denied');
  const alice = await first.issueUser('alice');
  await expect(installChaincode(admin1.endorser, alice, bytes)).rejects.toThrow('ADMIN');

  const definition = { name: 'basic', version: '1', sequence: 1, policy: new Uint8Array() };
  const { channel } = network;
  await approveDefinition(admin1.gateway, channel, 'Org1MSP', definition, packageId);
  expect(await readiness(admin1.gateway, channel, 1)).toEqual({ Org1MSP: true, Org2MSP: false });
  await expect(commitDefinition(admin1.gateway, channel, definition)).rejects.toMatchObject({
    code: status.ABORTED,
    details: [
      { message: expect.stringContaining('chaincode definition not agreed to by this org (Org2MSP)') },
    ],
  });
  await expect(
    user(network, 'basic').then(({ contract }) => contract.evaluateTransaction('list')),
  ).rejects.toThrow('no peers available to evaluate chaincode basic');
  await approveDefinition(admin2.gateway, channel, 'Org2MSP', definition, packageId);
  expect(await readiness(admin1.gateway, channel, 1)).toEqual({ Org1MSP: true, Org2MSP: true });
  // A user who is not an administrator may commit what administrators have approved.
  await commitDefinition(clientOf(first, alice).gateway, channel, definition);
  const { contract } = await user(network, 'basic');
  expect(text(await contract.evaluateTransaction('list'))).toBe('[]');
  await expect(readiness(admin1.gateway, channel, 1)).rejects.toThrow(
    'requested sequence is 1, but new definition must be sequence 2',
  );

  // The second organization has approved but not installed the chaincode, so its peer cannot run it.
  await expect(
    contract.submit('put', { arguments: ['a', '1'], endorsingOrganizations: ['Org2MSP'] }),
  ).rejects.toMatchObject({ code: status.UNAVAILABLE, message: expect.stringContaining('Org2MSP') });
  await installChaincode(admin2.endorser, second.admin, bytes);
  await contract.submitTransaction('put', 'a', '1');
});

test('rejects an unchanged approval, accepts a changed one, and requires all approvals to match', async () => {
  const network = await testNetwork();
  const first = organization(network, 0);
  const admin = clientOf(first, first.admin);
  const approve = async (version: string) => {
    const args = new lifecycle.ApproveChaincodeDefinitionForMyOrgArgs();
    args.setName('basic');
    args.setVersion(version);
    args.setSequence(1);
    const contract = admin.gateway.getNetwork(network.channel).getContract('_lifecycle');
    await contract.submit('ApproveChaincodeDefinitionForMyOrg', {
      arguments: [args.serializeBinary()],
      endorsingOrganizations: ['Org1MSP'],
    });
  };
  await approve('1');
  await expect(approve('1')).rejects.toMatchObject({
    details: [{ message: expect.stringContaining('attempted to redefine uncommitted sequence (1)') }],
  });
  await approve('2');
  expect(await readiness(admin.gateway, network.channel, 1)).toEqual({ Org1MSP: false, Org2MSP: false });
  const args = new lifecycle.QueryApprovedChaincodeDefinitionArgs();
  args.setName('basic');
  const approved = await admin.gateway
    .getNetwork(network.channel)
    .getContract('_lifecycle')
    .evaluate('QueryApprovedChaincodeDefinition', { arguments: [args.serializeBinary()] });
  const result = lifecycle.QueryApprovedChaincodeDefinitionResult.deserializeBinary(approved);
  expect([result.getVersion(), result.getSequence()]).toEqual(['2', 1]);
  expect(result.getValidationParameter_asU8()).toEqual(policyBytes('/Channel/Application/Endorsement'));
});

test("a lagging peer endorses a commit only when it has its own organization's approval", async () => {
  const network = await testNetwork();
  const { channel } = network;
  const [first, second] = [organization(network, 0), organization(network, 1)];
  const { gateway } = clientOf(first, first.admin);
  const definition = { name: 'basic', version: '1', sequence: 1, policy: new Uint8Array() };
  const { packageId } = await packageChaincode({ label: 'basic_1', address: 'test:1' });
  await approveDefinition(gateway, channel, 'Org1MSP', definition, packageId);
  await approveDefinition(clientOf(second, second.admin).gateway, channel, 'Org2MSP', definition, packageId);
  network.faults.lag('Org2MSP');
  await expect(commitDefinition(gateway, channel, definition)).rejects.toMatchObject({
    details: [
      { message: expect.stringContaining('chaincode definition not agreed to by this org (Org2MSP)') },
    ],
  });
  expect(await readiness(gateway, channel, 1)).toEqual({ Org1MSP: true, Org2MSP: true });
  await commitDefinition(gateway, channel, definition);
});

test("a peer does not endorse another organization's approval", async () => {
  const network = await testNetwork();
  const first = organization(network, 0);
  const args = new lifecycle.ApproveChaincodeDefinitionForMyOrgArgs();
  args.setName('basic');
  args.setVersion('1');
  args.setSequence(1);
  const contract = clientOf(first, first.admin).gateway.getNetwork(network.channel).getContract('_lifecycle');
  // By default the gateway also queries the other peers, which this identity does not administer.
  await expect(
    contract.submit('ApproveChaincodeDefinitionForMyOrg', { arguments: [args.serializeBinary()] }),
  ).rejects.toMatchObject({
    details: [
      { mspId: 'Org2MSP', message: expect.stringContaining('expected MSP ID Org2MSP, received Org1MSP') },
    ],
  });
});

test('queries return installed packages and committed definitions', async () => {
  const network = await testNetwork();
  await deploy(network, 'one');
  await deploy(network, 'two', "OR('Org1MSP.member')");
  const first = organization(network, 0);
  const { gateway, endorser } = clientOf(first, first.admin);
  const contract = gateway.getNetwork(network.channel).getContract('_lifecycle');
  const definitions = lifecycle.QueryChaincodeDefinitionsResult.deserializeBinary(
    await contract.evaluate('QueryChaincodeDefinitions', { arguments: [new Uint8Array()] }),
  );
  expect(definitions.getChaincodeDefinitionsList().map((one) => one.getName())).toEqual(['one', 'two']);
  const byName = new lifecycle.QueryChaincodeDefinitionArgs();
  byName.setName('two');
  const two = lifecycle.QueryChaincodeDefinitionResult.deserializeBinary(
    await contract.evaluate('QueryChaincodeDefinition', { arguments: [byName.serializeBinary()] }),
  );
  expect([...two.getApprovalsMap().entries()]).toEqual([
    ['Org1MSP', true],
    ['Org2MSP', true],
  ]);
  byName.setName('three');
  await expect(
    contract.evaluate('QueryChaincodeDefinition', { arguments: [byName.serializeBinary()] }),
  ).rejects.toThrow('chaincode response 404, namespace three is not defined');

  const ask = async (name: string, argument: Uint8Array) => {
    const { promise, resolve } = Promise.withResolvers<peer.Response | undefined>();
    endorser.processProposal(lifecycleProposal(first.admin, name, argument), (_, response) =>
      resolve(response?.getResponse()),
    );
    return await promise;
  };
  const installed = lifecycle.QueryInstalledChaincodesResult.deserializeBinary(
    (await ask('QueryInstalledChaincodes', new Uint8Array()))?.getPayload_asU8() ?? new Uint8Array(),
  ).getInstalledChaincodesList();
  expect(installed.map((one) => one.getLabel()).sort()).toEqual(['one', 'two']);
  const wanted = new lifecycle.GetInstalledChaincodePackageArgs();
  wanted.setPackageId(installed[0]?.getPackageId() ?? '');
  const { bytes } = await packageChaincode({ label: installed[0]?.getLabel() ?? '', address: 'test:1' });
  const answer = await ask('GetInstalledChaincodePackage', wanted.serializeBinary());
  const found = lifecycle.GetInstalledChaincodePackageResult.deserializeBinary(
    answer?.getPayload_asU8() ?? bytes,
  );
  expect(Buffer.from(found.getChaincodeInstallPackage_asU8()).equals(bytes)).toBe(true);
  const broken = new lifecycle.InstallChaincodeArgs();
  broken.setChaincodeInstallPackage(Buffer.from('no package'));
  const refused = await ask('InstallChaincode', broken.serializeBinary());
  expect(refused?.getStatus()).toBe(500);
  expect(refused?.getMessage()).toContain("failed to invoke backing implementation of 'InstallChaincode'");
});

test('qscc and cscc return blocks, transactions and the configuration', async () => {
  const network = await testNetwork();
  await deploy(network, 'basic');
  const { contract, network: channel } = await user(network, 'basic');
  const submitted = await contract.submitAsync('put', { arguments: ['a', '1'] });
  await submitted.getStatus();
  const qscc = channel.getContract('qscc');
  const id = submitted.getTransactionId();
  const found = peer.ProcessedTransaction.deserializeBinary(
    await qscc.evaluateTransaction('GetTransactionByID', network.channel, id),
  );
  expect(found.getValidationcode()).toBe(0);
  await expect(qscc.evaluateTransaction('GetTransactionByID', network.channel, 'none')).rejects.toThrow(
    'no such transaction ID [none] in index',
  );
  const block = common.Block.deserializeBinary(
    await qscc.evaluateTransaction('GetBlockByTxID', network.channel, id),
  );
  expect(block.getHeader()?.getNumber()).toBe(4);
  const same = await qscc.evaluateTransaction('GetBlockByNumber', network.channel, '4');
  expect(common.Block.deserializeBinary(same).toObject()).toEqual(block.toObject());
  await expect(qscc.evaluateTransaction('GetBlockByNumber', network.channel, '9')).rejects.toThrow(
    'no such block number [9] in index',
  );
  const info = common.BlockchainInfo.deserializeBinary(
    await qscc.evaluateTransaction('GetChainInfo', network.channel),
  );
  expect(info.getHeight()).toBe(5);
  const byHash = await channel.getContract('qscc').evaluate('GetBlockByHash', {
    arguments: [network.channel, info.getCurrentblockhash_asU8()],
  });
  expect(common.Block.deserializeBinary(byHash).getHeader()?.getNumber()).toBe(4);

  const cscc = channel.getContract('cscc');
  const config = common.Block.deserializeBinary(
    await cscc.evaluateTransaction('GetConfigBlock', network.channel),
  );
  expect(text(config.serializeBinary())).toContain(organization(network, 0).rootCertificate);
  expect(text(config.serializeBinary())).toContain(organization(network, 1).tlsCaCertificate);
  const channels = peer.ChannelQueryResponse.deserializeBinary(await cscc.evaluateTransaction('GetChannels'));
  expect(channels.getChannelsList().map((one) => one.getChannelId())).toEqual([network.channel]);
});

test('under mutual TLS a client without a certificate of an organization cannot connect', async () => {
  const network = await testNetwork({ mutualTls: true });
  const { endpoint, hostOverride, tlsCaCertificate, admin, issueClientTls } = organization(network, 1);
  const call = async (clientTls: { clientTls?: Awaited<ReturnType<typeof issueClientTls>> }) => {
    const client = openMemberClient({
      endpoint,
      hostOverride,
      tlsCaCertificate,
      member: admin,
      ...clientTls,
    });
    try {
      const contract = client.gateway.getNetwork(network.channel).getContract('cscc');
      return await contract.evaluateTransaction('GetChannels');
    } finally {
      client.close();
    }
  };
  await expect(call({})).rejects.toMatchObject({ code: status.UNAVAILABLE });
  const foreign = await organization(await testNetwork(), 0).issueClientTls('x');
  await expect(call({ clientTls: foreign })).rejects.toMatchObject({ code: status.UNAVAILABLE });
  const channels = await call({ clientTls: await issueClientTls('client') });
  expect(peer.ChannelQueryResponse.deserializeBinary(channels).getChannelsList()).toHaveLength(1);
});

async function readiness(
  gateway: Gateway,
  channel: string,
  sequence: number,
): Promise<Record<string, boolean>> {
  const args = new lifecycle.CheckCommitReadinessArgs();
  args.setName('basic');
  args.setVersion('1');
  args.setSequence(sequence);
  const result = lifecycle.CheckCommitReadinessResult.deserializeBinary(
    await gateway
      .getNetwork(channel)
      .getContract('_lifecycle')
      .evaluate('CheckCommitReadiness', { arguments: [args.serializeBinary()] }),
  );
  return Object.fromEntries([...result.getApprovalsMap().entries()]);
}

// Tests the errors of a gateway that lacks endorsers. The messages are Fabric's (internal/pkg/gateway,
// discovery/endorsement).
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { packageChaincode } from '../../src/chaincode/package.ts';
import { approveDefinition, commitDefinition } from '../../src/client/agree.ts';
import { installChaincode } from '../../src/client/install.ts';
import { policyBytes } from '../../src/policy/parse.ts';
import { clientOf, deploy, organization, shareNetwork, text, user } from './network.ts';

const sharedNetwork = shareNetwork();

const underived = 'no combination of peers can be derived which satisfy the endorsement policy';
const both = "AND('Org1MSP.peer','Org2MSP.peer')";

test('if a policy requires a stopped peer, reports that no peers satisfy the policy', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'both', both);
  await organization(network, 1).stop();
  const { contract } = await user(network, 'both');
  await expect(contract.submitTransaction('put', 'a', '1')).rejects.toMatchObject({
    code: status.FAILED_PRECONDITION,
    cause: { details: `${underived}: no peer combination can satisfy the endorsement policy` },
  });
  await organization(network, 1).start();
  expect(text(await contract.submitTransaction('put', 'a', '1'))).toBe('1');
});

test('reports requested organizations without a running peer, and unknown ones', async () => {
  const network = await sharedNetwork();
  await deploy(network, 'both', both);
  await organization(network, 1).stop();
  const { contract } = await user(network, 'both');
  const endorsingOrganizations = ['NobodyMSP', 'Org1MSP', 'Org2MSP'];
  const endorsed = contract.newProposal('put', { arguments: ['a', '1'], endorsingOrganizations }).endorse();
  await expect(endorsed).rejects.toMatchObject({
    code: status.UNAVAILABLE,
    cause: { details: 'failed to find any endorsing peers for org(s): NobodyMSP, Org2MSP' },
  });
  const asked = contract.evaluate('get', { arguments: ['a'], endorsingOrganizations: ['Org2MSP'] });
  await expect(asked).rejects.toMatchObject({
    code: status.FAILED_PRECONDITION,
    cause: { details: `no peers available to evaluate chaincode both in channel ${network.channel}` },
  });
});

test('reports a chaincode that too few peers have installed, and an unknown chaincode', async () => {
  const network = await sharedNetwork();
  const { bytes } = await packageChaincode({ label: 'half', address: 'test:1' });
  const definition = { name: 'half', version: '1.0', sequence: 1, policy: policyBytes(both) };
  for (const [at, one] of network.organizations.entries()) {
    const client = clientOf(one, one.admin);
    const packageId = at === 0 ? await installChaincode(client.endorser, one.admin, bytes) : '';
    await approveDefinition(client.gateway, network.channel, one.mspId, definition, packageId);
  }
  const first = organization(network, 0);
  await commitDefinition(clientOf(first, first.admin).gateway, network.channel, definition);
  const { contract, network: channel } = await user(network, 'half');
  await expect(contract.submitTransaction('put', 'a', '1')).rejects.toMatchObject({
    code: status.FAILED_PRECONDITION,
    cause: { details: `${underived}: required chaincodes are not installed on sufficient peers` },
  });
  await expect(channel.getContract('nothing').submitTransaction('put', 'a', '1')).rejects.toMatchObject({
    code: status.FAILED_PRECONDITION,
    cause: {
      details: `${underived}: No metadata was found for chaincode nothing in channel ${network.channel}`,
    },
  });
  const other = await user(network, 'half', 1);
  const transientData = { secret: Buffer.from('s') };
  const guarded = other.contract.newProposal('put', { arguments: ['a', '1'], transientData }).endorse();
  await expect(guarded).rejects.toMatchObject({
    code: status.FAILED_PRECONDITION,
    cause: { details: expect.stringContaining("no endorsers found in the gateway's organization") },
  });
});

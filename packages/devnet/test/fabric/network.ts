import { onTestFinished } from 'vitest';
import { packageChaincode } from '../../src/fabric/chaincode/package.ts';
import { approveDefinition, commitDefinition } from '../../src/fabric/client/agree.ts';
import { installChaincode } from '../../src/fabric/client/install.ts';
import { type MemberClient, openMemberClient } from '../../src/fabric/client/member-client.ts';
import type { Credentials } from '../../src/fabric/identity/signer.ts';
import {
  type FabricNetwork,
  type FabricNetworkOptions,
  type FabricOrganization,
  startFabricNetwork,
} from '../../src/fabric/network.ts';
import { policyBytes } from '../../src/fabric/policy/parse.ts';
import { inProcess, keyValue, type TestFunctions } from './test-chaincode.ts';

/** A network that ends with the test, quick to cut blocks, with chaincode in this process. */
export async function testNetwork(
  options: FabricNetworkOptions & { functions?: TestFunctions } = {},
): Promise<FabricNetwork> {
  const { functions = keyValue, ...rest } = options;
  const network = await startFabricNetwork({
    batch: { timeout: 20 },
    connectChaincode: inProcess(functions),
    ...rest,
  });
  onTestFinished(() => network.stop());
  return network;
}

/** One of a network's organizations, by its position. */
export function organization(network: FabricNetwork, at: number): FabricOrganization {
  const found = network.organizations[at];
  if (found === undefined) throw new RangeError(`The network has no organization ${at}.`);
  return found;
}

/** A member's client of an organization's peer. */
export function clientOf(
  { endpoint, hostOverride, tlsCaCertificate }: FabricOrganization,
  member: Credentials,
): MemberClient {
  const client = openMemberClient({ endpoint, hostOverride, tlsCaCertificate, member });
  onTestFinished(() => client.close());
  return client;
}

/** Installs, approves and commits a chaincode by the administrators of all organizations. */
export async function deploy(
  network: FabricNetwork,
  name: string,
  policy = '/Channel/Application/Endorsement',
): Promise<void> {
  const { bytes } = await packageChaincode({ label: name, address: 'test:1' });
  const definition = { name, version: '1.0', sequence: 1, policy: policyBytes(policy) };
  for (const one of network.organizations) {
    const client = clientOf(one, one.admin);
    const packageId = await installChaincode(client.endorser, one.admin, bytes);
    await approveDefinition(client.gateway, network.channel, one.mspId, definition, packageId);
  }
  const first = organization(network, 0);
  await commitDefinition(clientOf(first, first.admin).gateway, network.channel, definition);
}

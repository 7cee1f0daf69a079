import type { Contract, Gateway, Network } from '@hyperledger/fabric-gateway';
import { common, gateway as messages, peer } from '@hyperledger/fabric-protos';
import { afterAll, onTestFinished } from 'vitest';
import type { KeyPair } from '../../src/ca/issue.ts';
import { packageChaincode } from '../../src/chaincode/package.ts';
import { approveDefinition, commitDefinition } from '../../src/client/agree.ts';
import { installChaincode } from '../../src/client/install.ts';
import { type MemberClient, openMemberClient } from '../../src/client/member-client.ts';
import type { Credentials } from '../../src/identity/signer.ts';
import { startFabricNetwork } from '../../src/network.ts';
import type { FabricNetwork, FabricNetworkOptions, FabricOrganization } from '../../src/network-types.ts';
import { policyBytes } from '../../src/policy/parse.ts';
import { inProcess, keyValue, type TestFunctions } from './test-chaincode.ts';

type TestNetworkOptions = FabricNetworkOptions & { functions?: TestFunctions };

/** Starts a network that cuts blocks quickly and runs chaincode in this process. */
function start({ functions = keyValue, ...rest }: TestNetworkOptions = {}): Promise<FabricNetwork> {
  return startFabricNetwork({ batch: { timeout: 20 }, connectChaincode: inProcess(functions), ...rest });
}

/** Starts a network that is stopped after the test. */
export async function testNetwork(options?: TestNetworkOptions): Promise<FabricNetwork> {
  const network = await start(options);
  onTestFinished(() => network.stop());
  return network;
}

/**
 * A network shared by the tests of a file and started by the first one that uses it. Call this at the top
 * level of the file. Each test sees the chaincode, keys and blocks of earlier tests, but no faults.
 */
export function shareNetwork(): () => Promise<FabricNetwork> {
  let shared: Promise<FabricNetwork> | undefined;
  afterAll(async () => (await shared)?.stop());
  return async () => {
    shared ??= start();
    const network = await shared;
    onTestFinished(async () => {
      network.faults.clear();
      for (const one of network.organizations) if (!one.running()) await one.start();
    });
    return network;
  };
}

/** Returns one of a network's organizations, by its position. */
export function organization(network: FabricNetwork, at: number): FabricOrganization {
  const found = network.organizations[at];
  if (found === undefined) throw new RangeError(`The network has no organization ${at}.`);
  return found;
}

/**
 * Returns the root of an organization with its key. Tests use it to issue certificates that a CA would not
 * issue.
 */
export function rootOf(network: FabricNetwork, at: number): KeyPair {
  const one = organization(network, at);
  return { certificate: one.rootCertificate, privateKey: one.rootPrivateKey };
}

/** Returns a client that calls the organization's peer as `member`. It is closed after the test. */
export function clientOf(
  { endpoint, hostOverride, tlsCaCertificate }: FabricOrganization,
  member: Credentials,
  clientTls?: KeyPair,
): MemberClient {
  const tls = clientTls === undefined ? {} : { clientTls };
  const client = openMemberClient({ endpoint, hostOverride, tlsCaCertificate, member, ...tls });
  onTestFinished(() => client.close());
  return client;
}

const deployed = new WeakMap<FabricNetwork, Set<string>>();

/**
 * Installs, approves and commits a chaincode as the administrators of all organizations, unless it is already
 * deployed.
 */
export async function deploy(
  network: FabricNetwork,
  name: string,
  policy = '/Channel/Application/Endorsement',
): Promise<void> {
  const known = deployed.get(network) ?? new Set();
  deployed.set(network, known);
  if (known.has(`${name} ${policy}`)) return;
  known.add(`${name} ${policy}`);
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

/** Creates a client for a member of an organization, with the chaincode's contract on the network's channel. */
export async function user(
  network: FabricNetwork,
  chaincode: string,
  at = 0,
): Promise<{ contract: Contract; network: Network; gateway: Gateway; member: Credentials }> {
  const one = organization(network, at);
  const member = await one.issueUser('alice');
  const { gateway } = clientOf(one, member);
  const channel = gateway.getNetwork(network.channel);
  return { contract: channel.getContract(chaincode), network: channel, gateway, member };
}

/** Decodes UTF-8. */
export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

/** Returns the number of endorsements of a transaction, given as the bytes of the gateway client. */
export function endorsersOf(bytes: Uint8Array): number {
  const envelope = messages.PreparedTransaction.deserializeBinary(bytes).getEnvelope();
  const payload = common.Payload.deserializeBinary(envelope?.getPayload_asU8() ?? new Uint8Array());
  const [action] = peer.Transaction.deserializeBinary(payload.getData_asU8()).getActionsList();
  const inner = peer.ChaincodeActionPayload.deserializeBinary(action?.getPayload_asU8() ?? new Uint8Array());
  return inner.getAction()?.getEndorsementsList().length ?? 0;
}

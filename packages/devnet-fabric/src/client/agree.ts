import { type Gateway, GatewayError } from '@hyperledger/fabric-gateway';
import { peer } from '@hyperledger/fabric-protos';
import { DevnetError } from '@ledger-ops/devnet';
import { lifecycleNamespace } from '../system/definitions.ts';

const { lifecycle } = peer;

/** A definition that each organization approves, and that is then committed to the channel. */
export interface DefinitionRequest {
  name: string;
  version: string;
  /** Starts at 1 and increases by one with each change. */
  sequence: number;
  /** `ApplicationPolicy` bytes; empty for the channel's default policy. */
  policy: Uint8Array;
}

/** Approves a definition for the organization whose administrator uses the gateway. Idempotent. */
export async function approveDefinition(
  gateway: Gateway,
  channel: string,
  mspId: string,
  definition: DefinitionRequest,
  packageId: string,
): Promise<void> {
  const local = new lifecycle.ChaincodeSource.Local();
  local.setPackageId(packageId);
  const source = new lifecycle.ChaincodeSource();
  source.setLocalPackage(local);
  const args = new lifecycle.ApproveChaincodeDefinitionForMyOrgArgs();
  fill(args, definition);
  args.setSource(source);
  try {
    await submit(gateway, channel, 'ApproveChaincodeDefinitionForMyOrg', args.serializeBinary(), [mspId]);
  } catch (error) {
    const details = error instanceof GatewayError ? error.details : [];
    if (!details.some(({ message }) => message.includes('with unchanged content'))) throw error;
  }
}

/** Commits a definition that enough organizations have approved. */
export async function commitDefinition(
  gateway: Gateway,
  channel: string,
  definition: DefinitionRequest,
): Promise<void> {
  const args = new lifecycle.CommitChaincodeDefinitionArgs();
  fill(args, definition);
  await submit(gateway, channel, 'CommitChaincodeDefinition', args.serializeBinary());
}

/** Returns the channel's committed definition with this name; undefined if there is none. */
export async function committedDefinition(
  gateway: Gateway,
  channel: string,
  name: string,
): Promise<peer.lifecycle.QueryChaincodeDefinitionResult | undefined> {
  const args = new lifecycle.QueryChaincodeDefinitionArgs();
  args.setName(name);
  try {
    const result = await gateway
      .getNetwork(channel)
      .getContract(lifecycleNamespace)
      .evaluate('QueryChaincodeDefinition', { arguments: [args.serializeBinary()] });
    return lifecycle.QueryChaincodeDefinitionResult.deserializeBinary(result);
  } catch (error) {
    if (error instanceof GatewayError && error.message.includes('chaincode response 404')) return undefined;
    throw error;
  }
}

async function submit(
  gateway: Gateway,
  channel: string,
  name: string,
  argument: Uint8Array,
  endorsingOrganizations?: string[],
): Promise<void> {
  const submitted = await gateway
    .getNetwork(channel)
    .getContract(lifecycleNamespace)
    .submitAsync(name, {
      arguments: [argument],
      ...(endorsingOrganizations === undefined ? {} : { endorsingOrganizations }),
    });
  const status = await submitted.getStatus();
  if (!status.successful)
    throw new DevnetError(`${name} was committed but is invalid, with code ${status.code}.`);
}

function fill(
  args: peer.lifecycle.ApproveChaincodeDefinitionForMyOrgArgs | peer.lifecycle.CommitChaincodeDefinitionArgs,
  { name, version, sequence, policy }: DefinitionRequest,
): void {
  args.setName(name);
  args.setVersion(version);
  args.setSequence(sequence);
  args.setEndorsementPlugin('escc');
  args.setValidationPlugin('vscc');
  args.setValidationParameter(policy);
}

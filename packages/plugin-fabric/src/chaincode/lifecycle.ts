import { peer } from '@hyperledger/fabric-protos';
import { approvedDefinitionShape, demandFewFields, fewFields } from '../gateway/message-fields.ts';
import type { DeployPlan } from '../plan.ts';
import type { Definitions } from './definitions.ts';
import { encodePolicy } from './endorsement-policy.ts';

const { lifecycle } = peer;

/** Returns the arguments of `InstallChaincode`. */
export function installArgs(bytes: Uint8Array): Uint8Array {
  const args = new lifecycle.InstallChaincodeArgs();
  args.setChaincodeInstallPackage(bytes);
  return args.serializeBinary();
}

/**
 * Returns the arguments of `ApproveChaincodeDefinitionForMyOrg`: the definition, and the package of the
 * ledger's organization.
 */
export function approveArgs(plan: DeployPlan, sequence: number): Uint8Array {
  const args = new lifecycle.ApproveChaincodeDefinitionForMyOrgArgs();
  define(args, plan, sequence);
  const local = new lifecycle.ChaincodeSource.Local();
  local.setPackageId(plan.packageId);
  const source = new lifecycle.ChaincodeSource();
  source.setLocalPackage(local);
  args.setSource(source);
  return args.serializeBinary();
}

/** Returns the arguments of `CommitChaincodeDefinition`. */
export function commitArgs(plan: DeployPlan, sequence: number): Uint8Array {
  const args = new lifecycle.CommitChaincodeDefinitionArgs();
  define(args, plan, sequence);
  return args.serializeBinary();
}

/** Returns the arguments of `CheckCommitReadiness`. */
function readinessArgs(plan: DeployPlan, sequence: number): peer.lifecycle.CheckCommitReadinessArgs {
  const args = new lifecycle.CheckCommitReadinessArgs();
  define(args, plan, sequence);
  return args;
}

/** Returns the arguments of `QueryApprovedChaincodeDefinition`. */
export function approvedArgs(name: string, sequence: number): Uint8Array {
  const args = new lifecycle.QueryApprovedChaincodeDefinitionArgs();
  args.setName(name);
  args.setSequence(sequence);
  return args.serializeBinary();
}

/** Returns the id of the package in the answer of `QueryApprovedChaincodeDefinition`; undefined if it has none. */
export function approvedPackage(answer: Uint8Array): string | undefined {
  demandFewFields(answer, approvedDefinitionShape, fewFields);
  const found = lifecycle.QueryApprovedChaincodeDefinitionResult.deserializeBinary(answer);
  return found.getSource()?.getLocalPackage()?.getPackageId();
}

type Definition =
  | peer.lifecycle.ApproveChaincodeDefinitionForMyOrgArgs
  | peer.lifecycle.CommitChaincodeDefinitionArgs
  | peer.lifecycle.CheckCommitReadinessArgs;

function define(args: Definition, { name, version, policy }: DeployPlan, sequence: number): void {
  args.setSequence(sequence);
  args.setName(name);
  args.setVersion(version);
  // The built-in plugins; Fabric has no others unless a peer is built with them.
  args.setEndorsementPlugin('escc');
  args.setValidationPlugin('vscc');
  args.setValidationParameter(encodePolicy(policy, 'prepare'));
}

/** The progress of a definition: its sequence, and whether exactly this definition is committed. */
export interface Standing {
  sequence: number;
  committed: boolean;
}

/** @throws PeerError */
export async function standingOf(plan: DeployPlan, definitions: Definitions): Promise<Standing> {
  const now = await definitions.committed(plan.channel, plan.name);
  if (now === undefined) return { sequence: 1, committed: false };
  const same =
    now.version === plan.version &&
    !now.initRequired &&
    Buffer.compare(now.validationParameter, encodePolicy(plan.policy, 'prepare')) === 0;
  return same
    ? { sequence: now.sequence, committed: true }
    : { sequence: now.sequence + 1, committed: false };
}

/** Returns the organizations that have not approved yet. @throws PeerError */
export async function missingApprovals(
  plan: DeployPlan,
  sequence: number,
  definitions: Definitions,
): Promise<string[]> {
  const approvals = await definitions.approvals(readinessArgs(plan, sequence), plan.channel);
  return [...approvals]
    .filter(([, approved]) => !approved)
    .map(([mspId]) => mspId)
    .toSorted();
}

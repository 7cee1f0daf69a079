import { peer } from '@hyperledger/fabric-protos';
import type { Signer } from './principals.ts';
import { fulfils } from './signature-policy.ts';

/** The channel's policies that a chaincode definition may refer to. Both: a majority of the organizations' peers. */
const majorityPolicies: readonly string[] = [
  '/Channel/Application/Endorsement',
  '/Channel/Application/LifecycleEndorsement',
];

/** Whether these endorsers fulfil a policy. */
export type EndorsementPolicy = (signers: readonly Signer[]) => boolean;

/**
 * The policy that a chaincode definition carries (`ApplicationPolicy` bytes).
 * @returns undefined for what is none, or refers to a policy that the channel does not have: nothing fulfils that.
 */
export function applicationPolicy(
  bytes: Uint8Array,
  organizations: readonly string[],
): EndorsementPolicy | undefined {
  const policy = read(bytes);
  const signature = policy?.getSignaturePolicy();
  if (signature !== undefined) return (signers) => fulfils(signature, signers);
  return majorityPolicies.includes(policy?.getChannelConfigPolicyReference() ?? '')
    ? majority(organizations)
    : undefined;
}

/** More than half of the organizations, each by a peer of its own. */
export function majority(organizations: readonly string[]): EndorsementPolicy {
  return (signers) => {
    const endorsed = new Set(signers.filter(({ role }) => role === 'peer').map(({ mspId }) => mspId));
    return organizations.filter((mspId) => endorsed.has(mspId)).length > organizations.length / 2;
  };
}

function read(bytes: Uint8Array): peer.ApplicationPolicy | undefined {
  try {
    return peer.ApplicationPolicy.deserializeBinary(bytes);
  } catch {
    return undefined;
  }
}

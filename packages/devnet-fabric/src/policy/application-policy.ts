import { peer } from '@hyperledger/fabric-protos';
import type { Signer } from './principals.ts';
import { fulfils } from './signature-policy.ts';

/**
 * The channel policies that a chaincode definition may refer to. Each requires a majority of the
 * organizations' peers.
 */
const majorityPolicies: readonly string[] = [
  '/Channel/Application/Endorsement',
  '/Channel/Application/LifecycleEndorsement',
];

/** A policy. Returns whether these endorsers satisfy it. */
export type EndorsementPolicy = (signers: readonly Signer[]) => boolean;

/**
 * Decodes the policy of a chaincode definition (`ApplicationPolicy` bytes).
 * @returns undefined if it is malformed or refers to an unknown channel policy; such a policy is never
 * satisfied
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

/** Requires peers of more than half of the organizations. */
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

import type { Member } from '../identity/membership.ts';

/** A channel's policies for readers and writers, as in Fabric's sample configuration. */
export type ChannelPolicy = 'Readers' | 'Writers';

/** Whether a member satisfies the policy. Clients and administrators read and write; peers only read. */
export function may(member: Member | undefined, policy: ChannelPolicy): boolean {
  const role = member?.role;
  if (policy === 'Writers') return role === 'client' || role === 'admin';
  return role === 'client' || role === 'admin' || role === 'peer';
}

/** Returns a peer's error message for a caller without this permission. */
export function refusal(channel: string, policy: ChannelPolicy): string {
  return (
    `Failed evaluating policy on signed data during check policy on channel [${channel}] with policy ` +
    `[/Channel/Application/${policy}]: [implicit policy evaluation failed - 0 sub-policies were satisfied, but this ` +
    `policy requires 1 of the '${policy}' sub-policies to be satisfied]`
  );
}

/**
 * Returns a peer's error message for a caller who is not an administrator of the peer's organization;
 * undefined if the caller is one.
 */
export function adminRefusal(member: Member, mspId: string): string | undefined {
  const during = 'during channelless check policy with policy [Admins]';
  if (member.mspId !== mspId)
    return `Failed deserializing proposal creator ${during}: [expected MSP ID ${mspId}, received ${member.mspId}]`;
  if (member.role === 'admin') return undefined;
  const why = `The identity is not an admin under this MSP [${mspId}]: The identity does not contain OU [ADMIN], MSP: [${mspId}]`;
  return `Failed verifying that proposal's creator satisfies local MSP principal ${during}: [${why}]`;
}

import type { Member } from '../identity/membership.ts';

/** A channel's policies for those who read and those who write, as in Fabric's sample configuration. */
export type ChannelPolicy = 'Readers' | 'Writers';

/** Whether a member may: anybody reads, clients and administrators write. */
export function may(member: Member | undefined, policy: ChannelPolicy): boolean {
  const role = member?.role;
  if (policy === 'Writers') return role === 'client' || role === 'admin';
  return role === 'client' || role === 'admin' || role === 'peer';
}

/** A peer's words for somebody who may not. */
export function refusal(channel: string, policy: ChannelPolicy): string {
  return (
    `Failed evaluating policy on signed data during check policy on channel [${channel}] with policy ` +
    `[/Channel/Application/${policy}]: [implicit policy evaluation failed - 0 sub-policies were satisfied, but this ` +
    `policy requires 1 of the '${policy}' sub-policies to be satisfied]`
  );
}

/** A peer's words for one who is not an administrator of its own organization. Undefined: is one. */
export function adminRefusal(member: Member, mspId: string): string | undefined {
  const during = 'during channelless check policy with policy [Admins]';
  if (member.mspId !== mspId)
    return `Failed deserializing proposal creator ${during}: [expected MSP ID ${mspId}, received ${member.mspId}]`;
  if (member.role === 'admin') return undefined;
  const why = `The identity is not an admin under this MSP [${mspId}]: The identity does not contain OU [ADMIN], MSP: [${mspId}]`;
  return `Failed verifying that proposal's creator satisfies local MSP principal ${during}: [${why}]`;
}

import type { Auth, Principal } from '@ledger-ops/auth';

/**
 * Returns the uids of the records that the caller may read. The decisions are made concurrently, because they share
 * lookups.
 */
export async function readableAmong(
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
  uids: readonly string[],
  type: 'wallet' | 'smart-contract-instance' | 'smart-contract-template' | 'ledger' | 'project' = 'wallet',
): Promise<Set<string>> {
  const unique = [...new Set(uids)];
  const decisions = await Promise.all(unique.map((uid) => auth.decide(principal, [`${type}:read`], uid)));
  return new Set(unique.filter((_, index) => decisions[index]?.result === true));
}

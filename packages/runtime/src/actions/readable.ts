import type { Auth, Principal } from '@ledger-ops/auth';

/** Which of these wallets, contracts or projects the caller may read. Decided together, since decisions share what they look up. */
export async function readableAmong(
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
  uids: readonly string[],
  type: 'wallet' | 'smart-contract-instance' | 'project' = 'wallet',
): Promise<Set<string>> {
  const unique = [...new Set(uids)];
  const decisions = await Promise.all(unique.map((uid) => auth.decide(principal, [`${type}:read`], uid)));
  return new Set(unique.filter((_, index) => decisions[index]?.result === true));
}

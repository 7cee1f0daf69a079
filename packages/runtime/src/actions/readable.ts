import type { Auth, Principal } from '@ledger-ops/auth';

/** Which of these wallets the caller may read. Decided together, since decisions share what they look up. */
export async function readableAmong(
  auth: Auth,
  principal: Principal,
  walletUids: readonly string[],
): Promise<Set<string>> {
  const unique = [...new Set(walletUids)];
  const decisions = await Promise.all(unique.map((uid) => auth.decide(principal, ['wallet:read'], uid)));
  return new Set(unique.filter((_, index) => decisions[index]?.result === true));
}

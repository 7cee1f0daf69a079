import type { Auth, Principal } from '@ledger-ops/auth';
import { namingTheSetting, Problem } from '@ledger-ops/base';

/** Where a ledger's nodes are not opened on this server, its administrators are told which setting does it. */
export async function toldWhatOpens(
  error: unknown,
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
  ledgerUid: string,
): Promise<unknown> {
  if (!(error instanceof Problem) || error.problem !== 'address-not-opened') return error;
  const { result } = await auth.decide(principal, ['ledger:manage'], ledgerUid);
  return result ? namingTheSetting(error) : error;
}

import type { Auth, Principal } from '@ledger-ops/auth';
import { namingTheSetting, Problem } from '@ledger-ops/base';

/**
 * If this server may not connect to the ledger's nodes and the caller administers the ledger, adds the name
 * of the setting that allows it.
 */
export async function withOutboundSetting(
  error: unknown,
  auth: Pick<Auth, 'decide'>,
  principal: Principal,
  ledgerUid: string,
): Promise<unknown> {
  if (!(error instanceof Problem) || error.problem !== 'address-not-opened') return error;
  const { result } = await auth.decide(principal, ['ledger:manage'], ledgerUid);
  return result ? namingTheSetting(error) : error;
}

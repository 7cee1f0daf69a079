import type { Auth, Principal } from '@ledger-ops/auth';
import { namingTheSetting, Problem } from '@ledger-ops/base';

/**
 * If this server may not connect to the ledger's nodes, adds the name of the setting that allows it to the error, for
 * callers that administer the ledger.
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

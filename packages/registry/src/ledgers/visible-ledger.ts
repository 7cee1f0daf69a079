import { type Auth, type Principal, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { pickVisible } from '../service.ts';
import type { LedgerRecord, Registry } from '../types.ts';

export interface VisibleLedgerOptions {
  auth: Pick<Auth, 'decide'>;
  registry: Pick<Registry, 'ledgersByLedgerId'>;
}

/**
 * Finds the ledger that a request names by its id or uid: the caller's project's, otherwise the deployer's, otherwise one
 * of another project that the caller may read.
 *
 * @throws Problem `not-found`
 */
export async function visibleLedger(
  { auth, registry }: VisibleLedgerOptions,
  principal: Principal,
  ledgerId: string,
): Promise<LedgerRecord> {
  const found = await registry.ledgersByLedgerId(ledgerId);
  const rows = found.map(({ uid, id, projectUid }) => ({ uid, id, scope: projectUid ?? systemUid }));
  const picked = await pickVisible({ auth }, principal, 'ledger', rows).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.problem !== 'not-found') throw error;
  });
  const ledger = found.find(({ uid }) => uid === picked?.uid);
  if (ledger !== undefined) return ledger;
  throw new Problem('not-found', `The ledger ${ledgerId} does not exist or is not visible to you.`);
}

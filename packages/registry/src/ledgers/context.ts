import type { Principal, ResourceType, Update } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import type { ServiceContext } from '../service.ts';
import type { Technologies } from '../technologies.ts';
import type { LedgerRow } from './ledger-views.ts';
import type { LedgerContext } from './ledgers.ts';
import type { NodeProbe } from './types.ts';

/** Shared by the services for ledgers, nodes and explorers. */
export interface LedgerNodesContext extends ServiceContext, LedgerContext {
  auth: ServiceContext['auth'];
  probe: NodeProbe;
  technologies: Technologies;
  findLedger(principal: Principal, ledgerId: string): Promise<LedgerRow>;
  record(
    tx: Tx,
    principal: Principal,
    action: string,
    type: ResourceType,
    row: { uid: string; resourceId: string; scope: string; name: string },
    /** The values of the record before and after an update. */
    update?: Update,
  ): Promise<void>;
}

/**
 * Finds the ledger named in a request body.
 * @throws Problem `not-found` with the pointer
 */
export async function namedLedger(
  context: Pick<LedgerNodesContext, 'findLedger'>,
  principal: Principal,
  ledgerId: string,
  pointer: string,
): Promise<LedgerRow> {
  return await context.findLedger(principal, ledgerId).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.problem !== 'not-found') throw error;
    const detail = `the ledger ${ledgerId} does not exist or is not visible to you`;
    throw new Problem('not-found', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
  });
}

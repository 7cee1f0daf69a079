import { nextId, type Tx } from '@ledger-ops/store';

/** Name of the counter that every change to a ledger or node increases. */
export const ledgerCounter = 'registry';

/** Name of the counter that every change to an explorer increases. */
export const explorerCounter = 'explorers';

/**
 * Call this in every change to a ledger or node. Locks the counter, so that such changes wait for each other.
 * Returns the new revision.
 */
export async function bumpRevision(tx: Tx): Promise<number> {
  return await nextId(tx, ledgerCounter);
}

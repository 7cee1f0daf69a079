import { nextId, type Store, type Tx } from '@ledger-ops/store';

/** Name of the counter that every change to a ledger or node increases. */
export const ledgerCounter = 'registry';

/** Name of the counter that every change to an explorer increases. */
export const explorerCounter = 'explorers';

/**
 * Must be called in every change to a ledger or node. Locks the counter, so that such changes wait for each other.
 * Returns the new revision.
 */
export async function bumpRevision(tx: Tx): Promise<number> {
  return await nextId(tx, ledgerCounter);
}

/** Value of a counter after the last commit; 0 before the first. */
export async function readCounter(store: Store, name: string): Promise<number> {
  const [row] = await store.read.all<{ value: number }>('select value from counter where name = $1', [name]);
  return row?.value ?? 0;
}

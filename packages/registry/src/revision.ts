import { nextId, type Store, type Tx } from '@ledger-ops/store';

/** Name of the counter that grows with every change to a ledger or node. */
export const ledgerCounter = 'registry';

/** Name of the counter that grows with every change to an explorer. */
export const explorerCounter = 'explorers';

/** To be called in every change to a ledger or node; answers the new revision. Such changes wait for each other. */
export async function bumpRevision(tx: Tx): Promise<number> {
  return await nextId(tx, ledgerCounter);
}

/** A counter as of the last commit; 0 before the first. */
export async function readCounter(store: Store, name: string): Promise<number> {
  const [row] = await store.read.all<{ value: number }>('select value from counter where name = $1', [name]);
  return row?.value ?? 0;
}

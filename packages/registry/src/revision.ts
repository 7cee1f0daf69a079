import { nextId, type Store, type Tx } from '@ledger-ops/store';

/** To be called in every change to a ledger or node; answers the new revision. Such changes wait for each other. */
export async function bumpRevision(tx: Tx): Promise<number> {
  return await nextId(tx, 'registry');
}

/** The revision of the last committed change; 0 before the first. */
export async function readRevision(store: Store): Promise<number> {
  const [row] = await store.read.all<{ value: number }>("select value from counter where name = 'registry'");
  return row?.value ?? 0;
}

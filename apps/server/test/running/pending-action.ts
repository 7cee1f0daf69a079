import type { Store } from '@ledger-ops/store';

/** Inserts an action that waits to be signed, on a chain that no server follows. */
export async function addPending(store: Store, id: string): Promise<void> {
  const values = {
    ...{ id, project_id: 'p', app_id: 'a', caller: 'c', wallet_uid: 'w', wallet_id: 'w', ledger_uid: 'l' },
    ...{ ledger_id: 'l', chain: 'x/y', shard: 0, address: '0x', intent: 'i' },
    ...{ status: 'PENDING', stage: 'ready', operation: '{}', plan: '{}', cost: '0', blockers: 0 },
    ...{ min_height: 0, deadline: 4e12, created_at: 1, updated_at: 1 },
  };
  await store.transaction((tx) => tx.insertMany('action', Object.keys(values), [Object.values(values)]));
}

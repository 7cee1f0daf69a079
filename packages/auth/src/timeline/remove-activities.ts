import type { Store } from '@ledger-ops/store';

/** Number of activities checked per transaction. */
const lookedAt = 500;

/**
 * Removes a bounded number of the oldest activities that were registered before an instant. The newest
 * activity with a position in the stream stays, because readers continue after it. `more`: whether there may
 * be others to remove.
 */
export async function removeActivities(
  store: Store,
  before: number,
): Promise<{ removed: number; more: boolean }> {
  return store.transaction(async (tx) => {
    const oldest = await tx.all<{ uid: string; seq: number | null; registered_at: number }>(
      `SELECT uid, seq, registered_at FROM timeline ORDER BY uid LIMIT ${lookedAt}`,
    );
    const [newest] = await tx.all<{ seq: number }>(
      'SELECT seq FROM timeline WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1',
    );
    const old = oldest.filter(
      ({ seq, registered_at }) => registered_at < before && seq !== (newest?.seq ?? -1),
    );
    if (old.length === 0) return { removed: 0, more: false };
    const uids = JSON.stringify(old.map(({ uid }) => uid));
    const list =
      tx.dialect === 'postgres'
        ? 'SELECT jsonb_array_elements_text($1::jsonb)'
        : 'SELECT value FROM json_each($1)';
    const removed = await tx.run(`DELETE FROM timeline WHERE uid IN (${list})`, [uids]);
    return { removed, more: old.length >= lookedAt - 1 };
  });
}

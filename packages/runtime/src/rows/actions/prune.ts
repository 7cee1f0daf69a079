import type { Store } from '@ledger-ops/store';

/** Signed bytes are kept this long after their action's end, in case the chain loses history. */
export const keepBytes = 3_600_000;
/** Milliseconds for which the answer to an Idempotency-Key is kept. */
const keepAnswers = 86_400_000;

/** Forgets what is kept for a time, by the database's clock: one server whose own is wrong would forget for all. */
export async function prune(store: Store): Promise<void> {
  const now = await store.now();
  await store.transaction((tx) =>
    tx.run(
      'UPDATE attempt SET bytes = NULL WHERE bytes IS NOT NULL AND settled_at IS NOT NULL AND settled_at < $1',
      [now - keepBytes],
    ),
  );
  await store.transaction((tx) =>
    tx.run('DELETE FROM idempotency WHERE created_at < $1', [now - keepAnswers]),
  );
}

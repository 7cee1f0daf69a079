import { removeResponses } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { releaseForgotten } from '../attempts/claims.ts';

/** Milliseconds for which signed bytes are kept after their action finished, in case a reorg removes it. */
export const keepBytes = 3_600_000;
/** Milliseconds for which the response to an Idempotency-Key is kept. */
const keepAnswers = 86_400_000;

/**
 * Deletes data whose retention time passed, by the database's clock: a server with a wrong clock would
 * otherwise delete data of all servers.
 */
export async function prune(store: Store): Promise<void> {
  const now = await store.now();
  await store.transaction(async (tx) => {
    await tx.run(
      'UPDATE attempt SET bytes = NULL WHERE bytes IS NOT NULL AND settled_at IS NOT NULL AND settled_at < $1',
      [now - keepBytes],
    );
    await releaseForgotten(tx);
  });
  await store.transaction((tx) => removeResponses(tx, now - keepAnswers));
}

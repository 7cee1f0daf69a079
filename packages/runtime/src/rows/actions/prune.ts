import { removeResponses } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { releaseForgotten } from '../attempts/claims.ts';

/**
 * Time in milliseconds for which the signed bytes of a finished action are kept. If a reorg removes the transaction,
 * these bytes are resent.
 */
export const keepBytes = 3_600_000;
/** Time in milliseconds for which the response to an Idempotency-Key is kept. */
const keepAnswers = 86_400_000;

/**
 * Deletes data whose retention time has passed. Uses the database's clock, because a server with a wrong clock would
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

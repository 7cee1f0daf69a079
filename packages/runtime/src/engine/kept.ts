/**
 * Of an action's transactions the one that is sent again. What has failed without one on the ledger is not: another
 * transaction took its nonce, or its chain was given up, and nothing of it may be executed any more. What only fills a
 * sequence is, whatever became of the action that waited above it.
 */
export const kept = `attempt.bytes IS NOT NULL AND attempt.note IS NULL
        AND CASE WHEN attempt.kind = 'filler' THEN TRUE WHEN action.status <> 'PENDING' THEN attempt.tx_id = action.locator
          WHEN attempt.sequence IS NULL THEN attempt.settled_at IS NULL ELSE attempt.n = 0 END`;

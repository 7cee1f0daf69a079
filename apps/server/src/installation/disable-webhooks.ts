import type { Tx } from '@ledger-ops/store';

/**
 * Disables all webhooks of a copied database and gives up their pending deliveries, because their receivers belong
 * to the original. Returns the number of webhooks that were enabled.
 */
export async function disableWebhooksIn(tx: Tx, now: number): Promise<number> {
  await tx.run("UPDATE webhook_delivery SET status = 'DEAD', body = '' WHERE status = 'PENDING'");
  return tx.run(
    "UPDATE webhook SET status = 'DISABLED', reason = $1, updated_at = $2 WHERE status = 'ENABLED'",
    [
      'The database was copied, and the original still uses this webhook. Enable it if the copy needs it too.',
      now,
    ],
  );
}

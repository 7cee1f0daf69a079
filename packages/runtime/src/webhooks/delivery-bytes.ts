import { changeUsage, forgetUsage, readUsage, recordUsage } from '@ledger-ops/auth';
import type { Queries, Tx } from '@ledger-ops/store';
import { organizationOf } from '../rows/project-name.ts';

const limit = 'delivery-bytes';

/** Whether the organization of a project has reached its limit on bytes of pending deliveries. */
export async function isOrganizationFull(read: Queries, projectUid: string): Promise<boolean> {
  const organization = await organizationOf(read, projectUid);
  const { used, most } = await readUsage(read, { scope: organization, organization }, limit);
  return used >= most;
}

/**
 * Adds `by` to the stored delivery bytes of the project's organization. `by` is negative if the transaction erases
 * bodies.
 */
export async function changeDeliveryBytes(tx: Tx, projectUid: string, by: number): Promise<void> {
  if (by === 0) return;
  const organization = await organizationOf(tx, projectUid);
  if ((await changeUsage(tx, organization, limit, by)) === undefined && by > 0)
    await recordUsage(tx, organization, limit, by);
}

/**
 * Counts the bytes of stored bodies again, because some changes are not counted when they happen: pending deliveries
 * may be replayed, and webhooks and projects may be disabled or deleted.
 */
export async function recountDeliveryBytes(tx: Tx): Promise<void> {
  // The counts are locked, so that the sums below include what other transactions add or erase.
  const counts = await tx.all<{ scope: string; amount: number }>(
    'UPDATE storage_usage SET amount = amount WHERE name = $1 RETURNING scope, amount',
    [limit],
  );
  if (counts.length === 0) return;
  const stored = await tx.all<{ scope: string; bytes: number }>(
    `SELECT COALESCE(project.organization_uid, webhook.project_id) AS scope, SUM(OCTET_LENGTH(body)) AS bytes
      FROM webhook_delivery JOIN webhook ON webhook.uid = webhook_uid
        LEFT JOIN project ON project.uid = webhook.project_id
      WHERE webhook_delivery.status = 'PENDING'
      GROUP BY COALESCE(project.organization_uid, webhook.project_id)`,
  );
  const sums = new Map(stored.map(({ scope, bytes }) => [scope, Number(bytes)]));
  for (const { scope, amount } of counts) {
    const bytes = sums.get(scope) ?? 0;
    if (bytes === 0) await forgetUsage(tx, scope, limit);
    else await changeUsage(tx, scope, limit, bytes - Number(amount));
  }
}

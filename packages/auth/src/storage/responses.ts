import type { Queries, Tx } from '@ledger-ops/store';
import { addUsage, changeUsage } from './usage.ts';

const name = 'response-bytes';

/**
 * Counts the bytes of a response that a transaction stored with an Idempotency-Key. Records can be deleted
 * immediately, but their responses stay for a day.
 *
 * @throws Problem `storage-limit`
 */
export async function addResponse(tx: Tx, organization: string, bytes: number): Promise<void> {
  await addUsage(tx, { scope: organization, organization }, name, bytes, () =>
    countResponses(tx, organization),
  );
}

/** Deletes the responses from before a time, and subtracts their bytes. */
export async function removeResponses(tx: Tx, before: number): Promise<void> {
  const counted = await tx.all<{ organization: string; bytes: number }>(
    `DELETE FROM idempotency WHERE created_at < $1 AND organization_uid IS NOT NULL
      RETURNING organization_uid AS organization, bytes`,
    [before],
  );
  await tx.run('DELETE FROM idempotency WHERE created_at < $1', [before]);
  const groups = Map.groupBy(counted, ({ organization }) => organization);
  // In a fixed order, so that two servers do not deadlock.
  for (const [organization, own] of [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const sum = own.reduce((total, { bytes }) => total + Number(bytes), 0);
    await changeUsage(tx, organization, name, -sum);
  }
}

async function countResponses(queries: Queries, organization: string): Promise<number> {
  const [row] = await queries.all<{ bytes: number }>(
    'SELECT COALESCE(SUM(bytes), 0) AS bytes FROM idempotency WHERE organization_uid = $1',
    [organization],
  );
  return Number(row?.bytes ?? 0);
}

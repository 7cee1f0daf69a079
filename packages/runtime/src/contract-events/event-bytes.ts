import { addUsage, changeUsage, demandRoom, forgetUsage, type StorageScope } from '@ledger-ops/auth';
import type { Queries, Tx } from '@ledger-ops/store';

/** Names of the limits on stored bytes of contract events, from the narrowest scope to the widest. */
type EventLimit = 'subscription-event-bytes' | 'project-event-bytes' | 'event-bytes';

/** Adds bytes of events to the counts of a subscription. @throws Problem `storage-limit` */
export async function addEventBytes(
  tx: Tx,
  subscription: string,
  project: string,
  bytes: number,
): Promise<void> {
  for (const [name, scope] of await scopesOf(tx, subscription, project)) {
    // Events stored before bytes were counted are not included. They expire within days.
    await addUsage(tx, scope, name, bytes, async () => bytes);
  }
}

/** @throws Problem `storage-limit` if the subscription cannot store another event of this many bytes */
export async function demandEventBytes(
  read: Queries,
  subscription: string,
  project: string,
  bytes: number,
): Promise<void> {
  for (const [name, scope] of await scopesOf(read, subscription, project))
    await demandRoom(read, scope, name, bytes);
}

/** Subtracts the bytes of removed events from the counts of a subscription. */
export async function removeEventBytes(
  tx: Tx,
  removed: readonly { subscription: string; project: string | null; bytes: number }[],
): Promise<void> {
  const sums = new Map<string, { subscription: string; project: string; bytes: number }>();
  for (const { subscription, project, bytes } of removed) {
    if (project === null) continue;
    const before = sums.get(subscription)?.bytes ?? 0;
    sums.set(subscription, { subscription, project, bytes: before + Number(bytes) });
  }
  for (const { subscription, project, bytes } of sums.values()) {
    for (const [name, { scope }] of await scopesOf(tx, subscription, project)) {
      const left = await changeUsage(tx, scope, name, -bytes);
      // The subscription may have been deleted in the meantime.
      if (left === 0) await forgetUsage(tx, scope, name);
    }
  }
}

async function scopesOf(
  queries: Queries,
  subscription: string,
  project: string,
): Promise<[EventLimit, StorageScope][]> {
  const [row] = await queries.all<{ organization: string }>(
    'SELECT organization_uid AS organization FROM project WHERE uid = $1',
    [project],
  );
  const organization = row?.organization ?? project;
  return [
    ['subscription-event-bytes', { scope: subscription, organization }],
    ['project-event-bytes', { scope: project, organization }],
    ['event-bytes', { scope: organization, organization }],
  ];
}

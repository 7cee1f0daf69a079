import {
  type Activity,
  recordActivity,
  removeActivities,
  serviceItself,
  systemId,
  systemUid,
} from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import { type RemovalPlace, removeEnded } from './rows/actions/remove-ended.ts';
import { pruneSummaries } from './rows/actions/summaries.ts';

/** Retention times in days. Data without a retention time is kept forever. */
export interface Retention {
  /** Retention time of finished actions, counted from their last update. */
  readonly actionDays?: number;
  readonly timelineDays?: number;
}

const day = 86_400_000;

/**
 * Removes finished actions and timeline records whose retention time has passed by the database's clock, in many short
 * transactions. Also removes summaries that charts no longer show. Adds a timeline record with the numbers of removed
 * actions and records. Stops early if `isStopped` returns true.
 */
export async function removeOld(
  store: Store,
  { actionDays, timelineDays }: Retention,
  isStopped: () => boolean,
): Promise<void> {
  const now = await store.now();
  await pruneSummaries(store, now, isStopped);
  if (actionDays !== undefined) {
    const before = now - actionDays * day;
    let removed = 0;
    let place: RemovalPlace | null = null;
    do {
      const part: Awaited<ReturnType<typeof removeEnded>> = await removeEnded(store, before, place);
      removed += part.removed;
      place = part.next;
    } while (place !== null && !isStopped());
    await record(store, `${removed} actions`, removed, before, now);
  }
  if (timelineDays !== undefined) {
    const before = now - timelineDays * day;
    let removed = 0;
    for (let more = true; more && !isStopped(); ) {
      const part = await removeActivities(store, before);
      removed += part.removed;
      more = part.more;
    }
    await record(store, `${removed} activities`, removed, before, now);
  }
}

async function record(
  store: Store,
  what: string,
  removed: number,
  before: number,
  now: number,
): Promise<void> {
  if (removed === 0) return;
  const activity: Activity = {
    ...{ action: 'remove', service: 'ledger-operations', scope: systemUid },
    ...{ resourceUid: systemUid, resourceId: systemId, resourceType: 'system' },
    targetObject: `${what} from before ${new Date(before).toISOString()}`,
  };
  await store.transaction((tx) => recordActivity(tx, serviceItself, activity, now));
}

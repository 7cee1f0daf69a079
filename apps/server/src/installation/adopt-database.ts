import { adoptDatabase, openAlone, readIdentity, StoreError } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import { isNewInstallation, neverStarted } from '../lost-database.ts';
import type { ServerConfig } from '../settings/config.ts';
import { disableWebhooksIn } from './disable-webhooks.ts';
import { endPendingIn } from './end-pending-actions.ts';
import { identitySource } from './examine.ts';
import { readHeartbeat } from './heartbeat-file.ts';

/** The option of `ledger-ops adopt` that the administrator chose. */
export type Decision = 'moved' | 'copy' | 'restored';

/** Origin of the database's content, for the messages of failed actions. */
const sources = { copy: 'a copy', restored: 'a backup' } as const;

/**
 * Milliseconds after which a transaction that is missing in the database is either in a block or expired. Applies
 * only to ledgers whose transactions expire.
 */
const inFlight = 90_000;

export interface Adopted {
  /** Number of pending actions. */
  readonly pending: number;
  /** Number of webhooks that were disabled. */
  readonly webhooks: number;
  /** Name of the database, for messages. */
  readonly where: string;
}

/**
 * Records the decision, so that servers accept changes on this database again.
 * @throws StoreError if the database cannot be used, or no server has ever started on it
 */
export async function adoptAs(decision: Decision, config: ServerConfig): Promise<Adopted> {
  const store = await openAlone(databasePlace(config));
  try {
    const { where } = store;
    if (await isNewInstallation(store.read)) throw new StoreError('misuse', neverStarted(where));
    const identity = await readIdentity(store.read, identitySource(config));
    const seen = await readHeartbeat(config.dataDir);
    const now = await store.now();
    // If the database may have been restored to an earlier state, this time is in the future, so that the
    // next start does not treat the database as current.
    const ahead = decision === 'moved' ? 0 : inFlight;
    const heartbeat = Math.max(now + ahead, (seen?.heartbeat ?? 0) + 1);
    return await store.transaction(async (tx) => {
      const isCopy = decision === 'copy';
      await adoptDatabase(tx, { identity, isCopy, heartbeat });
      const webhooks = isCopy ? await disableWebhooksIn(tx, now) : 0;
      if (decision !== 'moved')
        return { pending: await endPendingIn(tx, sources[decision]), webhooks, where };
      const [row] = await tx.all<{ n: number }>("SELECT count(*) AS n FROM action WHERE status = 'PENDING'");
      return { pending: row?.n ?? 0, webhooks, where };
    });
  } finally {
    await store.close();
  }
}

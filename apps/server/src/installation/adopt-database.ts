import { adoptDatabase, openAlone, readIdentity, StoreError } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import { isNewInstallation, neverStarted } from '../lost-database.ts';
import type { ServerConfig } from '../settings/config.ts';
import { endPendingIn } from './end-pending-actions.ts';
import { identitySource } from './examine.ts';
import { readHeartbeat } from './heartbeat-file.ts';

/** What a person decided about a database. */
export type Decision = 'moved' | 'copy' | 'restored';

/** Where the content of the database came from, for the reasons of ended actions. */
const sources = { copy: 'a copy', restored: 'a backup' } as const;

/**
 * Records that the database is the one to use. Returns the number of pending actions, and the database.
 * @throws StoreError, also if no server has ever started on the database
 */
export async function adoptAs(
  decision: Decision,
  config: ServerConfig,
): Promise<{ pending: number; where: string }> {
  const store = await openAlone(databasePlace(config));
  try {
    const { where } = store;
    if (await isNewInstallation(store.read)) throw new StoreError('misuse', neverStarted(where));
    const identity = await readIdentity(store.read, identitySource(config));
    const seen = await readHeartbeat(config.dataDir);
    const heartbeat = Math.max(await store.now(), (seen?.heartbeat ?? 0) + 1);
    const pending = await store.transaction(async (tx) => {
      await adoptDatabase(tx, { identity, isCopy: decision === 'copy', heartbeat });
      if (decision !== 'moved') return await endPendingIn(tx, sources[decision]);
      const [row] = await tx.all<{ n: number }>("SELECT count(*) AS n FROM action WHERE status = 'PENDING'");
      return row?.n ?? 0;
    });
    return { pending, where };
  } finally {
    await store.close();
  }
}

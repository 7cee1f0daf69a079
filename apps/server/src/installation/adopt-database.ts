import { adoptDatabase, openAlone, readIdentity, readSchema, StoreError } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import type { ServerConfig } from '../settings/config.ts';
import { endPendingIn } from './end-pending-actions.ts';
import { identitySource } from './examine.ts';
import { readHeartbeat } from './heartbeat-file.ts';

/** What a person decided about a database. */
export type Decision = 'moved' | 'copy' | 'restored';

/** Where the content of the database came from, for the reasons of ended actions. */
const sources = { copy: 'a copy', restored: 'a backup' } as const;

/**
 * Records that the database is the one to use. Returns the number of pending actions.
 * @throws StoreError
 */
export async function adoptAs(decision: Decision, config: ServerConfig): Promise<number> {
  const place = databasePlace(config);
  // Opening a missing database would create it.
  if ((await readSchema(place)).applied.length === 0) {
    const name = config.databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL';
    throw new StoreError('misuse', `There is no installation in this database. Correct ${name}.`);
  }
  const store = await openAlone(place);
  try {
    const identity = await readIdentity(store.read, identitySource(config));
    const seen = await readHeartbeat(config.dataDir);
    const heartbeat = Math.max(await store.now(), (seen?.heartbeat ?? 0) + 1);
    return await store.transaction(async (tx) => {
      await adoptDatabase(tx, { identity, isCopy: decision === 'copy', heartbeat });
      if (decision !== 'moved') return await endPendingIn(tx, sources[decision]);
      const [row] = await tx.all<{ n: number }>("SELECT count(*) AS n FROM action WHERE status = 'PENDING'");
      return row?.n ?? 0;
    });
  } finally {
    await store.close();
  }
}

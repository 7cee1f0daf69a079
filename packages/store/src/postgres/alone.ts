import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { StoreError } from '../errors.ts';
import type { Target } from './connection.ts';

/** Milliseconds to wait until connections of a server that was just killed are closed. */
export const defaultPatience = 5_000;

/**
 * Waits until no server is connected: PostgreSQL keeps a connection for a while after its client was killed.
 * @throws StoreError `misuse` if a server is still connected
 */
export async function waitUntilAlone(client: pg.Client, { where }: Target, patience: number): Promise<void> {
  const until = performance.now() + patience;
  for (;;) {
    const { rowCount: others } = await client.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = 'ledger-ops' and pid <> pg_backend_pid()",
    );
    if (others === 0) return;
    if (performance.now() > until) {
      const killed =
        'PostgreSQL may take a while to notice that a server was killed or its machine is down; in that case, try again later.';
      throw new StoreError('misuse', `Servers are connected to ${where}. Stop them first. ${killed}`);
    }
    await delay(100);
  }
}

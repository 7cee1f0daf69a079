import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { StoreError } from '../errors.ts';
import type { Target } from './connection.ts';

/** Milliseconds for which connections of a server that was just killed may still be there. */
export const defaultPatience = 5_000;

/** PostgreSQL keeps a connection for a while after its program was killed. @throws StoreError `misuse` */
export async function waitUntilAlone(client: pg.Client, { where }: Target, patience: number): Promise<void> {
  const until = performance.now() + patience;
  for (;;) {
    const { rowCount: others } = await client.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = 'ledger-ops' and pid <> pg_backend_pid()",
    );
    if (others === 0) return;
    if (performance.now() > until) {
      const killed =
        'If one was killed, or its machine is gone, PostgreSQL notices later: run it again then.';
      throw new StoreError('misuse', `Servers are connected to ${where}: stop them first. ${killed}`);
    }
    await delay(100);
  }
}

import pg from 'pg';
import { vi } from 'vitest';
import { lockHolders } from '../postgres/admission.ts';

/**
 * A PostgreSQL table that is locked against writes, but not against reads. A writer waits in the middle of its
 * transaction.
 */
export interface HeldTable {
  /** Resolves when a writer is waiting. */
  awaited(): Promise<void>;
  /** Allows the waiting transaction to complete, and locks the table again before the next one. */
  releaseOne(): Promise<void>;
  /**
   * Ends the connections that hold the server's advisory lock, then unlocks the table. Otherwise, PostgreSQL would
   * still execute the waiting statement of a client that was killed.
   */
  release(): Promise<void>;
}

const waiting =
  'select pid from pg_locks where relation = $1::regclass and not granted and database = (select oid from pg_database where datname = current_database())';

/** Locks a table, so that a test can kill a program when it writes to the table. */
export async function holdTable(url: string, table: string): Promise<HeldTable> {
  let holder = await open(url);
  /** Waits until a query returns `count` rows. */
  const answers = (count: number, sql: string, values: string[] = []) =>
    vi.waitFor(
      async () => {
        const { rowCount } = await holder.query(sql, values);
        if (rowCount !== count) throw new Error(`expected ${count} rows, got ${rowCount}: ${sql}`);
      },
      { timeout: 60_000, interval: 20 },
    );
  const lock = (client: pg.Client) =>
    client.query(`begin; lock table "${table}" in share row exclusive mode`);
  await lock(holder);
  return {
    awaited: () => answers(1, waiting, [table]),
    async releaseOne() {
      const next = await open(url);
      // PostgreSQL grants locks in the order of requests, so the waiting writer gets its lock first.
      const locked = lock(next);
      await answers(2, waiting, [table]);
      await holder.end();
      await locked;
      holder = next;
    },
    async release() {
      await holder.query(`select pg_terminate_backend(pid) from (${lockHolders}) as one`);
      await answers(0, waiting, [table]);
      await holder.query('rollback');
      // In a transaction, pg_stat_activity would return its first result again.
      await answers(0, lockHolders);
      await holder.end();
    },
  };
}

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A broken connection makes the next statement fail, so this error can be ignored.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

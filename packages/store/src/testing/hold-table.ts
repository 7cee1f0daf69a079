import pg from 'pg';
import { vi } from 'vitest';

/** A table of PostgreSQL that can be read, and not written to: whoever writes waits, in the middle of its transaction. */
export interface HeldTable {
  /** Resolves when somebody waits to write to it. */
  awaited(): Promise<void>;
  /** Lets the transaction that waits come to its end, and holds the table again before the next. */
  letOne(): Promise<void>;
  /** Ends what this software has connected, since PostgreSQL would run the statement of a client that was killed meanwhile. */
  release(): Promise<void>;
}

const waiting =
  'select pid from pg_locks where relation = $1::regclass and not granted and database = (select oid from pg_database where datname = current_database())';
const connected =
  "select pid from pg_stat_activity where datname = current_database() and application_name = 'ledger-ops'";

/** Holds a table, so that a program can be killed exactly there. */
export async function holdTable(url: string, table: string): Promise<HeldTable> {
  let holder = await open(url);
  /** Waits until a statement answers so many rows. */
  const answers = (count: number, sql: string, values: string[] = []) =>
    vi.waitFor(
      async () => {
        const { rowCount } = await holder.query(sql, values);
        if (rowCount !== count) throw new Error(`${rowCount} rows for ${count}: ${sql}`);
      },
      { timeout: 60_000, interval: 20 },
    );
  const lock = (client: pg.Client) =>
    client.query(`begin; lock table "${table}" in share row exclusive mode`);
  await lock(holder);
  return {
    awaited: () => answers(1, waiting, [table]),
    async letOne() {
      const next = await open(url);
      // Locks are given in the order of asking: first to who waits already.
      const locked = lock(next);
      await answers(2, waiting, [table]);
      await holder.end();
      await locked;
      holder = next;
    },
    async release() {
      await holder.query(`select pg_terminate_backend(pid) from (${connected}) as one`);
      await answers(0, waiting, [table]);
      await holder.query('rollback');
      // Within a transaction it would be answered as it was first.
      await answers(0, connected);
      await holder.end();
    },
  };
}

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A connection that breaks fails the next statement.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

import { readdirSync, readFileSync } from 'node:fs';
import { openStore, type Store } from '@ledger-ops/store';

export interface DatabaseUsage {
  /** Processor time of all processes of the cluster, in seconds. */
  readonly seconds: number;
  /** Bytes of write-ahead log. */
  readonly walBytes: number;
  /** Rows inserted, updated and deleted. */
  readonly rows: number;
}

/** Reads the processor time that a PostgreSQL cluster on this machine has used, and the amount of data it has written. */
export class DatabaseMeter {
  readonly #store: Store;
  /** Process id of the cluster's first process, the parent of all others. */
  readonly #postmaster: number;

  private constructor(store: Store, postmaster: number) {
    this.#store = store;
    this.#postmaster = postmaster;
  }

  static async open(url: string): Promise<DatabaseMeter> {
    const store = await openStore({ url });
    const [session] = await store.read.all<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return new DatabaseMeter(store, statOf(session?.pid ?? 0)?.parent ?? 0);
  }

  async read(): Promise<DatabaseUsage> {
    const [usage] = await this.#store.read.all<{ wal: string; changed: string }>(
      `SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, tup_inserted + tup_updated + tup_deleted AS changed
        FROM pg_stat_database WHERE datname = current_database()`,
    );
    const processes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), stat: statOf(Number(name)) }));
    const seconds = processes
      .filter(({ pid, stat }) => pid === this.#postmaster || stat?.parent === this.#postmaster)
      .reduce((sum, { stat }) => sum + (stat?.seconds ?? 0), 0);
    return { seconds, walBytes: Number(usage?.wal), rows: Number(usage?.changed) };
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** Undefined if the process has exited. Linux counts times in hundredths of a second. */
function statOf(pid: number): { parent: number; seconds: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields after the name: the parent is the 2nd; user and system time are the 12th and 13th, those of children that
    // have exited the 14th and 15th.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const hundredths = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return { parent: Number(fields[1]), seconds: hundredths / 100 };
  } catch {
    return undefined;
  }
}

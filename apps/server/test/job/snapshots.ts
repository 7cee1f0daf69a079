import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copySqlite } from '@ledger-ops/store';
import type { RecoverablePostgres } from '@ledger-ops/store/testing';
import { databaseFile } from '../../src/database-place.ts';

/** Takes snapshots of a database, and restores them. */
export interface Snapshots {
  /** Replaces the last snapshot. The server may be running. */
  take(): Promise<void>;
  /** Restores the last snapshot. The server must be stopped. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

/** Copies a SQLite database as `backup` does. To restore it, puts the copy in its place. */
export function sqliteSnapshots(folder: string): Snapshots {
  const kept = mkdtempSync(join(tmpdir(), 'ledger-ops-snapshot-'));
  const [file, copy] = [join(folder, databaseFile), join(kept, databaseFile)];
  return {
    async take() {
      rmSync(copy, { force: true });
      await copySqlite(file, copy);
    },
    async restore() {
      for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
      copyFileSync(copy, file);
    },
    remove: async () => rmSync(kept, { recursive: true, force: true }),
  };
}

/** Recovers a PostgreSQL database from a base backup, to the time of the snapshot. */
export function recoverySnapshots(postgres: RecoverablePostgres): Snapshots {
  /** Maximum number of snapshots that use the same base backup. */
  const most = 10;
  let taken = 0;
  let time = '';
  return {
    async take() {
      if (taken % most === 0) await postgres.backUp();
      taken += 1;
      time = await postgres.now();
    },
    restore: () => postgres.recoverTo(time),
    remove: async () => {},
  };
}

/** Restores a dump into another database, which the next start uses. */
export function dumpSnapshots(postgres: RecoverablePostgres): Snapshots {
  return {
    take: () => postgres.dump(),
    restore: () => postgres.restoreDump(),
    remove: async () => {},
  };
}

/** Removes the heartbeat file. Nothing else outside of the database shows that the database was restored. */
export function loseHeartbeat(folder: string): void {
  rmSync(join(folder, 'heartbeat.json'), { force: true });
}

import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@ledger-ops/store';

/** Sets a database back. Both calls need a stopped server. */
export interface Snapshots {
  take(): Promise<void>;
  /** Sets the database back to the last snapshot, in place. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

const heartbeat = 'heartbeat.json';

/**
 * Copies the files of a SQLite database and the heartbeat to another folder and back, as restoring a volume snapshot does. So
 * only the ledger shows what happened in between.
 */
export function sqliteSnapshots(folder: string): Snapshots {
  const kept = mkdtempSync(join(tmpdir(), 'ledger-ops-snapshot-'));
  const filesIn = (place: string) =>
    readdirSync(place).filter(
      (name) => name === heartbeat || (name.startsWith('ledger-ops.sqlite') && !name.endsWith('.lock')),
    );
  const copy = (from: string, to: string) => {
    for (const name of filesIn(from)) copyFileSync(join(from, name), join(to, name));
    for (const name of filesIn(to)) if (!filesIn(from).includes(name)) rmSync(join(to, name));
  };
  return {
    take: async () => copy(folder, kept),
    restore: async () => copy(kept, folder),
    remove: async () => rmSync(kept, { recursive: true, force: true }),
  };
}

/**
 * Copies all rows of a PostgreSQL database to another schema and back, as loading a dump into the same database does. The
 * server's data folder is lost, so that only the ledger shows what happened in between.
 */
export async function postgresSnapshots(databaseUrl: string, folder: string): Promise<Snapshots> {
  const store = await openStore({ url: databaseUrl, maxConnections: 1 });
  const run = (statements: readonly string[]) =>
    store.transaction(async (tx) => {
      for (const statement of statements) await tx.run(statement, []);
    });
  const tables = await store.read.all<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migration' ORDER BY tablename",
  );
  const names = tables.map(({ name }) => `"${name}"`);
  return {
    take: () =>
      run([
        'DROP SCHEMA IF EXISTS kept CASCADE',
        'CREATE SCHEMA kept',
        ...names.map((name) => `CREATE TABLE kept.${name} AS TABLE public.${name}`),
      ]),
    async restore() {
      rmSync(join(folder, heartbeat), { force: true });
      await run([
        `TRUNCATE ${names.map((name) => `public.${name}`).join(', ')}`,
        ...names.map((name) => `INSERT INTO public.${name} SELECT * FROM kept.${name}`),
      ]);
    },
    remove: () => store.close(),
  };
}

import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import { silentLogger } from '../logger.ts';
import type { OpenStoreOptions } from '../open-store.ts';
import { openPostgresStore } from '../postgres/store.ts';
import type { Store } from '../types.ts';
import { openPostgres } from './open-postgres.ts';
import { createSqlite, openSqlite, removeSqlite, temporarySqlite } from './open-sqlite.ts';
import type { PostgresCluster } from './postgres-cluster.ts';

/**
 * Opens a store: on a fresh, empty database, or with options on the one they name. It is closed by itself
 * after the test that opened it; opened in `beforeAll`, after the suite.
 */
export type OpenTestStore = (options?: OpenStoreOptions) => Promise<Store>;

/** Needed by some suites besides `open`. */
export interface TestStores {
  readonly dialect: 'sqlite' | 'postgres';
  /** A fresh database that several stores, or processes, open; `bare`: without even the schema. */
  locate(options?: { readonly bare?: boolean }): Promise<OpenStoreOptions>;
}

/** Work that waits for one of few connections on a busy machine is late, and nothing else. */
const patient = { connect: 120_000 };

/** One per test file, opened by the first suite that needs it. */
let cluster: Promise<PostgresCluster> | undefined;

/** The PostgreSQL of this test file; `describeStores` closes it after the file. */
async function postgres(): Promise<PostgresCluster> {
  cluster ??= openPostgres();
  return await cluster;
}

async function stopPostgres(): Promise<void> {
  const running = cluster;
  cluster = undefined;
  await (await running)?.stop();
}

/** Runs a suite of tests on both dialects: SQLite in a temporary file, PostgreSQL in a database of its own. */
export function describeStores(name: string, define: (open: OpenTestStore, more: TestStores) => void): void {
  // Registered with the file (or the suite around), so it runs after all that is described in it.
  afterAll(stopPostgres);
  for (const dialect of ['sqlite', 'postgres'] as const) {
    describe(`${name} (${dialect})`, () => {
      const suite: Opened = { stores: [], files: [], urls: [] };
      const test: Opened = { stores: [], files: [], urls: [] };
      let current = suite;
      beforeEach(() => {
        current = test;
      });
      afterEach(async () => {
        current = suite;
        await closeAll(test);
      });
      afterAll(() => closeAll(suite));

      const locate: TestStores['locate'] = async (options) => {
        if (dialect === 'postgres') {
          const url = await (await postgres()).createDatabase(options);
          if (!options?.bare) current.urls.push(url);
          return { url };
        }
        const file = temporarySqlite();
        current.files.push(file);
        if (!options?.bare) await createSqlite(file);
        return { file };
      };
      const open: OpenTestStore = async (options) => {
        const { stores } = current;
        const place = options ?? (await locate());
        const { file, url = '', logger = silentLogger, ...more } = place;
        const store =
          file === undefined
            ? await openPostgresStore({ maxConnections: 4, timing: patient, ...more, url, logger })
            : await openSqlite(file);
        stores.push(store);
        return store;
      };
      define(open, { dialect, locate });
    });
  }
}

interface Opened {
  readonly stores: Store[];
  readonly files: string[];
  readonly urls: string[];
}

async function closeAll({ stores, files, urls }: Opened): Promise<void> {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  for (const url of urls.splice(0)) (await postgres()).giveBack(url);
  for (const file of files.splice(0)) await removeSqlite(file);
}

import { afterAll, afterEach, beforeEach, describe, inject } from 'vitest';
import { silentLogger } from '../logger.ts';
import type { OpenStoreOptions } from '../open-store.ts';
import { openPostgresStore } from '../postgres/store.ts';
import type { Store } from '../types.ts';
import { openPostgres } from './open-postgres.ts';
import { createSqlite, openSqlite, removeSqlite, temporarySqlite } from './open-sqlite.ts';
import type { PostgresCluster } from './postgres-cluster.ts';

/**
 * Opens a store on the database that the options name or, without options, on a new, empty one. The store is closed
 * automatically after the test or, if it was opened in `beforeAll`, after the suite.
 */
export type OpenTestStore = (options?: OpenStoreOptions) => Promise<Store>;

declare module 'vitest' {
  interface ProvidedContext {
    /** Database for suites that run on only one. Default: `sqlite`. */
    storeDialect?: 'sqlite' | 'postgres';
    /** Skips PostgreSQL, for runs without a database server. */
    onlySqlite?: true;
  }
}

/** Functions for suites that need more than `open`. */
export interface TestStores {
  readonly dialect: 'sqlite' | 'postgres';
  /** Creates a database that several stores or processes can open. With `bare`, it has no schema. */
  locate(options?: { readonly bare?: boolean }): Promise<OpenStoreOptions>;
}

/** The timeouts are longer, because work on a busy machine may wait long for a connection. */
const patient = { connect: 120_000 };

/** One cluster per test file, started by the first suite that needs it. */
let cluster: Promise<PostgresCluster> | undefined;

/** Returns the PostgreSQL of this test file. `describeStores` closes it after the file. */
async function postgres(): Promise<PostgresCluster> {
  cluster ??= openPostgres();
  return await cluster;
}

async function stopPostgres(): Promise<void> {
  const running = cluster;
  cluster = undefined;
  await (await running)?.stop();
}

type DefineSuite = (open: OpenTestStore, more: TestStores) => void;

/**
 * Runs a suite on SQLite or, in `npm run test:faults`, on PostgreSQL. It is for suites whose statements are also
 * covered by other suites, which run on both.
 */
export function describeStores(name: string, define: DefineSuite): void {
  describeOn([inject('storeDialect') ?? 'sqlite'], name, define);
}

/**
 * Runs a suite on both dialects in every run, on SQLite with a temporary file, and on PostgreSQL with its own database.
 * It is for suites about statements, locks or processes, in which the dialects differ.
 */
export function describeDialects(name: string, define: DefineSuite): void {
  describeOn(inject('onlySqlite') ? ['sqlite'] : ['sqlite', 'postgres'], name, define);
}

/**
 * Runs a suite on PostgreSQL in every run. It is for suites with several servers on one database, which SQLite does not
 * allow.
 */
export function describePostgres(name: string, define: DefineSuite): void {
  describeOn(['postgres'], name, define);
}

function describeOn(dialects: readonly TestStores['dialect'][], name: string, define: DefineSuite): void {
  // This is registered on the file or the enclosing suite, so it runs after everything that is described there.
  afterAll(stopPostgres);
  for (const dialect of dialects) {
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
  for (const url of urls.splice(0)) (await postgres()).reuseDatabase(url);
  for (const file of files.splice(0)) await removeSqlite(file);
}

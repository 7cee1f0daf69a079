import { PgDialect } from 'drizzle-orm/pg-core';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import { checkNotification, createListeners } from '../listeners.ts';
import type { StoreLogger } from '../logger.ts';
import { measured, type StoreMeter } from '../meter.ts';
import { buildCatalogue } from '../schema/catalogue.ts';
import { postgresDialect } from '../schema/dialect.ts';
import { buildTables } from '../schema/index.ts';
import { createScopeTracker } from '../scope.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import type { Store } from '../types.ts';
import { createStatementNames, parseTarget, type Statement } from './connection.ts';
import { fromPostgresError } from './errors.ts';
import { migratePostgres } from './migrate.ts';
import { createNotifications } from './notifications.ts';
import { createQueries, type QueryContext } from './queries.ts';
import { runTransaction } from './transactions.ts';

/** Options of a PostgreSQL store. */
export interface PostgresStoreOptions {
  readonly url: string;
  /** Of the software. */
  readonly version?: string | undefined;
  readonly logger: StoreLogger;
  readonly meter?: StoreMeter | undefined;
  /** Connections at most, besides the one that listens. */
  readonly maxConnections?: number | undefined;
  /** Times other than the usual ones. */
  readonly timing?: Partial<Timing>;
}

/** Connects to a PostgreSQL database and migrates it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { logger, meter } = options;
  const timing = { ...defaultTiming, ...options.timing };
  const target = parseTarget(options.url, timing);
  await migratePostgres(target, { version: options.version });

  const pool = new pg.Pool({ ...target.config, max: options.maxConnections ?? 16 });
  // Whoever uses a connection that breaks hears of it from the statement; an idle one is replaced.
  pool.on('error', (error) => {
    logger.warn({ error: fromPostgresError(error, 'none').message }, 'an idle connection broke');
  });
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  const context: QueryContext = {
    tables: buildTables(postgresDialect),
    catalogue: buildCatalogue(),
    nameOf: createStatementNames(),
    dialect: new PgDialect(),
    meter,
  };
  const tracker = createScopeTracker();
  const listeners = createListeners(logger);
  const notifications = createNotifications(pool, target, listeners, logger, timing);
  let ended = 0;
  try {
    await notifications.start();
  } catch (error) {
    await notifications.close();
    await pool.end();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const refuseClosed = () => {
    if (closing !== undefined) throw new StoreError('misuse', 'The store is closed.');
  };
  const run = async (statement: Statement) => {
    refuseClosed();
    try {
      return await pool.query(statement);
    } catch (error) {
      throw fromPostgresError(error, statement.text);
    }
  };

  return {
    dialect: 'postgres',
    read: createQueries((statement) => measured(meter, 'read', () => run(statement)), context),
    async transaction(work) {
      refuseClosed();
      tracker.refuseNested();
      try {
        return await measured(meter, 'transaction', () =>
          runTransaction(pool, context, tracker, logger, timing, work),
        );
      } finally {
        ended += 1;
      }
    },
    ended: () => ended,
    async now() {
      const { rows } = await run({
        text: 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now',
        values: [],
        name: 'now',
      });
      return rows[0].now;
    },
    notify(topic, payload = '') {
      checkNotification(topic, payload);
      listeners.emit(topic, payload);
      notifications.send(topic, payload);
    },
    listen: listeners.add,
    close() {
      closing ??= notifications.close().then(() => pool.end());
      return closing;
    },
  };
}

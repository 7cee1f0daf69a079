import { PgDialect } from 'drizzle-orm/pg-core';
import { Counters } from '../counters.ts';
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
import { Connections } from './connections.ts';
import { warnOfLosses } from './durability.ts';
import { migratePostgres } from './migrate.ts';
import { createNotifications } from './notifications.ts';
import { createQueries, type QueryContext } from './queries.ts';
import { runTransaction } from './transactions.ts';

export interface PostgresStoreOptions {
  readonly url: string;
  /** Schema of the installation. Default: the first schema of the role's search path. */
  readonly schema?: string | undefined;
  /** Whether to open the database only if no server has it open, and to prevent servers from opening it. */
  readonly isAlone?: boolean | undefined;
  /** Version of Ledger Operations. */
  readonly version?: string | undefined;
  /** Reads the URL again after PostgreSQL refused its role or password; undefined if the URL never changes. */
  readonly readUrl?: (() => Promise<string>) | undefined;
  readonly logger: StoreLogger;
  readonly meter?: StoreMeter | undefined;
  /** Maximum number of connections, not counting the one that listens for notifications. */
  readonly maxConnections?: number | undefined;
  /** Values that replace those of `defaultTiming`. */
  readonly timing?: Partial<Timing>;
}

/**
 * SQL for whether commits wait for a standby. The mode `off` counts as `on`, because each transaction raises it to
 * `on`.
 */
const commitMode = `select current_setting('synchronous_standby_names') <> ''
  and current_setting('synchronous_commit') <> 'local' as synchronous`;

/** Connects to a PostgreSQL database and migrates it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { logger, meter, url, readUrl } = options;
  const timing = { ...defaultTiming, ...options.timing };
  const admission = options.isAlone === true ? 'alone' : 'server';
  const { schema } = await migratePostgres(parseTarget(options, timing), {
    version: options.version,
    admission,
  });
  // From here on, changing the role's search path has no effect.
  const target = parseTarget({ url, readUrl, schema, logger }, timing);

  const connections = new Connections(target, admission, options.maxConnections ?? 16, logger);
  const context: QueryContext = {
    tables: buildTables(postgresDialect),
    catalogue: buildCatalogue(),
    nameOf: createStatementNames(),
    dialect: new PgDialect(),
    meter,
  };
  const tracker = createScopeTracker();
  const listeners = createListeners(logger);
  const notifications = createNotifications(connections, target, listeners, logger, timing);
  let ended = 0;
  try {
    if (admission === 'server') await notifications.start();
    await warnOfLosses(connections, logger);
  } catch (error) {
    await notifications.close();
    await connections.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const refuseClosed = () => {
    if (closing !== undefined) throw new StoreError('misuse', 'The store is closed.');
  };
  const run = async (statement: Statement) => {
    refuseClosed();
    return await connections.query(statement);
  };
  const read = createQueries((statement) => measured(meter, 'read', () => run(statement)), context);
  const counters = new Counters(read, () => ended);

  return {
    dialect: 'postgres',
    where: target.where,
    read,
    async transaction(work) {
      refuseClosed();
      tracker.refuseNested();
      try {
        return await measured(meter, 'transaction', () =>
          runTransaction(connections, context, tracker, logger, timing, work),
        );
      } finally {
        ended += 1;
      }
    },
    ended: () => ended,
    counter: (name) => counters.value(name),
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
      if (admission === 'server') notifications.send(topic, payload);
    },
    listen: listeners.add,
    replication: {
      async read() {
        const { rows } = await run({ text: commitMode, values: [], name: 'commit_mode' });
        return { timeline: target.hosts.timeline, isSynchronous: rows[0].synchronous };
      },
      onPromotion(check) {
        connections.onPromotion((client) => {
          const only = { query: client.query.bind(client), release: () => undefined };
          return runTransaction({ take: async () => only }, context, tracker, logger, timing, check);
        });
      },
    },
    close() {
      closing ??= notifications.close().then(() => connections.close());
      return closing;
    },
  };
}

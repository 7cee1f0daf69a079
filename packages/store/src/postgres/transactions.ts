import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '@ledger-ops/base/backoff';
import type pg from 'pg';
import { StoreError } from '../errors.ts';
import type { StoreLogger } from '../logger.ts';
import { measured } from '../meter.ts';
import { createScope, type Scope, type ScopeTracker, strayAwait } from '../scope.ts';
import type { Timing } from '../timing.ts';
import type { Tx } from '../types.ts';
import type { Statement } from './connection.ts';
import { breaksConnection, failedBefore, fromPostgresError } from './errors.ts';
import { createQueries, type QueryContext } from './queries.ts';

type Client = Pick<pg.PoolClient, 'query' | 'release'> & { readonly connection?: pg.Connection };

/** Source of the connections on which transactions run. */
interface Source {
  take(): Promise<Client>;
  /** Called with each failure of a statement. */
  observe?(error: StoreError): void;
}

/**
 * Runs work in a READ COMMITTED transaction, and retries it a few times after a serialization failure or
 * deadlock.
 */
export async function runTransaction<T>(
  connections: Source,
  context: QueryContext,
  tracker: ScopeTracker,
  logger: StoreLogger,
  timing: Timing,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const scope = createScope();
    try {
      const value = await attemptOnce(connections, context, tracker, timing, scope, work);
      scope.committed(logger);
      return value;
    } catch (error) {
      const conflict = [error, scope.failure].some((e) => e instanceof StoreError && e.code === 'conflict');
      if (!conflict || attempt >= timing.transactionRetries) throw error;
    }
    await delay(Math.random() * backoff(attempt + 1, timing.transactionAgain));
  }
}

async function attemptOnce<T>(
  connections: Source,
  context: QueryContext,
  tracker: ScopeTracker,
  timing: Timing,
  scope: Scope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await connections.take();
  let unusable = false;
  const execute = async (statement: Statement) => {
    holdWrites(client);
    try {
      return await client.query(statement);
    } catch (error) {
      const mapped = fromPostgresError(error, statement.text);
      unusable ||= breaksConnection(mapped);
      connections.observe?.(mapped);
      throw mapped;
    }
  };
  try {
    await execute({ text: 'BEGIN ISOLATION LEVEL READ COMMITTED', values: [] });
    const value = await runWork(execute, context, tracker, timing, scope, work);
    try {
      await execute({ text: 'COMMIT', values: [] });
    } catch (error) {
      throw unusable ? unknownOutcome() : error;
    }
    return value;
  } catch (error) {
    scope.end();
    // A statement of work that was given up may still be running, so the connection cannot be used again.
    unusable ||= error instanceof StoreError && error.code === 'misuse';
    if (!unusable) {
      await execute({ text: 'ROLLBACK', values: [] }).catch(() => {
        unusable = true;
      });
    }
    throw error;
  } finally {
    client.release(unusable);
  }
}

/**
 * Holds statements back until the end of this turn of the event loop, so that all of them are written to the socket
 * together.
 */
function holdWrites({ connection }: Client): void {
  const stream = connection?.stream;
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

function runWork<T>(
  execute: (statement: Statement) => Promise<pg.QueryResult>,
  context: QueryContext,
  tracker: ScopeTracker,
  timing: Timing,
  scope: Scope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const running = new Set<Promise<unknown>>();
    const watch = setTimeout(() => {
      // If a statement is running, the server's statement timeout limits its duration.
      if (running.size === 0) reject(strayAwait(timing.strayAwait, scope));
    }, timing.strayAwait);
    // PostgreSQL runs statements one at a time, in the order of their calls, and none after a failed one.
    const runOne = async (statement: Statement) => {
      scope.check();
      scope.lastStatement = statement.text;
      try {
        return await measured(context.meter, 'write', () => execute(statement));
      } catch (error) {
        const failure = scope.fail(fromPostgresError(error, statement.text));
        throw failure.native === failedBefore ? (scope.failure ?? failure) : failure;
      }
    };
    const run = (statement: Statement) => {
      const result = runOne(statement);
      const ended = () => {
        running.delete(result);
        if (scope.open) watch.refresh();
      };
      running.add(result);
      result.then(ended, ended);
      return result;
    };
    const tx: Tx = Object.assign(createQueries(run, context), { afterCommit: scope.afterCommit });
    tracker
      .run(scope, async () => await work(tx))
      .then(async (value) => {
        // Statements that the work did not await are still part of the transaction, as on SQLite.
        await Promise.allSettled(running);
        scope.end();
        if (scope.failure !== undefined) throw scope.failure;
        resolve(value);
      })
      .catch(reject)
      .finally(() => clearTimeout(watch));
  });
}

function unknownOutcome(): StoreError {
  return new StoreError(
    'unavailable',
    'The connection to PostgreSQL broke during COMMIT, so it is unknown whether the transaction was committed. Check the data before you repeat it.',
  );
}

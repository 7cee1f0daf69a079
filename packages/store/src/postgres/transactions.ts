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
import { breaksConnection, fromPostgresError } from './errors.ts';
import { createQueries, type QueryContext } from './queries.ts';

/** Where transactions take their connections from. */
interface Source {
  take(): Promise<Pick<pg.PoolClient, 'query' | 'release'>>;
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
    // Abandoned work may still have a statement running, so its connection is not reused.
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

function runWork<T>(
  execute: (statement: Statement) => Promise<pg.QueryResult>,
  context: QueryContext,
  tracker: ScopeTracker,
  timing: Timing,
  scope: Scope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let underWay = 0;
    let last: Promise<unknown> = Promise.resolve();
    const watch = setTimeout(() => {
      // Long-running statements are limited by the server's statement timeout instead.
      if (underWay === 0) reject(strayAwait(timing.strayAwait, scope));
    }, timing.strayAwait);
    // Statements run one at a time, in the order they were issued.
    const run = (statement: Statement) => {
      underWay += 1;
      const result = last.then(async () => {
        scope.check();
        scope.lastStatement = statement.text;
        try {
          return await measured(context.meter, 'write', () => execute(statement));
        } catch (error) {
          throw scope.fail(fromPostgresError(error, statement.text));
        }
      });
      last = result
        .catch(() => undefined)
        .finally(() => {
          underWay -= 1;
          if (scope.open) watch.refresh();
        });
      return result;
    };
    const tx: Tx = Object.assign(createQueries(run, context), { afterCommit: scope.afterCommit });
    tracker
      .run(scope, async () => await work(tx))
      .then(async (value) => {
        // Statements that the work did not await are still part of the transaction, as on SQLite.
        await last;
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

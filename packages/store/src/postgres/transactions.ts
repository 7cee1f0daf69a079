import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '@ledger-ops/backoff';
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

/** Runs work in a real transaction, READ COMMITTED; on a serialization failure or deadlock again, some times. */
export async function runTransaction<T>(
  pool: pg.Pool,
  context: QueryContext,
  tracker: ScopeTracker,
  logger: StoreLogger,
  timing: Timing,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    const scope = createScope();
    try {
      const value = await attemptOnce(pool, context, tracker, timing, scope, work);
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
  pool: pg.Pool,
  context: QueryContext,
  tracker: ScopeTracker,
  timing: Timing,
  scope: Scope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await connect(pool);
  let unusable = false;
  const execute = async (statement: Statement) => {
    try {
      return await client.query(statement);
    } catch (error) {
      const mapped = fromPostgresError(error, statement.text);
      unusable ||= breaksConnection(mapped);
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
    // A work that was given up on may still have a statement under way: such a connection is not used again.
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
      // A statement that takes long is the server's to end.
      if (underWay === 0) reject(strayAwait(timing.strayAwait, scope));
    }, timing.strayAwait);
    // One at a time, in the order in which they were asked for.
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
        // Statements that were not awaited belong to the transaction all the same, as on SQLite.
        await last;
        scope.end();
        if (scope.failure !== undefined) throw scope.failure;
        resolve(value);
      })
      .catch(reject)
      .finally(() => clearTimeout(watch));
  });
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw fromPostgresError(error, 'connect');
  }
}

function unknownOutcome(): StoreError {
  return new StoreError(
    'unavailable',
    'The connection to PostgreSQL broke during COMMIT: whether it took place is not known; read before repeating.',
  );
}

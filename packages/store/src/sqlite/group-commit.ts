import { setImmediate } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { StoreError } from '../errors.ts';
import type { StoreLogger } from '../logger.ts';
import type { StoreMeter } from '../meter.ts';
import type { Catalogue } from '../schema/catalogue.ts';
import type { Tables } from '../schema/index.ts';
import { createScope, type Scope, type ScopeTracker, strayAwait } from '../scope.ts';
import type { Timing } from '../timing.ts';
import type { Tx } from '../types.ts';
import { fromSqliteError } from './errors.ts';
import { createQueries } from './queries.ts';
import { createStatements } from './statements.ts';

/** Transactions on SQLite's single writer. */
export interface GroupCommit {
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Number of commits so far. */
  ended(): number;
  /** Rejects new transactions. Resolves when every queued one is committed or rejected. */
  close(): Promise<void>;
}

/** Limits of one shared commit, so that it does not block the event loop for long. */
export interface GroupCommitOptions {
  /** Maximum number of callers that share a commit. */
  readonly maxCallers: number;
  readonly timing: Pick<Timing, 'commit' | 'strayAwait'>;
  readonly meter?: StoreMeter | undefined;
}

interface Job {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Result of one caller's work before the commit. */
type Outcome =
  | { readonly job: Job; readonly scope: Scope; readonly ok: true; readonly value: unknown }
  | { readonly job: Job; readonly scope: Scope; readonly ok: false; readonly error: unknown };

/**
 * Runs the transactions of several callers in one transaction of SQLite. Callers queue, and one BEGIN IMMEDIATE …
 * COMMIT runs the work of all of them, each in a savepoint that can be rolled back separately. Results, even failures,
 * are returned only after the commit, because an uncommitted row of another caller may have caused a failure. If the
 * commit fails, all callers are rejected.
 */
export function createGroupCommit(
  writer: Database.Database,
  tables: Tables,
  catalogue: Catalogue,
  tracker: ScopeTracker,
  logger: StoreLogger,
  options: GroupCommitOptions,
): GroupCommit {
  const statements = createStatements(writer);
  const { meter } = options;
  const took =
    meter && ((milliseconds: number, isDone: boolean) => meter.took('write', milliseconds, isDone));
  const begin = writer.prepare('BEGIN IMMEDIATE');
  const savepoint = writer.prepare('SAVEPOINT caller');
  const release = writer.prepare('RELEASE caller');
  const rollbackTo = writer.prepare('ROLLBACK TO caller');
  const commit = writer.prepare('COMMIT');
  const rollback = writer.prepare('ROLLBACK');

  let waiting: Job[] = [];
  let pump: Promise<void> | undefined;
  let closed = false;
  let ended = 0;

  /** Settles like the work, or rejects if the work awaits something other than the database for too long. */
  const runWork = (job: Job, scope: Scope) =>
    new Promise<unknown>((resolve, reject) => {
      const tx: Tx = Object.assign(createQueries(statements, tables, catalogue, scope, took), {
        afterCommit: scope.afterCommit,
      });
      // Calls to SQLite complete in microtasks. So if this timer fires, the work awaits something other than the
      // database.
      const watch = setTimeout(
        () => reject(strayAwait(options.timing.strayAwait, scope)),
        options.timing.strayAwait,
      );
      tracker
        .run(scope, async () => await job.work(tx))
        .then(resolve, reject)
        .finally(() => clearTimeout(watch));
    });

  const runJob = async (job: Job): Promise<Outcome> => {
    const scope = createScope();
    savepoint.run();
    try {
      const value = await runWork(job, scope);
      scope.end();
      if (scope.failure !== undefined) throw scope.failure;
      release.run();
      return { job, scope, ok: true, value };
    } catch (error) {
      scope.end();
      if (writer.inTransaction) {
        rollbackTo.run();
        release.run();
      }
      return { job, scope, ok: false, error };
    }
  };

  const runBatch = async (queue: Job[]): Promise<number> => {
    const outcomes: Outcome[] = [];
    let taken = 0;
    try {
      begin.run();
      const started = performance.now();
      for (let job = queue[taken]; job !== undefined; job = queue[taken]) {
        taken += 1;
        outcomes.push(await runJob(job));
        // If the disk is full or fails, SQLite has already rolled back the whole transaction.
        if (!writer.inTransaction) throw lostTransaction(outcomes.at(-1));
        if (taken >= options.maxCallers || performance.now() - started >= options.timing.commit) break;
      }
      commit.run();
      ended += 1;
    } catch (error) {
      if (writer.inTransaction) rollback.run();
      const mapped = fromSqliteError(error, 'COMMIT', catalogue);
      // If BEGIN failed, every queued caller is rejected, because BEGIN would fail for all of them.
      const failed = taken === 0 ? queue.length : taken;
      for (const job of queue.slice(0, failed)) job.reject(mapped);
      return failed;
    }
    for (const outcome of outcomes) {
      if (outcome.ok) {
        outcome.scope.committed(logger);
        outcome.job.resolve(outcome.value);
      } else outcome.job.reject(outcome.error);
    }
    return taken;
  };

  const run = async () => {
    while (waiting.length > 0) {
      // Callers that are ready can join the commit, and I/O can run between commits.
      await setImmediate();
      const taken = await runBatch(waiting);
      waiting = waiting.slice(taken);
    }
    pump = undefined;
  };

  return {
    transaction: async <T>(work: (tx: Tx) => Promise<T>) => {
      if (closed) throw new StoreError('misuse', 'The store is closed.');
      tracker.refuseNested();
      return await new Promise<T>((resolve, reject) => {
        // The job resolves with the result of its own work, which is of type T.
        waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
        pump ??= run();
      });
    },
    ended: () => ended,
    close: async () => {
      closed = true;
      await pump;
    },
  };
}

function lostTransaction(last: Outcome | undefined): StoreError {
  const reason =
    last !== undefined && !last.ok && last.error instanceof Error ? last.error.message : 'unknown';
  return new StoreError('unavailable', `SQLite rolled back a shared commit: ${reason}`);
}

import type { Log } from '@ledger-ops/runtime';
import { type Store, StoreError } from '@ledger-ops/store';
import { databaseCause } from './database-cause.ts';

/**
 * Whether the database accepts writes, judging by this server's most recent writes. Reads do not show this:
 * they still work on a full disk or a read-only database server.
 *
 * Keeps the cause of the last failed write, and the causes that were logged, until `recovered` is called.
 */
export class WriteHealth {
  readonly #log: Log;
  #cause: string | undefined;
  readonly #logged = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Undefined if the last writes succeeded. */
  get cause(): string | undefined {
    return this.#cause;
  }

  /** Returns the store, with its transactions observed. */
  observe(store: Store): Store {
    return {
      ...store,
      transaction: async (work) => {
        try {
          return await store.transaction(work);
        } catch (error) {
          if (error instanceof StoreError && error.code === 'unavailable') this.#failed(error);
          throw error;
        }
      },
    };
  }

  /** Call this after a write that certainly changed something. Other transactions may have only read. */
  recovered(): void {
    if (this.#cause !== undefined) this.#log('info', 'database.writes-again');
    this.#cause = undefined;
    this.#logged.clear();
  }

  /** Logs each cause once, although the causes of one outage may alternate. */
  #failed(error: StoreError): void {
    const cause = databaseCause(error);
    this.#cause = cause;
    if (this.#logged.has(cause)) return;
    this.#logged.add(cause);
    this.#log('error', 'database.write-failed', { reason: cause, error: error.message });
  }
}

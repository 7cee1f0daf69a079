import type Database from 'better-sqlite3';
import type { StoreLogger } from '../logger.ts';

/**
 * Copies the write-ahead log into the database file soon after the last commit, so that a backup of only this file is
 * almost current. Under load, SQLite does this by itself when the log reaches the size of `wal_autocheckpoint`.
 *
 * Each commit starts the timer again. Without commits, there is no timer.
 */
export class IdleCheckpoint {
  readonly #writer: Database.Database;
  readonly #delayMs: number;
  readonly #logger: StoreLogger;
  #timer: NodeJS.Timeout | undefined;

  constructor(writer: Database.Database, delayMs: number, logger: StoreLogger) {
    this.#writer = writer;
    this.#delayMs = delayMs;
    this.#logger = logger;
  }

  /** Must be called after each commit. */
  committed(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => this.#run(), this.#delayMs);
    this.#timer.unref();
  }

  /** Prevents further checkpoints. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #run(): void {
    this.#timer = undefined;
    // When the running transaction commits, the timer is started again.
    if (this.#writer.inTransaction) return;
    try {
      this.#writer.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.#logger.warn({ error: reason }, 'the write-ahead log could not be copied into the database');
    }
  }
}

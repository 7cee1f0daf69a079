import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';

/** Number of wrong passwords that a caller may use before the first delay. */
const freeFailures = 10;
/** Time in milliseconds after a caller's last failure at which its failures are forgotten. */
const forgetAfterMs = 600_000;
const firstDelayMs = 15_000;
const maxDelayMs = 900_000;
/**
 * Limit of wrong passwords per wallet, from all callers that have not used the right password recently: `atOnce` in a
 * burst, and one more every `each` milliseconds. After its free failures, a single caller is limited to four per hour,
 * so it cannot exhaust this limit.
 */
const perWallet = { atOnce: 30, each: 300_000 };
/**
 * Time in milliseconds after the right password during which a caller's failures do not count toward the wallet's
 * limit.
 */
const knownForMs = 30 * 86_400_000;
/**
 * Time in milliseconds after a counted right password during which the cache may be used. The next use after that is
 * counted again, which starts a new period.
 */
const cacheForMs = 86_400_000;
/** Time in milliseconds for which this server trusts a row that it read. */
const trustRowForMs = 1_000;
/** Maximum number of cached pairs of caller and wallet. When it is reached, the cache is cleared. */
const capacity = 50_000;
const sweepIntervalMs = 600_000;

/** A password check. It counts as wrong until the password is known to be right. Call exactly one of the methods. */
export interface Attempt {
  /** Clears the failures and marks the caller as known. */
  right(): Promise<void>;
  /** Leaves the failure counted. */
  wrong(): void;
  /** Removes a check that did not take place from the count. */
  notMade(): Promise<void>;
}

/**
 * A trust check in progress, which later callers share. `isOvertaken` is set if a password attempt began during the
 * check.
 */
interface Check {
  isOvertaken: boolean;
  readonly outcome: Promise<boolean>;
}

type Row = { points: number; blocked_until: number; right_at: number | null };

/**
 * Counts wrong passwords per caller and wallet, and per wallet, across all servers. The counts are in the database. In
 * memory, by caller and wallet, are the time when a caller was last found to be trusted (`#trusted`), the number of
 * this server's attempts in progress (`#underWay`), and its trust checks in progress (`#checks`).
 */
export class Throttle {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #trusted = new Map<string, number>();
  readonly #underWay = new Map<string, number>();
  readonly #checks = new Map<string, Check>();
  #sweptAt: number;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#sweptAt = now();
  }

  /** Marks the creator of a wallet as known, because it knows the password. */
  async markKnown(tx: Tx, caller: string, walletUid: string): Promise<void> {
    const at = this.#now();
    await tx.run(
      `INSERT INTO wallet_throttle (key, points, blocked_until, right_at, expires_at)
        VALUES ($1, 0, $2, $2, $3) ON CONFLICT (key) DO NOTHING`,
      [keyOf(caller, walletUid), at, at + knownForMs],
    );
  }

  /**
   * Whether the cache may be used for the caller without counting. Requires that the caller used the right password in
   * the last day, that no wrong password followed, and that no password check is running. Otherwise, the cache would
   * let anyone test passwords without a limit.
   */
  async isTrusted(caller: string, walletUid: string): Promise<boolean> {
    const key = keyOf(caller, walletUid);
    if ((this.#trusted.get(key) ?? Number.NEGATIVE_INFINITY) + trustRowForMs > this.#now()) return true;
    const running = this.#checks.get(key);
    if (running !== undefined) return await running.outcome;
    const check: Check = { isOvertaken: false, outcome: this.#check(key, () => check.isOvertaken) };
    this.#checks.set(key, check);
    return await check.outcome.finally(() => {
      if (this.#checks.get(key) === check) this.#checks.delete(key);
    });
  }

  async #check(key: string, isOvertaken: () => boolean): Promise<boolean> {
    const [row] = await this.#store.read.all<Row>(
      'SELECT points, blocked_until, right_at FROM wallet_throttle WHERE key = $1',
      [key],
    );
    const at = this.#now();
    const isClean = row?.right_at != null && row.right_at + cacheForMs > at && failuresOf(row, at) === 0;
    // The row may lack an attempt that started while it was read.
    if (!isClean || this.#underWay.has(key) || isOvertaken()) return false;
    if (this.#trusted.size >= capacity) this.#trusted.clear();
    this.#trusted.set(key, at);
    return true;
  }

  /**
   * Counts an attempt as failed before it is made, so that concurrent attempts cannot exceed the limit.
   * @throws Problem `too-many-requests` while the caller must wait
   */
  async begin(caller: string, walletUid: string): Promise<Attempt> {
    const key = keyOf(caller, walletUid);
    const check = this.#checks.get(key);
    if (check !== undefined) check.isOvertaken = true;
    this.#checks.delete(key);
    this.#trusted.delete(key);
    this.#underWay.set(key, (this.#underWay.get(key) ?? 0) + 1);
    const { isKnown } = await this.#count(caller, walletUid).catch((error: unknown) => {
      this.#end(key);
      throw error;
    });
    return {
      right: () => this.#finish(key, walletUid, isKnown, clearFailures),
      wrong: () => this.#end(key),
      notMade: () => this.#finish(key, walletUid, isKnown, takeBack),
    };
  }

  /** Removes an attempt from the count. */
  async #finish(
    key: string,
    walletUid: string,
    isKnown: boolean,
    update: (tx: Tx, key: string, at: number) => Promise<unknown>,
  ): Promise<void> {
    try {
      await this.#store.transaction(async (tx) => {
        await update(tx, key, this.#now());
        if (!isKnown) await takeBackFromWallet(tx, walletUid);
      });
    } finally {
      this.#end(key);
    }
  }

  #end(key: string): void {
    const left = (this.#underWay.get(key) ?? 1) - 1;
    if (left > 0) this.#underWay.set(key, left);
    else this.#underWay.delete(key);
  }

  async #sweep(tx: Tx, at: number): Promise<void> {
    if (at - this.#sweptAt < sweepIntervalMs) return;
    this.#sweptAt = at;
    await tx.run('DELETE FROM wallet_throttle WHERE expires_at <= $1', [at]);
  }

  async #count(caller: string, walletUid: string): Promise<{ isKnown: boolean }> {
    const key = keyOf(caller, walletUid);
    return await this.#store.transaction(async (tx) => {
      const at = this.#now();
      await this.#sweep(tx, at);
      const row = await hold(tx, key, at);
      const isKnown = row.right_at !== null && row.right_at + knownForMs > at;
      // The caller's own limit is checked first, so that blocked callers do not consume the wallet's limit.
      await countForCaller(tx, key, row, at);
      if (!isKnown) await countForWallet(tx, walletUid, at);
      return { isKnown };
    });
  }
}

/** Returns the row of a key, locked until the transaction ends. */
async function hold(tx: Tx, key: string, at: number): Promise<Row> {
  await tx.run(
    `INSERT INTO wallet_throttle (key, points, blocked_until, right_at, expires_at)
      VALUES ($1, 0, $2, NULL, $2) ON CONFLICT (key) DO NOTHING`,
    [key, at],
  );
  const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
  const [row] = await tx.all<Row>(
    `SELECT points, blocked_until, right_at FROM wallet_throttle WHERE key = $1${lock}`,
    [key],
  );
  return row ?? { points: 0, blocked_until: at, right_at: null };
}

async function countForCaller(tx: Tx, key: string, row: Row, at: number): Promise<void> {
  const before = failuresOf(row, at);
  if (before >= freeFailures && row.blocked_until > at) {
    throw blocked(`The wallet password was wrong ${before} times`, row.blocked_until - at);
  }
  const until = at + delayAfter(before + 1);
  const expires = Math.max(until + forgetAfterMs, row.right_at === null ? 0 : row.right_at + knownForMs);
  await tx.run('UPDATE wallet_throttle SET points = $2, blocked_until = $3, expires_at = $4 WHERE key = $1', [
    ...[key, before + 1, until, expires],
  ]);
}

/**
 * Counts a failure for a wallet. The count decreases evenly over time; the row stores when it reaches zero.
 */
async function countForWallet(tx: Tx, walletUid: string, at: number): Promise<void> {
  const row = await hold(tx, walletUid, at);
  const until = Math.max(row.blocked_until, at) + perWallet.each;
  const wait = until - at - perWallet.atOnce * perWallet.each;
  if (wait > 0) {
    throw blocked('Several callers entered wrong passwords for this wallet too often', wait);
  }
  await tx.run('UPDATE wallet_throttle SET blocked_until = $2, expires_at = $2 WHERE key = $1', [
    ...[walletUid, until],
  ]);
}

async function takeBackFromWallet(tx: Tx, walletUid: string): Promise<void> {
  await tx.run('UPDATE wallet_throttle SET blocked_until = blocked_until - $2 WHERE key = $1', [
    ...[walletUid, perWallet.each],
  ]);
}

/** Clears a caller's failures and marks the caller as known. */
function clearFailures(tx: Tx, key: string, at: number): Promise<unknown> {
  return tx.run(
    'UPDATE wallet_throttle SET points = 0, blocked_until = $2, right_at = $2, expires_at = $3 WHERE key = $1',
    [key, at, at + knownForMs],
  );
}

/** Removes an attempt that did not take place from the count. */
function takeBack(tx: Tx, key: string, at: number): Promise<unknown> {
  return tx.run(
    'UPDATE wallet_throttle SET points = points - 1, blocked_until = $2 WHERE key = $1 AND points > 0',
    [key, at],
  );
}

/** Returns a caller's failures that have not expired. */
function failuresOf({ points, blocked_until }: Row, at: number): number {
  return blocked_until + forgetAfterMs <= at ? 0 : points;
}

function delayAfter(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - freeFailures));
}

function keyOf(caller: string, walletUid: string): string {
  return `${walletUid} ${caller}`;
}

function blocked(why: string, wait: number): Problem {
  const retryAfter = Math.ceil(wait / 1_000);
  return new Problem('too-many-requests', `${why}. Try again in ${retryAfter} s.`, { retryAfter });
}

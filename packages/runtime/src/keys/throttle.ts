import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';

/** Wrong passwords of a caller that cost nothing but themselves. */
const freeFailures = 10;
/** A caller's failures are forgotten when this long passed without another, in milliseconds. */
const memory = 600_000;
const firstDelay = 15_000;
const maxDelay = 900_000;
/**
 * Wrong passwords of a wallet, by all callers together who did not show the right one lately: so many at once, and one
 * more each five minutes. A single caller, who gets four an hour in the end, cannot use it up.
 */
const perWallet = { atOnce: 30, each: 300_000 };
/** For so long after the right password a caller's failures are its own matter. */
const known = 30 * 86_400_000;
/** For so long after it memory may answer; then it is counted once more, which renews it. */
const lately = 86_400_000;
/** For so long this server believes what it read, in milliseconds. */
const fresh = 1_000;
/** Callers and wallets that are remembered so; all are read again beyond. */
const capacity = 50_000;
const sweepEvery = 600_000;

/** One look at a password, counted as wrong until it is known to be right. One of the three is to be called. */
export interface Attempt {
  /** All is forgotten, and the caller is known from now on. */
  right(): Promise<void>;
  /** It stays counted. */
  wrong(): void;
  /** It was not made. */
  notMade(): Promise<void>;
}

/** Counts wrong passwords per caller and wallet, and per wallet, for all servers. */
export interface Throttle {
  /** Whoever made a wallet has its password, and is known to it from then on. */
  know(tx: Tx, caller: string, walletUid: string): Promise<void>;
  /**
   * Whether what is in memory may answer the caller, uncounted: the right password was shown lately, no wrong one
   * since, and none is being looked at. Everybody else could find out by it for nothing what is right.
   */
  isTrusted(caller: string, walletUid: string): Promise<boolean>;
  /**
   * Counts an attempt as failed before it is made, so that many at once cannot slip through.
   * @throws Problem `too-many-requests` while the caller has to wait
   */
  begin(caller: string, walletUid: string): Promise<Attempt>;
}

type Row = { points: number; blocked_until: number; right_at: number | null };

export function createThrottle(store: Store, now: () => number): Throttle {
  let sweptAt = now();
  /** When a caller was last found trusted, by its key. */
  const trusted = new Map<string, number>();
  /** Attempts under way on this server, by the caller's key. */
  const underWay = new Map<string, number>();
  /** Looks at rows that are under way, by the same key. */
  const looks = new Map<string, Set<{ isOvertaken: boolean }>>();

  async function sweep(tx: Tx, at: number): Promise<void> {
    if (at - sweptAt < sweepEvery) return;
    sweptAt = at;
    await tx.run('DELETE FROM wallet_throttle WHERE expires_at <= $1', [at]);
  }

  /** The row, held until the transaction ends. */
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
    const expires = Math.max(until + memory, row.right_at === null ? 0 : row.right_at + known);
    await tx.run(
      'UPDATE wallet_throttle SET points = $2, blocked_until = $3, expires_at = $4 WHERE key = $1',
      [...[key, before + 1, until, expires]],
    );
  }

  /** The count runs out evenly: the row's time is when all of it will have. */
  async function countForWallet(tx: Tx, walletUid: string, at: number): Promise<void> {
    const row = await hold(tx, walletUid, at);
    const until = Math.max(row.blocked_until, at) + perWallet.each;
    const wait = until - at - perWallet.atOnce * perWallet.each;
    if (wait > 0) {
      throw blocked('The password of this wallet was wrong too often, by several callers together', wait);
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

  async function count(caller: string, walletUid: string): Promise<{ isKnown: boolean }> {
    const key = keyOf(caller, walletUid);
    return await store.transaction(async (tx) => {
      const at = now();
      await sweep(tx, at);
      const row = await hold(tx, key, at);
      const isKnown = row.right_at !== null && row.right_at + known > at;
      // The caller's own count first: whoever is held up by it takes nothing from the others.
      await countForCaller(tx, key, row, at);
      if (!isKnown) await countForWallet(tx, walletUid, at);
      return { isKnown };
    });
  }

  return {
    async know(tx, caller, walletUid) {
      const at = now();
      await tx.run(
        `INSERT INTO wallet_throttle (key, points, blocked_until, right_at, expires_at)
          VALUES ($1, 0, $2, $2, $3) ON CONFLICT (key) DO NOTHING`,
        [keyOf(caller, walletUid), at, at + known],
      );
    },

    async isTrusted(caller, walletUid) {
      const key = keyOf(caller, walletUid);
      if ((trusted.get(key) ?? Number.NEGATIVE_INFINITY) + fresh > now()) return true;
      const look = { isOvertaken: false };
      const all = looks.get(key) ?? new Set();
      looks.set(key, all.add(look));
      const [row] = await store.read
        .all<Row>('SELECT points, blocked_until, right_at FROM wallet_throttle WHERE key = $1', [key])
        .finally(() => {
          all.delete(look);
          if (all.size === 0) looks.delete(key);
        });
      const at = now();
      const isClean = row?.right_at != null && row.right_at + lately > at && failuresOf(row, at) === 0;
      // A check that began meanwhile may not have been in the row yet.
      if (!isClean || underWay.has(key) || look.isOvertaken) return false;
      if (trusted.size >= capacity) trusted.clear();
      trusted.set(key, at);
      return true;
    },

    async begin(caller, walletUid) {
      const key = keyOf(caller, walletUid);
      const end = () => {
        const left = (underWay.get(key) ?? 1) - 1;
        if (left > 0) underWay.set(key, left);
        else underWay.delete(key);
      };
      for (const look of looks.get(key) ?? []) look.isOvertaken = true;
      trusted.delete(key);
      underWay.set(key, (underWay.get(key) ?? 0) + 1);
      const { isKnown } = await count(caller, walletUid).catch((error: unknown) => {
        end();
        throw error;
      });
      return {
        async right() {
          try {
            await store.transaction(async (tx) => {
              const at = now();
              await tx.run(
                'UPDATE wallet_throttle SET points = 0, blocked_until = $2, right_at = $2, expires_at = $3 WHERE key = $1',
                [key, at, at + known],
              );
              if (!isKnown) await takeBackFromWallet(tx, walletUid);
            });
          } finally {
            end();
          }
        },
        wrong: end,
        async notMade() {
          try {
            await store.transaction(async (tx) => {
              await tx.run(
                'UPDATE wallet_throttle SET points = points - 1, blocked_until = $2 WHERE key = $1 AND points > 0',
                [key, now()],
              );
              if (!isKnown) await takeBackFromWallet(tx, walletUid);
            });
          } finally {
            end();
          }
        },
      };
    },
  };
}

/** A caller's failures that still count. */
function failuresOf({ points, blocked_until }: Row, at: number): number {
  return blocked_until + memory <= at ? 0 : points;
}

function delayAfter(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(maxDelay, firstDelay * 2 ** (failures - freeFailures));
}

function keyOf(caller: string, walletUid: string): string {
  return `${walletUid} ${caller}`;
}

function blocked(why: string, wait: number): Problem {
  const retryAfter = Math.ceil(wait / 1_000);
  return new Problem('too-many-requests', `${why}; try again in ${retryAfter} s.`, { retryAfter });
}

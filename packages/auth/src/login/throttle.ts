import { createHmac } from 'node:crypto';
import { backoff } from '@ledger-ops/backoff';
import { Problem } from '@ledger-ops/base';
import { forUpdate, type Tx } from '@ledger-ops/store';
import { and, eq, inArray, lt, notLike } from 'drizzle-orm';
import { identifierKey } from '../identifier.ts';
import type { Timing } from '../timing.ts';
import type { FailureLock } from './identity-lock.ts';

/** One login under way. It was counted as a failure before its password was looked at. */
export interface Attempt {
  /** The consequence of a failure for the identity; null: none, or it was counted for a known source only. */
  readonly lock: FailureLock | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly keys: AttemptKeys;
}

interface AttemptKeys {
  readonly user: string;
  readonly pair: string;
  readonly source: string;
  /** `user` or `pair`: where it was counted. */
  readonly counted: string;
}

/** Counts failed logins, for user names (whether they exist or not) and for sources. */
export interface Throttle {
  /**
   * Counts the attempt, before the password is looked at, so that a hundred at once are not more than one
   * after the other.
   *
   * @throws Problem `too-many-requests`
   */
  begin(tx: Tx, username: string, source: string): Promise<Attempt>;
  /** The password was right: nothing remains of the count, and the source is known from now on. */
  succeed(tx: Tx, attempt: Attempt): Promise<void>;
  /** Forgets what is too old to matter. */
  sweep(tx: Tx): Promise<void>;
}

/** Failures without a consequence. */
const free = { user: 9, source: 99 };

/**
 * Failed logins are counted for the user name, except from sources where that user logged in before: those
 * have a count of their own, so that strangers cannot lock the user out there.
 *
 * @param key HMAC key: the database tells neither who tried nor from where
 */
export function createThrottle(
  key: Uint8Array,
  now: () => number,
  { again, known, remembered }: Timing['logins'],
): Throttle {
  const digest = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  const keysOf = (username: string, source: string) => {
    const name = identifierKey(username);
    return {
      user: `user:${digest(JSON.stringify(['user', name]))}`,
      pair: `pair:${digest(JSON.stringify(['pair', name, source]))}`,
      source: `source:${digest(JSON.stringify(['source', source]))}`,
    };
  };

  return {
    async begin(tx, username, source) {
      const { loginThrottle: table } = tx.t;
      const at = now();
      const keys = keysOf(username, source);
      const [pair] = await tx.db
        .select({ updatedAt: table.updatedAt })
        .from(table)
        .where(eq(table.key, keys.pair));
      const isKnown = pair !== undefined && pair.updatedAt + known > at;
      const counted = isKnown ? keys.pair : keys.user;
      const counters = [
        { key: counted, without: free.user, keeps: isKnown ? known : remembered },
        { key: keys.source, without: free.source, keeps: remembered },
      ];
      await tx.db
        .insert(table)
        .values(counters.map((counter) => ({ key: counter.key, failures: 0, updatedAt: at })))
        .onConflictDoNothing();
      const rows = await forUpdate(
        tx,
        tx.db
          .select()
          .from(table)
          .where(inArray(table.key, [counted, keys.source]))
          .orderBy(table.key),
      );
      const blockedUntil = Math.max(0, ...rows.map((row) => row.blockedUntil ?? 0));
      if (blockedUntil > at) throw blocked(blockedUntil - at);
      let until = 0;
      for (const { key, without, keeps } of counters) {
        const row = rows.find((one) => one.key === key);
        const before = row === undefined || row.updatedAt + keeps < at ? 0 : row.failures;
        const delay = backoff(before + 1 - without, again);
        await tx.db
          .update(table)
          .set({ failures: before + 1, updatedAt: at, blockedUntil: delay === 0 ? null : at + delay })
          .where(eq(table.key, key));
        if (key === counted) until = delay === 0 ? 0 : at + delay;
      }
      return {
        lock: !isKnown && until > 0 ? { until, countedAs: counted } : null,
        at,
        keys: { ...keys, counted },
      };
    },

    async succeed(tx, { keys, at }) {
      const { loginThrottle: table } = tx.t;
      await tx.db.delete(table).where(eq(table.key, keys.counted));
      await tx.db
        .insert(table)
        .values({ key: keys.pair, failures: 0, updatedAt: at })
        .onConflictDoUpdate({ target: table.key, set: { failures: 0, updatedAt: at, blockedUntil: null } });
      // Only this attempt is taken back: who knows one password must not try others without end.
      const [row] = await tx.db.select().from(table).where(eq(table.key, keys.source));
      if (row === undefined) return;
      const failures = Math.max(0, row.failures - 1);
      await tx.db
        .update(table)
        .set({ failures, ...(failures <= free.source ? { blockedUntil: null } : {}) })
        .where(eq(table.key, keys.source));
    },

    async sweep(tx) {
      const { loginThrottle: table } = tx.t;
      const at = now();
      await tx.db
        .delete(table)
        .where(and(lt(table.updatedAt, at - remembered), notLike(table.key, 'pair:%')));
      await tx.db.delete(table).where(lt(table.updatedAt, at - known));
    },
  };
}

function blocked(wait: number): Problem {
  const retryAfter = Math.ceil(wait / 1_000);
  return new Problem('too-many-requests', `Too many failed logins; try again in ${retryAfter} s.`, {
    retryAfter,
  });
}

import { createHmac } from 'node:crypto';
import { Problem } from '@ledger-ops/base';
import { backoff } from '@ledger-ops/base/backoff';
import { forUpdate, type Tx } from '@ledger-ops/store';
import { and, eq, inArray, lt, notLike } from 'drizzle-orm';
import { identifierKey } from '../identifier.ts';
import type { Timing } from '../timing.ts';
import type { FailureLock } from './identity-lock.ts';

/** A login in progress. It is counted as a failure before its password is checked. */
export interface Attempt {
  /**
   * Lock on the user name, applied if this attempt fails. Null if the failure limit is not reached.
   * Also null for a source from which the user has logged in before: its failures have their own
   * counter and block only logins from that source.
   */
  readonly lock: FailureLock | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly keys: AttemptKeys;
}

interface AttemptKeys {
  readonly user: string;
  readonly pair: string;
  readonly source: string;
  /** The `user` or `pair` key under which the attempt was counted. */
  readonly counted: string;
}

/** Counts failed logins, by user name (existing or not) and by source. */
export interface Throttle {
  /**
   * Counts the attempt before its password is checked, so that parallel attempts are limited like sequential
   * ones.
   *
   * @throws Problem `too-many-requests`
   */
  begin(tx: Tx, username: string, source: string): Promise<Attempt>;
  /** Call after a successful login: clears the count and marks the source as known. */
  succeed(tx: Tx, attempt: Attempt): Promise<void>;
  /** Deletes outdated counts. */
  sweep(tx: Tx): Promise<void>;
}

/** Number of failures allowed before a lock. */
const free = { user: 9, source: 99 };

/**
 * Counts failed logins by user name. Failures from sources where the user logged in before have a separate
 * count, so that failures from other sources cannot lock the user out of these sources.
 *
 * @param key HMAC key; hides user names and sources in the database
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
      // Undoes only this attempt: otherwise a client that knows one password could try others without
      // limit.
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
  return new Problem('too-many-requests', `Too many failed logins. Try again in ${retryAfter} s.`, {
    retryAfter,
  });
}
